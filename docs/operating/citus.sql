-- Made from the migrations of crates/store/src/postgres; a test keeps it up to date.
-- Apply it to a fresh database on the coordinator, before the first node starts:
--   psql --set ON_ERROR_STOP=1 --single-transaction --file citus.sql DATABASE

CREATE EXTENSION IF NOT EXISTS citus;

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

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (1);

-- Webhooks: endpoints of apps, deliveries, and attempts. Deliveries are divided into numbered
-- buckets by their lane; nodes send by bucket, and lists of an app's deliveries read all buckets
-- (D-0014).

CREATE TABLE endpoints (
    id BIGINT PRIMARY KEY,
    app BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    url TEXT NOT NULL,
    is_enabled SMALLINT NOT NULL,
    timeout_ms BIGINT NOT NULL,
    at_once_max BIGINT NOT NULL,
    per_second_max BIGINT,
    block_s BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (app, kind)
);

-- Last sequence number that each lane assigned to each endpoint.
CREATE TABLE lanes (
    lane BIGINT NOT NULL,
    endpoint BIGINT NOT NULL,
    last_sequence BIGINT NOT NULL,
    PRIMARY KEY (lane, endpoint)
) WITH (fillfactor = 70);

-- `body` is sent byte for byte; since D-0086, bodies that contain a key are stored sealed.
CREATE TABLE deliveries (
    bucket BIGINT NOT NULL,
    id BIGINT NOT NULL,
    app BIGINT NOT NULL,
    endpoint BIGINT NOT NULL,
    lane BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    failed_at BIGINT,
    standing BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (bucket, id)
) WITH (fillfactor = 90);

CREATE INDEX deliveries_waiting ON deliveries (bucket, id) WHERE standing < 2;

CREATE TABLE attempts (
    bucket BIGINT NOT NULL,
    delivery BIGINT NOT NULL,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    error TEXT,
    status BIGINT,
    peer TEXT,
    name_us BIGINT,
    connect_us BIGINT,
    tls_us BIGINT,
    head_us BIGINT,
    body_us BIGINT,
    answer TEXT NOT NULL,
    PRIMARY KEY (bucket, delivery, number)
);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (2);

-- Second secret key of an app while its key is being changed: the staged next key if
-- `other_key_until` is NULL, else the previous key, which is valid until then.

ALTER TABLE apps ADD COLUMN other_key TEXT;
ALTER TABLE apps ADD COLUMN other_key_until BIGINT;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (3);

-- Replaces the tables endpoints, deliveries and attempts of 0002, which never had rows. Adds
-- several endpoints per kind, their health, replays, `mark`, by which scans find new deliveries,
-- and partitions by day, which are dropped whole (D-0031).

DROP TABLE endpoints;
DROP TABLE deliveries;
DROP TABLE attempts;

CREATE TABLE endpoints (
    id BIGINT PRIMARY KEY,
    app BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    url TEXT NOT NULL,
    is_enabled SMALLINT NOT NULL,
    is_paused SMALLINT NOT NULL,
    failing_since BIGINT,
    failing_told BIGINT NOT NULL,
    timeout_ms BIGINT NOT NULL,
    at_once_max BIGINT NOT NULL,
    per_second_max BIGINT,
    block_s BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (app, kind, name)
);

-- `body` is sent byte for byte; since D-0086, bodies that contain a key are stored sealed. `mark`
-- is the number of the transaction that inserted or replayed the delivery.
CREATE TABLE deliveries (
    bucket BIGINT NOT NULL,
    id BIGINT NOT NULL,
    app BIGINT NOT NULL,
    endpoint BIGINT NOT NULL,
    lane BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    depth BIGINT NOT NULL,
    mark BIGINT NOT NULL,
    since BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    failed_at BIGINT,
    standing BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (bucket, id)
) PARTITION BY RANGE (id);

CREATE INDEX deliveries_waiting ON deliveries (mark, id) WHERE standing < 2;
CREATE INDEX deliveries_of_app ON deliveries (app, id);

CREATE TABLE attempts (
    bucket BIGINT NOT NULL,
    delivery BIGINT NOT NULL,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    error TEXT,
    status BIGINT,
    peer TEXT,
    name_us BIGINT,
    connect_us BIGINT,
    tls_us BIGINT,
    head_us BIGINT,
    body_us BIGINT,
    answer TEXT NOT NULL,
    PRIMARY KEY (bucket, delivery, number)
) PARTITION BY RANGE (delivery);

