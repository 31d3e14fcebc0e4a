-- Webhooks: where apps want to be told, what is on its way, and what was tried.

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

-- How far each lane of an endpoint is.
CREATE TABLE lanes (
    lane INTEGER NOT NULL,
    endpoint INTEGER NOT NULL,
    last_sequence INTEGER NOT NULL,
    PRIMARY KEY (lane, endpoint)
) STRICT, WITHOUT ROWID;

-- Appended by id; the body is what is sent, byte for byte.
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
