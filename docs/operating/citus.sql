-- Made from the migrations of crates/store/src/postgres; a test keeps it up to date.
-- Apply it to a fresh database on the coordinator, before the first node starts:
--   psql --set ON_ERROR_STOP=1 --single-transaction --file citus.sql DATABASE

CREATE EXTENSION IF NOT EXISTS citus;

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

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (1);

-- Webhooks: where apps want to be told, what is on its way, and what was tried. Deliveries are
-- divided into numbered buckets by their lane; nobody ever looks across buckets (D-0014).

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

-- How far each lane of an endpoint is.
CREATE TABLE lanes (
    lane BIGINT NOT NULL,
    endpoint BIGINT NOT NULL,
    last_sequence BIGINT NOT NULL,
    PRIMARY KEY (lane, endpoint)
) WITH (fillfactor = 70);

-- The body is what is sent, byte for byte.
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

-- A second secret key of an app while the key is being changed: staged as long as it has no end,
-- else the one before, which counts until then.

ALTER TABLE apps ADD COLUMN other_key TEXT;
ALTER TABLE apps ADD COLUMN other_key_until BIGINT;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (3);

-- The tables of 0002 anew: nothing was ever written to them. Several endpoints of a kind, their
-- health, replays, a mark by which the engine finds what is new to it, and parts by day that are
-- dropped whole (D-0031).

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

-- The body is what is sent, byte for byte; the mark is the transaction that made it or had it sent
-- again.
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

-- For days that have no part yet: nothing is ever refused for want of one.
CREATE TABLE deliveries_other PARTITION OF deliveries DEFAULT WITH (fillfactor = 90);
CREATE TABLE attempts_other PARTITION OF attempts DEFAULT;
-- They are forgotten row by row, from the old end.
CREATE INDEX deliveries_other_by_id ON deliveries_other (id);
CREATE INDEX attempts_other_by_delivery ON attempts_other (delivery);

-- Who sends what: each bucket belongs to one node, for as long as it says that it is there.
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

-- The omnichannel half: who works in an app, where customers write from, and who serves whom.

ALTER TABLE rooms ADD COLUMN customer BIGINT;

ALTER TABLE dashboard_users ADD COLUMN avatar_url TEXT;
ALTER TABLE dashboard_users ADD COLUMN is_available BIGINT NOT NULL DEFAULT 0;
ALTER TABLE dashboard_users ADD COLUMN is_forced_offline BIGINT NOT NULL DEFAULT 0;
ALTER TABLE dashboard_users ADD COLUMN is_verified BIGINT NOT NULL DEFAULT 1;
ALTER TABLE dashboard_users ADD COLUMN last_login_at BIGINT;
ALTER TABLE dashboard_users ADD COLUMN serves_max BIGINT;
ALTER TABLE dashboard_users ADD COLUMN away_since BIGINT;
ALTER TABLE dashboard_users ADD COLUMN deleted_at BIGINT;

-- Addresses are the same in any case of their letters.
UPDATE dashboard_users SET email = lower(email);

-- Each dashboard user speaks in rooms as a user of the same integer.
INSERT INTO users (id, app, user_id, username, avatar_url, extras, is_active, created_at,
    updated_at, token, password_hash)
SELECT d.id, d.app, a.code || '_' || d.id || '@dashboard', d.name, '', NULL, 1, d.created_at,
    d.created_at, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), NULL
FROM dashboard_users d JOIN apps a ON a.id = d.app;

-- Who is signed in; only a hash of each token.
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

-- The only channels that an agent serves; all if there are none.
CREATE TABLE agent_channels (
    agent BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    PRIMARY KEY (agent, channel)
);

-- What a room is to its customer.
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

-- A stretch of a customer's room, until it is resolved.
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

-- Who serves whom now.
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

-- What stands on custom buttons; where each leads is the endpoint of the same integer.
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

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (6);

-- Whose users they are (D-0065): the app's own have realm 0, the customers of a channel have the
-- channel's integer. A name is one person within a realm only; the index begins with the name, so
-- that everybody of a name is found at once.
ALTER TABLE users ADD COLUMN realm BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users DROP CONSTRAINT users_app_user_id_key;
ALTER TABLE users ADD UNIQUE (app, user_id, realm);

