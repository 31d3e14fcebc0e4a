-- Webhooks: endpoints of apps, deliveries, and attempts.

CREATE TABLE endpoints (
    id INTEGER PRIMARY KEY,
    app INTEGER NOT NULL,
    kind TEXT NOT NULL,
    url TEXT NOT NULL,
    is_enabled INTEGER NOT NULL,
    timeout_ms INTEGER NOT NULL,
    at_once_max INTEGER NOT NULL,
    per_second_max INTEGER,
    block_s INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (app, kind)
) STRICT;

-- Last sequence number that each lane assigned to each endpoint.
CREATE TABLE lanes (
    lane INTEGER NOT NULL,
    endpoint INTEGER NOT NULL,
    last_sequence INTEGER NOT NULL,
    PRIMARY KEY (lane, endpoint)
) STRICT, WITHOUT ROWID;

-- Appended by id. `body` is sent byte for byte; since D-0086, bodies that contain a key are stored
-- sealed.
CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY,
    bucket INTEGER NOT NULL,
    app INTEGER NOT NULL,
    endpoint INTEGER NOT NULL,
    kind TEXT NOT NULL,
    lane INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    standing INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    failed_at INTEGER,
    body TEXT NOT NULL
) STRICT;

CREATE INDEX deliveries_waiting ON deliveries (bucket, id) WHERE standing < 2;

CREATE TABLE attempts (
    bucket INTEGER NOT NULL,
    delivery INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    error TEXT,
    status INTEGER,
    peer TEXT,
    name_us INTEGER,
    connect_us INTEGER,
    tls_us INTEGER,
    head_us INTEGER,
    body_us INTEGER,
    answer TEXT NOT NULL,
    PRIMARY KEY (delivery, number)
) STRICT, WITHOUT ROWID;