-- Rows of days without a partition, so that no write fails because a partition is missing.
CREATE TABLE deliveries_other PARTITION OF deliveries DEFAULT WITH (fillfactor = 90);
CREATE TABLE attempts_other PARTITION OF attempts DEFAULT;
-- Rows of the default partitions are deleted in slices, oldest first.
CREATE INDEX deliveries_other_by_id ON deliveries_other (id);
CREATE INDEX attempts_other_by_delivery ON attempts_other (delivery);

-- Bucket leases: the node `holder` sends the deliveries of a bucket until `held_until`, unless it
-- renews the lease.
CREATE TABLE buckets (
    bucket BIGINT PRIMARY KEY,
    holder TEXT,
    held_until TIMESTAMPTZ NOT NULL
);
INSERT INTO buckets SELECT bucket, NULL, '-infinity' FROM generate_series(0, 63) bucket;

CREATE TABLE senders (
    holder TEXT PRIMARY KEY,
    seen_until TIMESTAMPTZ NOT NULL
);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (4);

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

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (5);

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

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (6);

-- Adds the realms of users (D-0065): 0 for the app's own users, the channel's id for customers of a
-- channel. A user id is unique within its realm only; the unique key ends with the realm, so that
-- one lookup finds the users of all realms with the same user id.
ALTER TABLE users ADD COLUMN realm BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users DROP CONSTRAINT users_app_user_id_key;
ALTER TABLE users ADD UNIQUE (app, user_id, realm);

-- Customers were the app's own users before. A customer without a password who came through one
-- channel, and participates only in rooms where they are the customer, moves into that channel's
-- realm. Any other customer may also be one of the app's own users: that user stays in realm 0, and
-- the customer becomes a new user, as which no client has ever connected.
CREATE TEMP TABLE realm_moves (
    old BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    new BIGINT NOT NULL,
    PRIMARY KEY (old, channel)
) ON COMMIT DROP;
INSERT INTO realm_moves (old, channel, new)
SELECT c.customer, c.channel, CASE
    WHEN u.password_hash IS NULL AND n.channels = 1 AND NOT EXISTS (
        SELECT 1 FROM participants p WHERE p.user_key = c.customer AND NOT EXISTS (
            SELECT 1 FROM customer_rooms o WHERE o.room = p.room AND o.customer = p.user_key))
    THEN c.customer
    -- Greater than all existing ids of users and rooms, and less than all ids created from now on.
    ELSE (SELECT max(id) FROM (SELECT id FROM users UNION ALL SELECT id FROM rooms) ids)
        + row_number() OVER (ORDER BY c.customer, c.channel)
    END
FROM (SELECT DISTINCT customer, channel FROM customer_rooms) c
JOIN users u ON u.id = c.customer
JOIN (SELECT customer, count(DISTINCT channel) AS channels FROM customer_rooms GROUP BY customer) n
    ON n.customer = c.customer;

UPDATE users SET realm = (SELECT m.channel FROM realm_moves m WHERE m.old = users.id)
WHERE id IN (SELECT old FROM realm_moves WHERE new = old);

-- No client connects as a customer of a custom channel: invalidate tokens that were obtained
-- before.
UPDATE users SET token = replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')
WHERE realm IN (SELECT id FROM channels WHERE kind = 'custom');

INSERT INTO users (id, app, user_id, username, avatar_url, extras, is_active, created_at,
    updated_at, token, password_hash, realm)
SELECT m.new, u.app, u.user_id, u.username, u.avatar_url, u.extras, u.is_active, u.created_at,
    u.updated_at, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), NULL, m.channel
FROM realm_moves m JOIN users u ON u.id = m.old WHERE m.new <> m.old;

INSERT INTO customer_properties (customer, label, id, value)
SELECT m.new, p.label, p.id, p.value
FROM realm_moves m JOIN customer_properties p ON p.customer = m.old WHERE m.new <> m.old;
DELETE FROM customer_properties
WHERE customer IN (SELECT old FROM realm_moves WHERE new <> old);

CREATE TEMP TABLE realm_rooms (
    room BIGINT PRIMARY KEY,
    old BIGINT NOT NULL,
    new BIGINT NOT NULL
) ON COMMIT DROP;
INSERT INTO realm_rooms (room, old, new)
SELECT c.room, m.old, m.new FROM realm_moves m
JOIN customer_rooms c ON c.channel = m.channel AND c.customer = m.old WHERE m.new <> m.old;