-- Customers so far were the app's users. Who has no password, came through one channel and is in no
-- other room moves into its realm. Whoever may be somebody else as well stays what they are, and
-- the customer becomes a user of their own: that nobody has ever connected as.
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
    -- Greater than every user's and every room's integer, and less than those made from now on.
    ELSE (SELECT max(id) FROM (SELECT id FROM users UNION ALL SELECT id FROM rooms) ids)
        + row_number() OVER (ORDER BY c.customer, c.channel)
    END
FROM (SELECT DISTINCT customer, channel FROM customer_rooms) c
JOIN users u ON u.id = c.customer
JOIN (SELECT customer, count(DISTINCT channel) AS channels FROM customer_rooms GROUP BY customer) n
    ON n.customer = c.customer;

UPDATE users SET realm = (SELECT m.channel FROM realm_moves m WHERE m.old = users.id)
WHERE id IN (SELECT old FROM realm_moves WHERE new = old);

-- Nobody connects as a customer of a gateway: whoever got hold of such a token does not any more.
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
-- All messages are looked at only if some customer has a new user.
UPDATE messages SET sender = (SELECT r.new FROM realm_rooms r WHERE r.room = messages.room)
WHERE EXISTS (SELECT 1 FROM realm_rooms)
    AND EXISTS (SELECT 1 FROM realm_rooms r
        WHERE r.room = messages.room AND r.old = messages.sender);

-- Agents whom the server chose itself were never let into the rooms that they serve.
UPDATE rooms SET audience = audience + 1 WHERE id IN (SELECT a.room FROM room_agents a
    WHERE NOT EXISTS (SELECT 1 FROM participants p
        WHERE p.room = a.room AND p.user_key = a.agent));
INSERT INTO participants (room, user_key, read_number, joined_at)
SELECT a.room, a.agent, 0, a.joined_at FROM room_agents a WHERE NOT EXISTS (
    SELECT 1 FROM participants p WHERE p.room = a.room AND p.user_key = a.agent);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (7);

-- What a visitor of the widget shows to come back, by its hash (D-0070).
CREATE TABLE visitor_secrets (
    channel BIGINT NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (channel, user_id)
);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (8);

-- What uploads take: of an app in all (its user and its day are 0), and of a user on a day.
CREATE TABLE upload_usage (
    app BIGINT NOT NULL,
    user_key BIGINT NOT NULL,
    day BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (app, user_key, day)
);
INSERT INTO upload_usage SELECT app, 0, 0, sum(size)::BIGINT FROM files GROUP BY app;
-- Days that are over, and nonces that nobody used, are forgotten, of all apps at once.
CREATE INDEX upload_usage_by_day ON upload_usage (day);
DROP INDEX nonces_by_end;
CREATE INDEX nonces_by_end ON nonces (good_until);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (9);

-- Secrets are sealed with keys that are not in here (D-0086). What a user is found by is a hash of
-- their token; the token itself is sealed. Rows of before are rewritten by the program, which alone
-- has the keys; while there is a row in secrets_in_clear, that has not come to its end.

ALTER TABLE users RENAME COLUMN token TO token_hash;
ALTER TABLE users ADD COLUMN sealed_token TEXT;

-- Every key that something may be sealed with, and something that only it can open.
CREATE TABLE secret_keys (
    id TEXT COLLATE "C" PRIMARY KEY,
    proof TEXT NOT NULL
);

CREATE TABLE secrets_in_clear (is_so BIGINT NOT NULL);
INSERT INTO secrets_in_clear VALUES (1);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (10);

-- The office: divisions of those who work in an app, canned replies, what customers are told
-- inside and outside office hours, and all conversations of an app in their order.

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

-- The owner of what is everybody's is 0.
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

-- What the app itself says is under channel 0; what a channel does not say, the app does.
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

-- The URL that an attempt went to: an endpoint may have another one since.
ALTER TABLE attempts ADD COLUMN url TEXT;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (12);

-- Which rooms an agent served, and up to which message they were there: they may read on, and catch
-- up with what was said until they left (D-0090).
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

