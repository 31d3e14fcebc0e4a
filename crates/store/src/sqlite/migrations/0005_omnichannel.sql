-- Customer support: agents, the channels through which customers write, sessions, and assignments.

ALTER TABLE rooms ADD COLUMN customer INTEGER;

ALTER TABLE dashboard_users ADD COLUMN avatar_url TEXT;
ALTER TABLE dashboard_users ADD COLUMN is_available INTEGER NOT NULL DEFAULT 0;
ALTER TABLE dashboard_users ADD COLUMN is_forced_offline INTEGER NOT NULL DEFAULT 0;
ALTER TABLE dashboard_users ADD COLUMN is_verified INTEGER NOT NULL DEFAULT 1;
ALTER TABLE dashboard_users ADD COLUMN last_login_at INTEGER;
ALTER TABLE dashboard_users ADD COLUMN serves_max INTEGER;
ALTER TABLE dashboard_users ADD COLUMN away_since INTEGER;
ALTER TABLE dashboard_users ADD COLUMN deleted_at INTEGER;

-- E-mail addresses are case-insensitive and stored in lower case.
UPDATE dashboard_users SET email = lower(email);

-- Each dashboard user posts in rooms as the user with the same id.
INSERT INTO users (id, app, user_id, username, avatar_url, extras, is_active, created_at,
    updated_at, token, password_hash)
SELECT d.id, d.app, a.code || '_' || d.id || '@dashboard', d.name, '', NULL, 1, d.created_at,
    d.created_at, lower(hex(randomblob(32))), NULL
FROM dashboard_users d JOIN apps a ON a.id = d.app;

-- Sign-ins of dashboard users. Only a hash of each token is stored.
CREATE TABLE sign_ins (
    hash TEXT PRIMARY KEY,
    dashboard_user INTEGER NOT NULL,
    good_until INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_ins_of_user ON sign_ins (dashboard_user);

CREATE TABLE settings (
    app INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (app, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE channels (
    id INTEGER PRIMARY KEY,
    app INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    is_active INTEGER NOT NULL,
    identifier_key TEXT NOT NULL,
    webhook_url TEXT,
    logo_url TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER
) STRICT;
CREATE INDEX channels_of_app ON channels (app);

-- Channels that an agent serves. An agent without rows serves all channels.
CREATE TABLE agent_channels (
    agent INTEGER NOT NULL,
    channel INTEGER NOT NULL,
    PRIMARY KEY (agent, channel)
) STRICT, WITHOUT ROWID;

-- Support data of a customer's room: channel, customer, newest session, and start of the wait for
-- an agent.
CREATE TABLE customer_rooms (
    room INTEGER PRIMARY KEY,
    app INTEGER NOT NULL,
    channel INTEGER NOT NULL,
    customer INTEGER NOT NULL,
    session INTEGER,
    is_resolved INTEGER NOT NULL,
    waits_since INTEGER,
    is_handled_by_bot INTEGER NOT NULL,
    extras TEXT,
    badge_url TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX customer_rooms_of_app ON customer_rooms (app, updated_at, room);
CREATE INDEX customer_rooms_waiting ON customer_rooms (app, waits_since, room)
    WHERE waits_since IS NOT NULL;
CREATE INDEX customer_rooms_by_end ON customer_rooms (app, is_resolved, updated_at, room);
CREATE INDEX customer_rooms_unserved ON customer_rooms (app, updated_at, room)
    WHERE waits_since IS NOT NULL;
CREATE INDEX customer_rooms_served ON customer_rooms (app, is_resolved, updated_at, room)
    WHERE waits_since IS NULL AND session IS NOT NULL;
CREATE INDEX customer_rooms_of_customer ON customer_rooms (channel, customer, room);

-- Conversations in a customer's room, each from its first message to its resolution.
CREATE TABLE sessions (
    room INTEGER NOT NULL,
    id INTEGER NOT NULL,
    app INTEGER NOT NULL,
    served_by INTEGER,
    taken_at INTEGER,
    notes TEXT,
    first_message INTEGER NOT NULL,
    first_message_at INTEGER NOT NULL,
    last_message INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    resolved_at INTEGER,
    PRIMARY KEY (room, id)
) STRICT, WITHOUT ROWID;

-- Agents currently assigned to rooms.
CREATE TABLE room_agents (
    room INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    joined_at INTEGER NOT NULL,
    PRIMARY KEY (room, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX room_agents_of_agent ON room_agents (agent, room);

CREATE TABLE tags (
    id INTEGER NOT NULL,
    app INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (app, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE room_tags (
    room INTEGER NOT NULL,
    tag INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (room, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX room_tags_by_name ON room_tags (name, room);

-- Labels of custom buttons. The URL of a button is in the endpoint with the same id.
CREATE TABLE custom_buttons (
    app INTEGER NOT NULL,
    id INTEGER NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (app, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE room_infos (
    room INTEGER NOT NULL,
    label TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (room, label)
) STRICT, WITHOUT ROWID;
CREATE TABLE customer_properties (
    customer INTEGER NOT NULL,
    label TEXT NOT NULL,
    id INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (customer, label)
) STRICT, WITHOUT ROWID;

CREATE TABLE nonces (
    app INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    good_until INTEGER NOT NULL,
    PRIMARY KEY (app, nonce)
) STRICT, WITHOUT ROWID;
CREATE INDEX nonces_by_end ON nonces (app, good_until);