UPDATE customer_rooms SET customer = (SELECT r.new FROM realm_rooms r
    WHERE r.room = customer_rooms.room)
WHERE room IN (SELECT room FROM realm_rooms);
UPDATE rooms SET customer = (SELECT r.new FROM realm_rooms r WHERE r.room = rooms.id),
    audience = audience + 1
WHERE id IN (SELECT room FROM realm_rooms);
UPDATE participants SET user_key = (SELECT r.new FROM realm_rooms r
    WHERE r.room = participants.room)
WHERE EXISTS (SELECT 1 FROM realm_rooms r
    WHERE r.room = participants.room AND r.old = participants.user_key);
-- The first condition avoids a scan of all messages if no customer became a new user.
UPDATE messages SET sender = (SELECT r.new FROM realm_rooms r WHERE r.room = messages.room)
WHERE EXISTS (SELECT 1 FROM realm_rooms)
    AND EXISTS (SELECT 1 FROM realm_rooms r
        WHERE r.room = messages.room AND r.old = messages.sender);

-- Adds agents to the participants of the rooms that they serve: earlier versions omitted agents
-- whom the server assigned automatically.
UPDATE rooms SET audience = audience + 1 WHERE id IN (SELECT a.room FROM room_agents a
    WHERE NOT EXISTS (SELECT 1 FROM participants p
        WHERE p.room = a.room AND p.user_key = a.agent));
INSERT INTO participants (room, user_key, read_number, joined_at)
SELECT a.room, a.agent, 0, a.joined_at FROM room_agents a WHERE NOT EXISTS (
    SELECT 1 FROM participants p WHERE p.room = a.room AND p.user_key = a.agent);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (7);

-- Hashes of the secrets by which returning visitors of the widget prove their identity (D-0070).
CREATE TABLE visitor_secrets (
    channel BIGINT NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (channel, user_id)
);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (8);

-- Bytes of uploaded files: of an app in total (`user_key` and `day` are 0), and of a user on a day.
CREATE TABLE upload_usage (
    app BIGINT NOT NULL,
    user_key BIGINT NOT NULL,
    day BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (app, user_key, day)
);
INSERT INTO upload_usage SELECT app, 0, 0, sum(size)::BIGINT FROM files GROUP BY app;
-- Past days and expired nonces are deleted for all apps at once, so these indexes omit the app.
CREATE INDEX upload_usage_by_day ON upload_usage (day);
DROP INDEX nonces_by_end;
CREATE INDEX nonces_by_end ON nonces (good_until);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (9);

-- Secrets are sealed with keys that are not in the database (D-0086). Users are looked up by a hash
-- of their token; the token itself is sealed. The server, which has the keys, rewrites the rows of
-- earlier versions; secrets_in_clear has a row until that is complete.

ALTER TABLE users RENAME COLUMN token TO token_hash;
ALTER TABLE users ADD COLUMN sealed_token TEXT;

-- Keys that may have sealed secrets. `proof` is a sealed text that only its key opens.
CREATE TABLE secret_keys (
    id TEXT COLLATE "C" PRIMARY KEY,
    proof TEXT NOT NULL
);

CREATE TABLE secrets_in_clear (is_so BIGINT NOT NULL);
INSERT INTO secrets_in_clear VALUES (1);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (10);

-- Divisions of agents, canned replies, automatic replies inside and outside office hours, and an
-- index of an app's sessions by id.

CREATE TABLE divisions (
    app BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    is_default BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (app, id)
);
CREATE TABLE agent_divisions (
    app BIGINT NOT NULL,
    agent BIGINT NOT NULL,
    division BIGINT NOT NULL,
    PRIMARY KEY (app, agent, division)
);

-- `owner` is 0 for replies that all agents share, else the agent to whom the reply is private.
CREATE TABLE canned_replies (
    app BIGINT NOT NULL,
    id BIGINT NOT NULL,
    owner BIGINT NOT NULL,
    shortcut TEXT NOT NULL,
    reply TEXT NOT NULL,
    language TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (app, id)
);
CREATE INDEX canned_replies_of_owner ON canned_replies (app, owner, id);

