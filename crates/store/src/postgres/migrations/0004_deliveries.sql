-- Replaces the tables endpoints, deliveries and attempts of 0002, which never had rows. Adds
-- several endpoints per kind, their health, replays, `mark`, by which scans find new deliveries,
-- and partitions by day, which are dropped whole (D-0031).

DROP TABLE endpoints;
DROP TABLE deliveries;
DROP TABLE attempts;

CREATE TABLE endpoints (
    id BIGINT PRIMARY KEY,
    app BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    url TEXT NOT NULL,
    is_enabled SMALLINT NOT NULL,
    is_paused SMALLINT NOT NULL,
    failing_since BIGINT,
    failing_told BIGINT NOT NULL,
    timeout_ms BIGINT NOT NULL,
    at_once_max BIGINT NOT NULL,
    per_second_max BIGINT,
    block_s BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (app, kind, name)
);

-- `body` is sent byte for byte; since D-0086, bodies that contain a key are stored sealed. `mark`
-- is the number of the transaction that inserted or replayed the delivery.
CREATE TABLE deliveries (
    bucket BIGINT NOT NULL,
    id BIGINT NOT NULL,
    app BIGINT NOT NULL,
    endpoint BIGINT NOT NULL,
    lane BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    depth BIGINT NOT NULL,
    mark BIGINT NOT NULL,
    since BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    failed_at BIGINT,
    standing BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (bucket, id)
) PARTITION BY RANGE (id);

CREATE INDEX deliveries_waiting ON deliveries (mark, id) WHERE standing < 2;
CREATE INDEX deliveries_of_app ON deliveries (app, id);

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
) PARTITION BY RANGE (delivery);

-- Rows of days without a partition, so that no write fails because a partition is missing.
CREATE TABLE deliveries_other PARTITION OF deliveries DEFAULT WITH (fillfactor = 90);
CREATE TABLE attempts_other PARTITION OF attempts DEFAULT;
-- Rows of the default partitions are deleted in slices, oldest first.
CREATE INDEX deliveries_other_by_id ON deliveries_other (id);
CREATE INDEX attempts_other_by_delivery ON attempts_other (delivery);

-- Bucket leases: the node `holder` sends the deliveries of a bucket until `held_until`, unless it
-- renews the lease.
CREATE TABLE buckets (
    bucket BIGINT PRIMARY KEY,
    holder TEXT,
    held_until TIMESTAMPTZ NOT NULL
);
INSERT INTO buckets SELECT bucket, NULL, '-infinity' FROM generate_series(0, 63) bucket;

CREATE TABLE senders (
    holder TEXT PRIMARY KEY,
    seen_until TIMESTAMPTZ NOT NULL
);