-- Whether somebody took a session from the bot (D-0201). It is not known of those that are open: in
-- none of them a bot begins to speak by itself.
ALTER TABLE customer_rooms ADD COLUMN is_left_to_people BIGINT NOT NULL DEFAULT 0;
UPDATE customer_rooms SET is_left_to_people = 1
    WHERE session IS NOT NULL AND is_resolved = 0 AND is_handled_by_bot = 0;

-- The brand by whose path a customer came into the widget.
ALTER TABLE customer_rooms ADD COLUMN brand TEXT;

-- Agents take customers over unless that was switched off. Apps of before keep what they have:
-- where nothing was set it was off.
INSERT INTO settings (app, name, value) SELECT id, 'is_agent_takeover_enabled', 'false' FROM apps
    WHERE NOT EXISTS (SELECT 1 FROM settings s
    WHERE s.app = apps.id AND s.name = 'is_agent_takeover_enabled');

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (13);

-- Messages that a user is not shown any more, while everybody else is. A deleted message is not
-- here.
CREATE TABLE hidden_messages (
    room BIGINT NOT NULL,
    user_key BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (room, user_key, number)
);

CREATE INDEX hidden_messages_by_number ON hidden_messages (room, number);

-- Public channels of an app are listed.
CREATE INDEX channel_rooms ON rooms (app, id) WHERE kind = 'channel';

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (14);

-- Codes that sign somebody in once; only a hash of each.
CREATE TABLE sign_in_codes (
    hash TEXT PRIMARY KEY,
    dashboard_user BIGINT NOT NULL,
    good_until BIGINT NOT NULL
);
CREATE INDEX sign_in_codes_of_user ON sign_in_codes (dashboard_user);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (15);

-- Who resolved a conversation, who first answered in it, and when it was opened again.
ALTER TABLE sessions ADD COLUMN resolved_by BIGINT;
ALTER TABLE sessions ADD COLUMN first_reply_at BIGINT;
ALTER TABLE sessions ADD COLUMN first_reply_by BIGINT;
ALTER TABLE sessions ADD COLUMN reopened_at BIGINT;

-- What happened to a customer's room: who came and went, by whose decision.
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

-- How often what inboxes show of a customer's room changed.
ALTER TABLE customer_rooms ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- Up to which message those who work in an app have seen a customer's room, and how long it was
-- when they called it unread.
CREATE TABLE seen_marks (
    room BIGINT NOT NULL,
    agent BIGINT NOT NULL,
    number BIGINT NOT NULL,
    unread_at BIGINT,
    PRIMARY KEY (room, agent)
);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (17);

-- What stands beside conversations: notes, the colours of tags; and what people set for themselves
-- in their pages.
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

-- What offices achieved, by quarters of an hour (D-0140), and the headers that webhooks were sent
-- with.
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

-- What search goes by (D-0145): the words of each message in a customer's room, written behind, and
-- of each customer's name. Words are divided by one blank; the app is one more of them, so that the
-- index leads to its own messages alone.
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

-- How far the index is: every message up to `up_to` has its words in it, and all but some of other
-- nodes up to `reached`. Who writes it says so until when. `generation` rises when it begins anew.
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

-- The index goes along all messages in the order of their ids. It is of a sum, so that only statements
-- that name the same sum are led along it: what somebody missed is found room by room.
CREATE INDEX messages_by_id ON messages ((id + 0));

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (20);

-- Which messages were corrected, and what pages call a note before it is kept.
CREATE TABLE edits (
    room BIGINT NOT NULL,
    message BIGINT NOT NULL,
    PRIMARY KEY (room, message)
);

ALTER TABLE notes ADD COLUMN unique_id TEXT;
CREATE UNIQUE INDEX notes_by_unique_id ON notes (room, unique_id);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (21);

-- Where somebody is signed in: earlier sign-ins began 30 days before their end.
ALTER TABLE sign_ins ADD COLUMN id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sign_ins ADD COLUMN browser TEXT;
ALTER TABLE sign_ins ADD COLUMN address TEXT;
-- Any integer will do that no other sign-in of the same person has.
UPDATE sign_ins SET id = ('x' || substr(md5(hash), 1, 12))::bit(48)::bigint + 1,
    created_at = greatest(good_until - 2592000000000, 0);