-- `channel` is 0 for the app itself. The app's values apply where a channel has no row or a NULL.
CREATE TABLE auto_replies (
    app BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    online_text TEXT,
    offline_text TEXT,
    is_online_if_resolved BIGINT,
    is_offline_each_message BIGINT,
    PRIMARY KEY (app, channel)
);

CREATE INDEX sessions_of_app ON sessions (app, id);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (11);

-- URL of the attempt's request; the URL of the endpoint may have changed since then.
ALTER TABLE attempts ADD COLUMN url TEXT;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (12);

-- Rooms that an agent no longer serves, and the last message before the agent left. The agent may
-- still read the room, and catches up with messages up to that one (D-0090).
CREATE TABLE served_rooms (
    room BIGINT NOT NULL,
    agent BIGINT NOT NULL,
    until_message BIGINT NOT NULL,
    PRIMARY KEY (room, agent)
);
CREATE INDEX served_rooms_of_agent ON served_rooms (agent, until_message);
INSERT INTO served_rooms SELECT DISTINCT s.room, s.served_by, 0 FROM sessions s
    WHERE s.served_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM room_agents a
    WHERE a.room = s.room AND a.agent = s.served_by);

-- When the bot receives the customer's messages (D-0201): 0 always, 1 only after the bot is
-- switched on again, 2 while no agent is assigned. Open sessions without the bot get 1, because it
-- is not recorded whether an agent took them from the bot: a bot must not start to answer in them.
ALTER TABLE customer_rooms ADD COLUMN is_left_to_people BIGINT NOT NULL DEFAULT 0;
UPDATE customer_rooms SET is_left_to_people = 1
    WHERE session IS NOT NULL AND is_resolved = 0 AND is_handled_by_bot = 0;

-- Brand in the path of the widget through which the customer came.
ALTER TABLE customer_rooms ADD COLUMN brand TEXT;

-- Agents may take over customers unless the setting is off. Existing apps without the setting had
-- it off, and keep it off.
INSERT INTO settings (app, name, value) SELECT id, 'is_agent_takeover_enabled', 'false' FROM apps
    WHERE NOT EXISTS (SELECT 1 FROM settings s
    WHERE s.app = apps.id AND s.name = 'is_agent_takeover_enabled');

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (13);

-- Messages that are hidden from one user only. Deleted messages have no rows here.
CREATE TABLE hidden_messages (
    room BIGINT NOT NULL,
    user_key BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (room, user_key, number)
);

CREATE INDEX hidden_messages_by_number ON hidden_messages (room, number);

-- For the list of an app's public rooms.
CREATE INDEX channel_rooms ON rooms (app, id) WHERE kind = 'channel';

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (14);

-- One-time sign-in codes of dashboard users. Only a hash of each code is stored.
CREATE TABLE sign_in_codes (
    hash TEXT PRIMARY KEY,
    dashboard_user BIGINT NOT NULL,
    good_until BIGINT NOT NULL
);
CREATE INDEX sign_in_codes_of_user ON sign_in_codes (dashboard_user);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (15);

-- Agent who resolved the session, first reply of an agent, and time when the session was reopened.
ALTER TABLE sessions ADD COLUMN resolved_by BIGINT;
ALTER TABLE sessions ADD COLUMN first_reply_at BIGINT;
ALTER TABLE sessions ADD COLUMN first_reply_by BIGINT;
ALTER TABLE sessions ADD COLUMN reopened_at BIGINT;

-- History of a customer's room: sessions opened, resolved, reopened or rated, the bot switched on
-- or off, and agents who joined or left. `decided_by` is the agent who caused the entry, NULL for
-- the app or the server; `agent` is the agent who joined or left.
CREATE TABLE trail (
    room BIGINT NOT NULL,
    id BIGINT NOT NULL,
    what TEXT NOT NULL,
    decided_by BIGINT,
    agent BIGINT,
    at BIGINT NOT NULL,
    PRIMARY KEY (room, id)
);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (16);

-- Number of changes to the data that inboxes show of a customer's room.
ALTER TABLE customer_rooms ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- Number of the last message that an agent has seen in a customer's room. `unread_at` is the number
-- of the room's last message when the agent marked the room as unread, else NULL.
CREATE TABLE seen_marks (
    room BIGINT NOT NULL,
    agent BIGINT NOT NULL,
    number BIGINT NOT NULL,
    unread_at BIGINT,
    PRIMARY KEY (room, agent)
);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (17);

