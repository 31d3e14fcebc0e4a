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
