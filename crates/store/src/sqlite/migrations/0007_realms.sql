-- Adds the realms of users (D-0065): 0 for the app's own users, the channel's id for customers of a
-- channel. A user id is unique within its realm only; the unique key ends with the realm, so that
-- one lookup finds the users of all realms with the same user id.
CREATE TABLE users_of_realms (
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
    realm INTEGER NOT NULL DEFAULT 0,
    UNIQUE (app, user_id, realm)
) STRICT;
INSERT INTO users_of_realms (id, app, user_id, username, avatar_url, extras, is_active, created_at,
    updated_at, token, password_hash)
SELECT id, app, user_id, username, avatar_url, extras, is_active, created_at, updated_at, token,
    password_hash FROM users;
DROP TABLE users;
ALTER TABLE users_of_realms RENAME TO users;

-- Customers were the app's own users before. A customer without a password who came through one
-- channel, and participates only in rooms where they are the customer, moves into that channel's
-- realm. Any other customer may also be one of the app's own users: that user stays in realm 0, and
-- the customer becomes a new user, as which no client has ever connected.
CREATE TEMP TABLE realm_moves (
    old INTEGER NOT NULL,
    channel INTEGER NOT NULL,
    new INTEGER NOT NULL,
    PRIMARY KEY (old, channel)
);
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
UPDATE users SET token = lower(hex(randomblob(32)))
WHERE realm IN (SELECT id FROM channels WHERE kind = 'custom');

INSERT INTO users (id, app, user_id, username, avatar_url, extras, is_active, created_at,
    updated_at, token, password_hash, realm)
SELECT m.new, u.app, u.user_id, u.username, u.avatar_url, u.extras, u.is_active, u.created_at,
    u.updated_at, lower(hex(randomblob(32))), NULL, m.channel
FROM realm_moves m JOIN users u ON u.id = m.old WHERE m.new <> m.old;

INSERT INTO customer_properties (customer, label, id, value)
SELECT m.new, p.label, p.id, p.value
FROM realm_moves m JOIN customer_properties p ON p.customer = m.old WHERE m.new <> m.old;
DELETE FROM customer_properties
WHERE customer IN (SELECT old FROM realm_moves WHERE new <> old);

CREATE TEMP TABLE realm_rooms (
    room INTEGER PRIMARY KEY,
    old INTEGER NOT NULL,
    new INTEGER NOT NULL
);
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

DROP TABLE realm_moves;
DROP TABLE realm_rooms;