-- Notes on conversations, colors of tags, and settings that agents choose for their own dashboard.
CREATE TABLE notes (
    room BIGINT NOT NULL,
    id BIGINT NOT NULL,
    text TEXT NOT NULL,
    author BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (room, id)
);

ALTER TABLE tags ADD COLUMN colour TEXT;
CREATE INDEX room_tags_by_tag ON room_tags (tag, room);

CREATE TABLE page_settings (
    agent BIGINT PRIMARY KEY,
    language TEXT,
    preferences TEXT
);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (18);

-- Counters of support events per quarter of an hour (D-0140), and request headers of attempts.
CREATE TABLE analytics_hours (
    app BIGINT NOT NULL,
    quarter BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    agent BIGINT NOT NULL,
    measure BIGINT NOT NULL,
    node BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (app, quarter, channel, agent, measure, node)
);

ALTER TABLE attempts ADD COLUMN headers TEXT;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (19);

-- Search index (D-0145): words of the messages in customers' rooms, written asynchronously, and of
-- customers' names and user ids. Words are separated by one space. The indexes add the app's id as
-- a word, so that a lookup finds rows of one app only.
CREATE TABLE search_messages (
    room BIGINT NOT NULL,
    message BIGINT NOT NULL,
    app BIGINT NOT NULL,
    words TEXT NOT NULL,
    PRIMARY KEY (room, message)
);
CREATE INDEX search_messages_of_app ON search_messages (app, message);
CREATE INDEX search_messages_by_word ON search_messages USING gin
    (array_to_tsvector(string_to_array(words || ' :' || app::text, ' ')));
CREATE TABLE search_contacts (
    contact BIGINT PRIMARY KEY,
    app BIGINT NOT NULL,
    words TEXT NOT NULL
);
CREATE INDEX search_contacts_of_app ON search_contacts (app, contact);
CREATE INDEX search_contacts_by_word ON search_contacts USING gin
    (array_to_tsvector(string_to_array(words || ' :' || app::text, ' ')));

-- Progress of the search index. All messages up to `up_to` are indexed, and all up to `reached`
-- except some that other nodes stored at the same time. `holder` is the process that may write the
-- index until `held_until`. `generation` rises when the index is rebuilt.
CREATE TABLE search_state (
    id BIGINT PRIMARY KEY,
    up_to BIGINT NOT NULL,
    reached BIGINT NOT NULL,
    contacts_up_to BIGINT NOT NULL,
    holder TEXT NOT NULL,
    held_until BIGINT NOT NULL,
    generation BIGINT NOT NULL
);
INSERT INTO search_state VALUES (1, 0, 0, 0, '', 0, 0);

-- Order of all messages by id, for the search index. The sum keeps the planner from using this
-- index for statements without the same sum: those that find a client's missed messages must search
-- room by room.
CREATE INDEX messages_by_id ON messages ((id + 0));

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (20);

-- Edited messages, and unique ids that clients assign to notes, so that a repeated request creates
-- no second note.
CREATE TABLE edits (
    room BIGINT NOT NULL,
    message BIGINT NOT NULL,
    PRIMARY KEY (room, message)
);

ALTER TABLE notes ADD COLUMN unique_id TEXT;
CREATE UNIQUE INDEX notes_by_unique_id ON notes (room, unique_id);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (21);

-- Id, times, browser and address of sign-ins. Existing sign-ins began 30 days before their expiry.
ALTER TABLE sign_ins ADD COLUMN id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN browser TEXT;
ALTER TABLE sign_ins ADD COLUMN address TEXT;
-- The id only has to be unique among the sign-ins of one dashboard user.
UPDATE sign_ins SET id = ('x' || substr(md5(hash), 1, 12))::bit(48)::bigint + 1,
    created_at = greatest(good_until - 2592000000000, 0);
UPDATE sign_ins SET seen_at = created_at;

-- Audit log. `value_before` and `value_after` are JSON objects of the changed fields.
CREATE TABLE audit (
    app BIGINT NOT NULL,
    id BIGINT NOT NULL,
    at BIGINT NOT NULL,
    actor BIGINT,
    actor_kind TEXT NOT NULL,
    what TEXT COLLATE "C" NOT NULL,
    target_kind TEXT NOT NULL,
    target_id TEXT NOT NULL,
    target_name TEXT,
    value_before TEXT,
    value_after TEXT,
    address TEXT,
    PRIMARY KEY (app, id)
);
CREATE INDEX audit_by_time ON audit (at);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (22);

