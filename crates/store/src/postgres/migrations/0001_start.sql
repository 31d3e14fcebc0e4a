-- The start. Times are microseconds since 1970 UTC; ids are below 2^53 (D-0013).
--
-- Everything that grows with the messages is keyed by room first, names and client ids by
-- themselves, so that a sharding PostgreSQL can distribute it: every unique key begins with the
-- column its table is distributed by, there are no triggers and no sequences (D-0014). Texts that
-- are compared or listed in order are compared byte by byte, as SQLite does it.

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

-- Every post changes its room's last message: space is left on each page for the new version.
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

-- Pages go by number. A deleted message is on no page.
CREATE UNIQUE INDEX messages_by_number ON messages (room, number) WHERE is_deleted = 0;

CREATE TABLE deletions (
    room BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (room, number)
);

-- Only ids that clients gave; those the server makes lead to their message by themselves (D-0002).
CREATE TABLE client_ids (
    unique_id TEXT COLLATE "C" NOT NULL,
    app BIGINT NOT NULL,
    room BIGINT NOT NULL,
    message BIGINT NOT NULL,
    PRIMARY KEY (unique_id, app)
);

-- Who serves now. The row of a node is locked by its commit under way; `batch` is the last one that
-- was written, which tells what became of a commit whose answer was lost (D-0025).
CREATE TABLE nodes (
    node BIGINT PRIMARY KEY,
    holder TEXT NOT NULL,
    batch BIGINT NOT NULL,
    newest_id BIGINT NOT NULL,
    seen_at TIMESTAMPTZ NOT NULL
) WITH (fillfactor = 50);
