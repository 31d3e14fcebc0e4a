-- Initial schema. Times are microseconds since 1970 UTC; ids are below 2^53 (D-0013).

CREATE TABLE apps (
    id INTEGER PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    sdk_secret TEXT NOT NULL,
    secret_key TEXT NOT NULL,
    system_user INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE dashboard_users (
    id INTEGER PRIMARY KEY,
    app INTEGER NOT NULL REFERENCES apps (id),
    email TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role INTEGER NOT NULL,
    password_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    app INTEGER NOT NULL,
    user_id TEXT NOT NULL,
    username TEXT NOT NULL,
    avatar_url TEXT NOT NULL,
    extras TEXT,
    is_active INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    token TEXT NOT NULL UNIQUE,
    password_hash TEXT,
    UNIQUE (app, user_id)
) STRICT;

CREATE TABLE rooms (
    id INTEGER PRIMARY KEY,
    app INTEGER NOT NULL,
    unique_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    avatar_url TEXT NOT NULL,
    options TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- Written asynchronously, together with the positions of messages (D-0016).
    last_message INTEGER NOT NULL DEFAULT 0,
    UNIQUE (app, unique_id)
) STRICT;

CREATE TABLE participants (
    room INTEGER NOT NULL,
    user_key INTEGER NOT NULL,
    -- Raised by the user's own posts asynchronously, together with the positions of messages
    -- (D-0016).
    read_number INTEGER NOT NULL,
    joined_at INTEGER NOT NULL,
    PRIMARY KEY (room, user_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX participants_by_user ON participants (user_key, room);

-- Authoritative rows, appended by id. There is no index on (room, id): message_places locates the
-- messages of a room.
CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    room INTEGER NOT NULL,
    number INTEGER NOT NULL,
    before_id INTEGER,
    sender INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    payload TEXT,
    extras TEXT,
    client_unique_id TEXT,
    posted_at INTEGER NOT NULL,
    is_deleted INTEGER NOT NULL
) STRICT;

-- Positions of a room's messages: 64 ids per row, eight bytes each, written asynchronously
-- (D-0016).
CREATE TABLE message_places (
    room INTEGER NOT NULL,
    first_number INTEGER NOT NULL,
    ids BLOB NOT NULL,
    PRIMARY KEY (room, first_number)
) STRICT, WITHOUT ROWID;

-- One row: the positions of all messages up to this id are in message_places.
CREATE TABLE places_written (
    up_to_message INTEGER NOT NULL
) STRICT;

INSERT INTO places_written VALUES (0);

CREATE TABLE deletions (
    room INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (room, number)
) STRICT, WITHOUT ROWID;

-- Only unique ids assigned by clients; an id derived by the server contains the ids of its room and
-- message (D-0002).
CREATE TABLE client_ids (
    app INTEGER NOT NULL,
    unique_id TEXT NOT NULL,
    message INTEGER NOT NULL,
    PRIMARY KEY (app, unique_id)
) STRICT, WITHOUT ROWID;
