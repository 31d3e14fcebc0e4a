-- Clients: events of rooms, received and read positions, devices, blocks, presence, and files.

-- Rises when participants join or leave, which invalidates the cached audience.
ALTER TABLE rooms ADD COLUMN audience INTEGER NOT NULL DEFAULT 0;

-- `received_event` and `read_event` are the events that set `received_number` and `read_number`.
-- Messages up to `cleared_number` are hidden from the participant.
ALTER TABLE participants ADD COLUMN received_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE participants ADD COLUMN received_event INTEGER NOT NULL DEFAULT 0;
ALTER TABLE participants ADD COLUMN read_event INTEGER NOT NULL DEFAULT 0;
ALTER TABLE participants ADD COLUMN cleared_number INTEGER NOT NULL DEFAULT 0;

-- Edits and deletions of messages, and clearings of rooms. New messages and receipts have no rows.
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

-- Devices registered for push notifications.
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

-- Presence of users: whether they are online, since when or when last seen, and the node that
-- reported it.
CREATE TABLE presences (
    user_key INTEGER PRIMARY KEY,
    is_online INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    node INTEGER NOT NULL
) STRICT;

-- Uploaded files. Their content is stored outside of the database, by its hash.
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