UPDATE sign_ins SET seen_at = created_at;

-- Who changed what. `before` and `after` are JSON objects of what differs.
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

-- Files that may be named by nothing any more, and up to which message that is known.
CREATE TABLE doubted_files (
    hash TEXT COLLATE "C" NOT NULL,
    app BIGINT NOT NULL,
    looked_up_to BIGINT NOT NULL,
    PRIMARY KEY (hash, app)
);

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (23);

-- What customers think of their conversations, and when they were asked.
ALTER TABLE sessions ADD COLUMN rating BIGINT;
ALTER TABLE sessions ADD COLUMN rated_at BIGINT;
ALTER TABLE sessions ADD COLUMN rating_asked_at BIGINT;

-- Its rows are quarters of an hour (D-0140).
ALTER TABLE analytics_hours RENAME TO analytics_quarters;
ALTER INDEX analytics_hours_pkey RENAME TO analytics_quarters_pkey;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (24);

-- Channels that lead to a messenger's own service (D-0150 to design/channels).

-- What is known of a channel's account there, and what opens it, sealed (D-0086).
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

-- How a channel is, and up to where its service was asked for what happened.
CREATE TABLE channel_states (
    channel BIGINT PRIMARY KEY,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    since BIGINT NOT NULL,
    cursor BIGINT NOT NULL
);

-- By which ids services know customers.
CREATE TABLE customer_identities (
    channel BIGINT NOT NULL,
    external_id TEXT COLLATE "C" NOT NULL,
    kind TEXT NOT NULL,
    customer BIGINT NOT NULL,
    heard_at BIGINT NOT NULL,
    PRIMARY KEY (channel, external_id)
);
CREATE INDEX identities_of_customer ON customer_identities (customer, heard_at);

-- By which names services know messages, in both directions, for ever.
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

-- How far what was said to a customer is: 0 queued, 1 sent, 2 delivered, 3 read, 9 failed.
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

-- What was sent through a channel by a call of the app's own, beside all rooms (D-0155): 1 sent, 2
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

-- Sessions that somebody who works in the app began: since when the customer has said nothing in
-- one (D-0157).
ALTER TABLE sessions ADD COLUMN unheard_since BIGINT;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (27);

-- Where a node keeps uploaded files: nodes that serve together must have the same.
ALTER TABLE nodes ADD COLUMN files_place TEXT;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (28);

-- What is remembered of rooms and people is good while these are the same (D-0165). A room's rises
-- when its messages read differently; that there is a new one, its last message tells.
ALTER TABLE rooms ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- Rises with every change of a profile.
ALTER TABLE users ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- How many commits of a number were of nodes that raise versions; all others are of older ones.
ALTER TABLE nodes ADD COLUMN versioned BIGINT NOT NULL DEFAULT 0;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (29);

-- Events of customers that were given up are counted for the health of their channel.
CREATE INDEX deliveries_given_up ON deliveries (endpoint)
    WHERE standing = 3 AND kind = 'channel_event';

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (30);

-- The index that clients search users by (D-0208): of each of the app's own users, every piece of
-- up to three characters of the name and the user id, as hexadecimal digits behind the app's id.
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
-- Without a list of pending entries, which every search would have to read.
CREATE INDEX user_grams_by_gram ON user_grams USING gin
    (array_to_tsvector(string_to_array(grams, ' '))) WITH (fastupdate = off);

-- Clients list users by their names.
CREATE INDEX users_by_name ON users (app, username, id) WHERE realm = 0;

CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
INSERT INTO schema_version VALUES (31);

-- What a Citus cluster distributes. Everything of a room is on one worker; names of rooms and
-- client-given unique ids lie where their text leads; apps, people and endpoints are on every
-- worker. Deliveries and their attempts lie where their bucket leads; their parts by day are
-- distributed with them, those that are made later too. The tables `nodes`, `buckets`, `senders`,
-- `schema_version`, `search_state`, `secret_keys` and `secrets_in_clear` are small and stay on the coordinator.
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
