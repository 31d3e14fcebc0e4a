-- Customer support: agents, the channels through which customers write, sessions, and assignments.

ALTER TABLE rooms ADD COLUMN customer BIGINT;

ALTER TABLE dashboard_users ADD COLUMN avatar_url TEXT;
ALTER TABLE dashboard_users ADD COLUMN is_available BIGINT NOT NULL DEFAULT 0;
ALTER TABLE dashboard_users ADD COLUMN is_forced_offline BIGINT NOT NULL DEFAULT 0;
ALTER TABLE dashboard_users ADD COLUMN is_verified BIGINT NOT NULL DEFAULT 1;
ALTER TABLE dashboard_users ADD COLUMN last_login_at BIGINT;
ALTER TABLE dashboard_users ADD COLUMN serves_max BIGINT;
ALTER TABLE dashboard_users ADD COLUMN away_since BIGINT;
ALTER TABLE dashboard_users ADD COLUMN deleted_at BIGINT;

-- E-mail addresses are case-insensitive and stored in lower case.
UPDATE dashboard_users SET email = lower(email);

-- Each dashboard user posts in rooms as the user with the same id.
INSERT INTO users (id, app, user_id, username, avatar_url, extras, is_active, created_at,
    updated_at, token, password_hash)
SELECT d.id, d.app, a.code || '_' || d.id || '@dashboard', d.name, '', NULL, 1, d.created_at,
    d.created_at, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), NULL
FROM dashboard_users d JOIN apps a ON a.id = d.app;

-- Sign-ins of dashboard users. Only a hash of each token is stored.
CREATE TABLE sign_ins (
    hash TEXT COLLATE "C" PRIMARY KEY,
    dashboard_user BIGINT NOT NULL,
    good_until BIGINT NOT NULL
);
CREATE INDEX sign_ins_of_user ON sign_ins (dashboard_user);

CREATE TABLE settings (
    app BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (app, name)
);

CREATE TABLE channels (
    id BIGINT PRIMARY KEY,
    app BIGINT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    is_active BIGINT NOT NULL,
    identifier_key TEXT NOT NULL,
    webhook_url TEXT,
    logo_url TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT
);
CREATE INDEX channels_of_app ON channels (app);

-- Channels that an agent serves. An agent without rows serves all channels.
CREATE TABLE agent_channels (
    agent BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    PRIMARY KEY (agent, channel)
);

-- Support data of a customer's room: channel, customer, newest session, and start of the wait for
-- an agent.
CREATE TABLE customer_rooms (
    room BIGINT PRIMARY KEY,
    app BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    customer BIGINT NOT NULL,
    session BIGINT,
    is_resolved BIGINT NOT NULL,
    waits_since BIGINT,
    is_handled_by_bot BIGINT NOT NULL,
    extras TEXT,
    badge_url TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
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
    room BIGINT NOT NULL,
    id BIGINT NOT NULL,
    app BIGINT NOT NULL,
    served_by BIGINT,
    taken_at BIGINT,
    notes TEXT,
    first_message BIGINT NOT NULL,
    first_message_at BIGINT NOT NULL,
    last_message BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    resolved_at BIGINT,
    PRIMARY KEY (room, id)
);

-- Agents currently assigned to rooms.
CREATE TABLE room_agents (
    room BIGINT NOT NULL,
    agent BIGINT NOT NULL,
    joined_at BIGINT NOT NULL,
    PRIMARY KEY (room, agent)
);
CREATE INDEX room_agents_of_agent ON room_agents (agent, room);

CREATE TABLE tags (
    id BIGINT NOT NULL,
    app BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (app, name)
);
CREATE TABLE room_tags (
    room BIGINT NOT NULL,
    tag BIGINT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (room, tag)
);
CREATE INDEX room_tags_by_name ON room_tags (name, room);

-- Labels of custom buttons. The URL of a button is in the endpoint with the same id.
CREATE TABLE custom_buttons (
    app BIGINT NOT NULL,
    id BIGINT NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (app, id)
);

CREATE TABLE room_infos (
    room BIGINT NOT NULL,
    label TEXT COLLATE "C" NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (room, label)
);
CREATE TABLE customer_properties (
    customer BIGINT NOT NULL,
    label TEXT COLLATE "C" NOT NULL,
    id BIGINT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (customer, label)
);

CREATE TABLE nonces (
    app BIGINT NOT NULL,
    nonce TEXT COLLATE "C" NOT NULL,
    good_until BIGINT NOT NULL,
    PRIMARY KEY (app, nonce)
);
CREATE INDEX nonces_by_end ON nonces (app, good_until);