-- Files that may no longer be referenced. No message up to `looked_up_to` references the file.
CREATE TABLE doubted_files (
    hash TEXT COLLATE "C" NOT NULL,
    app BIGINT NOT NULL,
    looked_up_to BIGINT NOT NULL,
    PRIMARY KEY (hash, app)
);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (23);

-- Customer's rating of the session, its time, and the time when the customer was asked for it.
ALTER TABLE sessions ADD COLUMN rating BIGINT;
ALTER TABLE sessions ADD COLUMN rated_at BIGINT;
ALTER TABLE sessions ADD COLUMN rating_asked_at BIGINT;

-- A row covers a quarter of an hour, not an hour (D-0140).
ALTER TABLE analytics_hours RENAME TO analytics_quarters;
ALTER INDEX analytics_hours_pkey RENAME TO analytics_quarters_pkey;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (24);

-- Channels that connect to a provider (D-0150, design/channels).

-- Settings of a channel's account at its provider, and the sealed secrets of the account (D-0086).
CREATE TABLE channel_settings (
    channel BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (channel, name)
);
CREATE TABLE channel_secrets (
    channel BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    sealed TEXT NOT NULL,
    PRIMARY KEY (channel, name)
);

-- Health of a channel, and the cursor up to which its provider was polled.
CREATE TABLE channel_states (
    channel BIGINT PRIMARY KEY,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    since BIGINT NOT NULL,
    cursor BIGINT NOT NULL
);

-- Ids that providers gave to customers.
CREATE TABLE customer_identities (
    channel BIGINT NOT NULL,
    external_id TEXT COLLATE "C" NOT NULL,
    kind TEXT NOT NULL,
    customer BIGINT NOT NULL,
    heard_at BIGINT NOT NULL,
    PRIMARY KEY (channel, external_id)
);
CREATE INDEX identities_of_customer ON customer_identities (customer, heard_at);

-- Ids that providers gave to incoming and outgoing messages, retained until the room's customer is
-- erased.
CREATE TABLE channel_messages (
    external_id TEXT COLLATE "C" NOT NULL,
    channel BIGINT NOT NULL,
    part BIGINT NOT NULL,
    room BIGINT NOT NULL,
    message BIGINT NOT NULL,
    is_outgoing BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (external_id, channel, part)
);
CREATE INDEX channel_messages_of_room ON channel_messages (room, message);
CREATE INDEX channel_messages_by_time ON channel_messages (channel, is_outgoing, at);

-- Delivery states of messages to customers: 0 queued, 1 sent, 2 delivered, 3 read, 9 failed.
CREATE TABLE message_states (
    room BIGINT NOT NULL,
    message BIGINT NOT NULL,
    part BIGINT NOT NULL,
    state BIGINT NOT NULL,
    code TEXT,
    reason TEXT,
    at BIGINT NOT NULL,
    PRIMARY KEY (room, message, part)
);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (25);

-- Delivery states of messages that apps sent through a channel outside of rooms (D-0155): 1 sent, 2
-- delivered, 3 read, 9 failed.
CREATE TABLE direct_sends (
    external_id TEXT COLLATE "C" NOT NULL,
    channel BIGINT NOT NULL,
    state BIGINT NOT NULL,
    code TEXT,
    reason TEXT,
    at BIGINT NOT NULL,
    PRIMARY KEY (external_id, channel)
);
CREATE INDEX direct_sends_by_time ON direct_sends (at);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (26);

-- Time when a staff member opened the session; NULL if the customer opened it or has written in it
-- (D-0157).
ALTER TABLE sessions ADD COLUMN unheard_since BIGINT;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (27);

-- Location of a node's uploaded files; nodes that run at the same time must have the same location.
ALTER TABLE nodes ADD COLUMN files_place TEXT;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (28);

-- Cached rooms and users are valid while their versions are unchanged (D-0165). A room's version
-- rises when a message is edited or deleted, and when the room or its participants change; a new
-- message shows in `last_message`.
ALTER TABLE rooms ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- Rises when the user's profile changes.
ALTER TABLE users ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- Number of commits under this node number by versions that raise `version`; `batch - versioned`
-- counts those by older versions.
ALTER TABLE nodes ADD COLUMN versioned BIGINT NOT NULL DEFAULT 0;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (29);

