-- Those who connect as users: what happened to messages, up to where each has read, devices,
-- blocks, presence, files.

-- Rises with everybody who comes or goes, so that a remembered audience is known to be old.
ALTER TABLE rooms ADD COLUMN audience INTEGER NOT NULL DEFAULT 0;

-- Which event said up to where a participant received and read; what they cleared is not shown.
ALTER TABLE participants ADD COLUMN received_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE participants ADD COLUMN received_event INTEGER NOT NULL DEFAULT 0;
ALTER TABLE participants ADD COLUMN read_event INTEGER NOT NULL DEFAULT 0;
ALTER TABLE participants ADD COLUMN cleared_number INTEGER NOT NULL DEFAULT 0;

-- What happened to messages, and is not a message itself: edited, deleted, cleared.
CREATE TABLE events (
    room INTEGER NOT NULL,
    id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    actor INTEGER NOT NULL,
    message INTEGER NOT NULL,
    subject TEXT NOT NULL,
    PRIMARY KEY (room, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX events_by_id ON events (id);

-- Where pushes go.
CREATE TABLE devices (
    user_key INTEGER NOT NULL,
    token TEXT NOT NULL,
    platform TEXT NOT NULL,
    is_development INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (user_key, token)
) STRICT, WITHOUT ROWID;

CREATE INDEX devices_by_token ON devices (token);

CREATE TABLE blocks (
    user_key INTEGER NOT NULL,
    blocked INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (user_key, blocked)
) STRICT, WITHOUT ROWID;

-- Who was last seen when, and by which node they are connected now.
CREATE TABLE presences (
    user_key INTEGER PRIMARY KEY,
    is_online INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    node INTEGER NOT NULL
) STRICT;

-- What was uploaded; the bytes are kept by their hash.
CREATE TABLE files (
    hash TEXT NOT NULL,
    app INTEGER NOT NULL,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    uploaded_by INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (hash, app)
) STRICT, WITHOUT ROWID;
