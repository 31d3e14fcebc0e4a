-- Webhooks: endpoints of apps, deliveries, and attempts. Deliveries are divided into numbered
-- buckets by their lane; nodes send by bucket, and lists of an app's deliveries read all buckets
-- (D-0014).

CREATE TABLE endpoints (
    id BIGINT PRIMARY KEY,
    app BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    url TEXT NOT NULL,
    is_enabled SMALLINT NOT NULL,
    timeout_ms BIGINT NOT NULL,
    at_once_max BIGINT NOT NULL,
    per_second_max BIGINT,
    block_s BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (app, kind)
);

-- Last sequence number that each lane assigned to each endpoint.
CREATE TABLE lanes (
    lane BIGINT NOT NULL,
    endpoint BIGINT NOT NULL,
    last_sequence BIGINT NOT NULL,
    PRIMARY KEY (lane, endpoint)
) WITH (fillfactor = 70);

-- `body` is sent byte for byte; since D-0086, bodies that contain a key are stored sealed.
CREATE TABLE deliveries (
    bucket BIGINT NOT NULL,
    id BIGINT NOT NULL,
    app BIGINT NOT NULL,
    endpoint BIGINT NOT NULL,
    lane BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    failed_at BIGINT,
    standing BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (bucket, id)
) WITH (fillfactor = 90);

CREATE INDEX deliveries_waiting ON deliveries (bucket, id) WHERE standing < 2;

CREATE TABLE attempts (
    bucket BIGINT NOT NULL,
    delivery BIGINT NOT NULL,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    error TEXT,
    status BIGINT,
    peer TEXT,
    name_us BIGINT,
    connect_us BIGINT,
    tls_us BIGINT,
    head_us BIGINT,
    body_us BIGINT,
    answer TEXT NOT NULL,
    PRIMARY KEY (bucket, delivery, number)
);
