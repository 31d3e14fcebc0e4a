-- Initial schema. Times are microseconds since 1970 UTC; ids are below 2^53 (D-0013).
--
-- Citus can distribute the tables that grow with the messages (D-0014): they are keyed by room
-- first, or by the text itself (room_names, client_ids). Every unique key of a distributed table
-- begins with its distribution column, and there are no triggers and no sequences. Texts that are
-- keys or sort columns have the collation "C", which compares bytes like SQLite.

CREATE TABLE apps (
    id BIGINT PRIMARY KEY,
    code TEXT COLLATE "C" NOT NULL UNIQUE,
    name TEXT NOT NULL,
    sdk_secret TEXT NOT NULL,
    secret_key TEXT NOT NULL,
    "system_user" BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE dashboard_users (
    id BIGINT PRIMARY KEY,
    app BIGINT NOT NULL REFERENCES apps (id),
    email TEXT COLLATE "C" NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role BIGINT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE users (
    id BIGINT PRIMARY KEY,
    app BIGINT NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    username TEXT COLLATE "C" NOT NULL,
    avatar_url TEXT NOT NULL,
    extras TEXT,
    is_active SMALLINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    token TEXT COLLATE "C" NOT NULL UNIQUE,
    password_hash TEXT,
    UNIQUE (app, user_id)
);

-- Every post updates its room's row, so each page has free space for new row versions.
CREATE TABLE rooms (
    id BIGINT PRIMARY KEY,
    app BIGINT NOT NULL,
    unique_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    avatar_url TEXT NOT NULL,
    options TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    last_message BIGINT NOT NULL DEFAULT 0,
    last_number BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 70);

CREATE TABLE room_names (
    unique_id TEXT COLLATE "C" NOT NULL,
    app BIGINT NOT NULL,
    room BIGINT NOT NULL,
    PRIMARY KEY (unique_id, app)
);

CREATE TABLE participants (
    room BIGINT NOT NULL,
    user_key BIGINT NOT NULL,
    read_number BIGINT NOT NULL,
    joined_at BIGINT NOT NULL,
    PRIMARY KEY (room, user_key)
) WITH (fillfactor = 70);

CREATE INDEX participants_by_user ON participants (user_key, room);

CREATE TABLE messages (
    room BIGINT NOT NULL,
    id BIGINT NOT NULL,
    number BIGINT NOT NULL,
    before_id BIGINT,
    sender BIGINT NOT NULL,
    posted_at BIGINT NOT NULL,
    is_deleted SMALLINT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    payload TEXT,
    extras TEXT,
    client_unique_id TEXT,
    PRIMARY KEY (room, id)
);

-- Pages of messages are read by number and omit deleted messages.
CREATE UNIQUE INDEX messages_by_number ON messages (room, number) WHERE is_deleted = 0;

CREATE TABLE deletions (
    room BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (room, number)
);

-- Only unique ids assigned by clients; an id derived by the server contains the ids of its room and
-- message (D-0002).
CREATE TABLE client_ids (
    unique_id TEXT COLLATE "C" NOT NULL,
    app BIGINT NOT NULL,
    room BIGINT NOT NULL,
    message BIGINT NOT NULL,
    PRIMARY KEY (unique_id, app)
);

-- Leases of node numbers. A node's row is locked by its running commit; `batch` is the number of
-- its last successful commit, which shows whether a commit whose answer was lost took place
-- (D-0025).
CREATE TABLE nodes (
    node BIGINT PRIMARY KEY,
    holder TEXT NOT NULL,
    batch BIGINT NOT NULL,
    newest_id BIGINT NOT NULL,
    seen_at TIMESTAMPTZ NOT NULL
) WITH (fillfactor = 50);
