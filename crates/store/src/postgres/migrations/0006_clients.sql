-- Those who connect as users: what happened to messages, up to where each has read, devices,
-- blocks, presence, files.

-- Rises with everybody who comes or goes, so that a remembered audience is known to be old.
ALTER TABLE rooms ADD COLUMN audience BIGINT NOT NULL DEFAULT 0;

-- Which event said up to where a participant received and read; what they cleared is not shown.
ALTER TABLE participants ADD COLUMN received_number BIGINT NOT NULL DEFAULT 0;
ALTER TABLE participants ADD COLUMN received_event BIGINT NOT NULL DEFAULT 0;
ALTER TABLE participants ADD COLUMN read_event BIGINT NOT NULL DEFAULT 0;
ALTER TABLE participants ADD COLUMN cleared_number BIGINT NOT NULL DEFAULT 0;

-- What happened to messages, and is not a message itself: edited, deleted, cleared.
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

-- Where pushes go.
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

-- Who was last seen when, and by which node they are connected now.
CREATE TABLE presences (
    user_key BIGINT PRIMARY KEY,
    is_online SMALLINT NOT NULL,
    seen_at BIGINT NOT NULL,
    node BIGINT NOT NULL
);

-- What was uploaded; the bytes are kept by their hash.
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
