-- Clients: events of rooms, received and read positions, devices, blocks, presence, and files.

-- Rises when participants join or leave, which invalidates the cached audience.
ALTER TABLE rooms ADD COLUMN audience BIGINT NOT NULL DEFAULT 0;

-- `received_event` and `read_event` are the events that set `received_number` and `read_number`.
-- Messages up to `cleared_number` are hidden from the participant.
ALTER TABLE participants ADD COLUMN received_number BIGINT NOT NULL DEFAULT 0;
ALTER TABLE participants ADD COLUMN received_event BIGINT NOT NULL DEFAULT 0;
ALTER TABLE participants ADD COLUMN read_event BIGINT NOT NULL DEFAULT 0;
ALTER TABLE participants ADD COLUMN cleared_number BIGINT NOT NULL DEFAULT 0;

-- Edits and deletions of messages, and clearings of rooms. New messages and receipts have no rows.
CREATE TABLE events (
    room BIGINT NOT NULL,
    id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    actor BIGINT NOT NULL,
    message BIGINT NOT NULL,
    subject TEXT NOT NULL,
    PRIMARY KEY (room, id)
);

CREATE INDEX events_by_id ON events (id);

-- Devices registered for push notifications.
CREATE TABLE devices (
    user_key BIGINT NOT NULL,
    token TEXT COLLATE "C" NOT NULL,
    platform TEXT NOT NULL,
    is_development SMALLINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_key, token)
);

CREATE INDEX devices_by_token ON devices (token);

CREATE TABLE blocks (
    user_key BIGINT NOT NULL,
    blocked BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_key, blocked)
);

-- Presence of users: whether they are online, since when or when last seen, and the node that
-- reported it.
CREATE TABLE presences (
    user_key BIGINT PRIMARY KEY,
    is_online SMALLINT NOT NULL,
    seen_at BIGINT NOT NULL,
    node BIGINT NOT NULL
);

-- Uploaded files. Their content is stored outside of the database, by its hash.
CREATE TABLE files (
    hash TEXT COLLATE "C" NOT NULL,
    app BIGINT NOT NULL,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    uploaded_by BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (hash, app)
);
