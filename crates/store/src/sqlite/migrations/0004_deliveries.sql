-- Replaces the tables endpoints, deliveries and attempts of 0002, which never had rows. Adds
-- several endpoints per kind, their health, replays, and `mark`, by which scans find new
-- deliveries.

DROP TABLE endpoints;
DROP TABLE deliveries;
DROP TABLE attempts;

CREATE TABLE endpoints (
    id INTEGER PRIMARY KEY,
    app INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    is_enabled INTEGER NOT NULL,
    is_paused INTEGER NOT NULL,
    failing_since INTEGER,
    failing_told INTEGER NOT NULL,
    timeout_ms INTEGER NOT NULL,
    at_once_max INTEGER NOT NULL,
    per_second_max INTEGER,
    block_s INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (app, kind, name)
) STRICT;

-- Appended by id. `body` is sent byte for byte; since D-0086, bodies that contain a key are stored
-- sealed.
CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY,
    app INTEGER NOT NULL,
    endpoint INTEGER NOT NULL,
    kind TEXT NOT NULL,
    lane INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    mark INTEGER NOT NULL,
    standing INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    since INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    failed_at INTEGER,
    body TEXT NOT NULL
) STRICT;

CREATE INDEX deliveries_waiting ON deliveries (mark) WHERE standing < 2;
CREATE INDEX deliveries_of_app ON deliveries (app, id);

CREATE TABLE attempts (
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