-- For the number of failed events of customers (standing 3) in the health of their channel.
CREATE INDEX deliveries_given_up ON deliveries (endpoint)
    WHERE standing = 3 AND kind = 'channel_event';

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (30);

-- Index for clients' user search (D-0208): for each of the app's own users, the substrings of three
-- characters at all positions of the lowercased name and user id, shorter at the end. Each is
-- written as the app's id, `g` and the substring's bytes, both in hexadecimal.
CREATE TABLE user_grams (
    user_key BIGINT PRIMARY KEY,
    grams TEXT NOT NULL
);
INSERT INTO user_grams
SELECT id, (
    SELECT string_agg(
        to_hex(app) || 'g' || encode(convert_to(substr(text, i, 3), 'UTF8'), 'hex'), ' ')
    FROM generate_series(1, length(text)) i
)
FROM (
    SELECT id, app, lower(username) || chr(10) || lower(user_id) AS text
    FROM users WHERE realm = 0
) named;
-- Without `fastupdate`, whose list of pending entries every search would have to scan.
CREATE INDEX user_grams_by_gram ON user_grams USING gin
    (array_to_tsvector(string_to_array(grams, ' '))) WITH (fastupdate = off);

-- For clients' lists of users, sorted by name.
CREATE INDEX users_by_name ON users (app, username, id) WHERE realm = 0;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (31);

-- Distributes the tables of a Citus cluster (D-0014). The rows of a room are on one worker, except
-- those found by another key: names of rooms, unique ids assigned by clients, and ids assigned by
-- providers are distributed by their text. Apps, agents, users, endpoints and settings are on every
-- worker. Deliveries and their attempts are distributed by bucket; their partitions by day,
-- including later ones, are distributed with them. The tables `nodes`, `buckets`, `senders`,
-- `schema_version`, `search_state`, `secret_keys` and `secrets_in_clear` are small and stay on the
-- coordinator.
SELECT create_reference_table('apps');
SELECT create_reference_table('dashboard_users');
SELECT create_reference_table('users');
SELECT create_reference_table('user_grams');
SELECT create_distributed_table('rooms', 'id');
SELECT create_distributed_table('participants', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('messages', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('deletions', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('hidden_messages', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('room_names', 'unique_id', colocate_with => 'none');
SELECT create_distributed_table('client_ids', 'unique_id', colocate_with => 'none');
SELECT create_reference_table('endpoints');
SELECT create_reference_table('custom_buttons');
SELECT create_reference_table('sign_ins');
SELECT create_reference_table('sign_in_codes');
SELECT create_reference_table('settings');
SELECT create_reference_table('audit');
SELECT create_reference_table('page_settings');
SELECT create_reference_table('channels');
SELECT create_reference_table('channel_settings');
SELECT create_reference_table('channel_secrets');
SELECT create_reference_table('channel_states');
SELECT create_reference_table('customer_identities');
SELECT create_distributed_table('channel_messages', 'external_id', colocate_with => 'none');
SELECT create_distributed_table('direct_sends', 'external_id', colocate_with => 'none');
SELECT create_reference_table('agent_channels');
SELECT create_reference_table('divisions');
SELECT create_reference_table('agent_divisions');
SELECT create_reference_table('canned_replies');
SELECT create_reference_table('auto_replies');
SELECT create_reference_table('tags');
SELECT create_reference_table('customer_properties');
SELECT create_reference_table('nonces');
SELECT create_reference_table('visitor_secrets');
SELECT create_distributed_table('customer_rooms', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('sessions', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('trail', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('room_agents', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('served_rooms', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('room_tags', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('seen_marks', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('room_infos', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('notes', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('search_messages', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('search_contacts', 'contact', colocate_with => 'none');
SELECT create_distributed_table('message_states', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('edits', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('events', 'room', colocate_with => 'rooms');
SELECT create_reference_table('devices');
SELECT create_reference_table('blocks');
SELECT create_reference_table('presences');
SELECT create_distributed_table('files', 'hash', colocate_with => 'none');
SELECT create_distributed_table('doubted_files', 'hash', colocate_with => 'files');
SELECT create_reference_table('upload_usage');
SELECT create_distributed_table('analytics_quarters', 'app', colocate_with => 'none');
SELECT create_distributed_table('lanes', 'lane', colocate_with => 'rooms');
SELECT create_distributed_table('deliveries', 'bucket', colocate_with => 'none');
SELECT create_distributed_table('attempts', 'bucket', colocate_with => 'deliveries');
