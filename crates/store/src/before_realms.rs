//! Test data: users as stored before realms existed, and the expected result of the migration
//! (D-0065).

/// Version of the last schema without realms.
pub(crate) const VERSION: usize = 6;

/// Rows as stored by that schema version. Channels 50 and 51 are gateways, 52 is the widget. `pure`
/// and `visitor` came through one channel and have no other role; `taken` was registered with a
/// password; `both` came through two channels; `member` is also in another room. Agent 15 serves
/// room 100 but is not a participant.
pub(crate) const ROWS: &str = "
    INSERT INTO apps (id, code, name, sdk_secret, secret_key, \"system_user\", created_at)
    VALUES (1, 'shop', 'Shop', 'sdk', 'key', 2, 3);
    INSERT INTO channels (id, app, kind, name, is_active, identifier_key, created_at, updated_at)
    VALUES (50, 1, 'custom', 'SMS', 1, 'a', 0, 0), (51, 1, 'custom', 'Mail', 1, 'b', 0, 0),
    (52, 1, 'widget', 'Widget', 1, 'c', 0, 0);
    INSERT INTO users (id, app, user_id, username, avatar_url, is_active, created_at, updated_at,
    token, password_hash) VALUES
    (10, 1, 'pure', '', '', 1, 0, 0, 'known-10', NULL),
    (11, 1, 'visitor', '', '', 1, 0, 0, 'known-11', NULL),
    (12, 1, 'taken', '', '', 1, 0, 0, 'known-12', 'hash'),
    (13, 1, 'both', '', '', 1, 0, 0, 'known-13', NULL),
    (14, 1, 'member', '', '', 1, 0, 0, 'known-14', NULL),
    (15, 1, 'agent', '', '', 1, 0, 0, 'known-15', NULL),
    (16, 1, 'other', '', '', 1, 0, 0, 'known-16', 'hash');
    INSERT INTO rooms (id, app, unique_id, kind, name, avatar_url, options, created_at, updated_at,
    customer) VALUES (100, 1, 'a', 'group', '', '', '', 0, 0, 10),
    (101, 1, 'b', 'group', '', '', '', 0, 0, 11), (102, 1, 'c', 'group', '', '', '', 0, 0, 12),
    (103, 1, 'd', 'group', '', '', '', 0, 0, 13), (104, 1, 'e', 'group', '', '', '', 0, 0, 13),
    (105, 1, 'f', 'group', '', '', '', 0, 0, 14), (106, 1, 'g', 'group', '', '', '', 0, 0, NULL);
    INSERT INTO participants (room, user_key, read_number, joined_at) VALUES (100, 10, 0, 0),
    (101, 11, 0, 0), (102, 12, 0, 0), (103, 13, 0, 0), (104, 13, 0, 0), (105, 14, 0, 0),
    (106, 14, 0, 0), (106, 16, 0, 0);
    INSERT INTO customer_rooms (room, app, channel, customer, is_resolved, is_handled_by_bot,
    created_at, updated_at) VALUES (100, 1, 50, 10, 0, 0, 0, 0), (101, 1, 52, 11, 0, 0, 0, 0),
    (102, 1, 50, 12, 0, 0, 0, 0), (103, 1, 50, 13, 0, 0, 0, 0), (104, 1, 51, 13, 0, 0, 0, 0),
    (105, 1, 50, 14, 0, 0, 0, 0);
    INSERT INTO messages (id, room, number, sender, kind, text, posted_at, is_deleted) VALUES
    (1000, 100, 1, 10, 'text', '', 0, 0), (1002, 102, 1, 12, 'text', '', 0, 0),
    (1006, 106, 1, 14, 'text', '', 0, 0), (1005, 105, 1, 14, 'text', '', 0, 0);
    INSERT INTO customer_properties (customer, label, id, value) VALUES (12, 'city', 5, 'Bandung');
    INSERT INTO room_agents (room, agent, joined_at) VALUES (100, 15, 0);";

/// Queries that run after the migration, each with the lines that it must return, in order.
pub(crate) const FOUND: &[(&str, &str)] = &[
    (
        "SELECT user_id || ' ' || realm || CASE WHEN token_hash LIKE 'known%' THEN ' known' \
         ELSE ' new' END || CASE WHEN password_hash IS NULL THEN '' ELSE ' password' END \
         FROM users ORDER BY user_id, realm",
        "agent 0 known\nboth 0 known\nboth 50 new\nboth 51 new\nmember 0 known\nmember 50 new\n\
         other 0 known password\npure 50 new\ntaken 0 known password\ntaken 50 new\n\
         visitor 52 known",
    ),
    (
        "SELECT p.room || ' ' || u.user_id || ' ' || u.realm FROM participants p \
         JOIN users u ON u.id = p.user_key ORDER BY p.room, u.user_id",
        "100 agent 0\n100 pure 50\n101 visitor 52\n102 taken 50\n103 both 50\n104 both 51\n\
         105 member 50\n106 member 0\n106 other 0",
    ),
    (
        "SELECT m.room || ' ' || u.user_id || ' ' || u.realm FROM messages m \
         JOIN users u ON u.id = m.sender ORDER BY m.room",
        "100 pure 50\n102 taken 50\n105 member 50\n106 member 0",
    ),
    (
        "SELECT c.room || ' ' || u.realm FROM customer_rooms c JOIN rooms r ON r.id = c.room \
         JOIN users u ON u.id = c.customer AND u.id = r.customer AND u.realm = c.channel \
         ORDER BY c.room",
        "100 50\n101 52\n102 50\n103 50\n104 51\n105 50",
    ),
    (
        "SELECT u.user_id || ' ' || u.realm || ' ' || p.value FROM customer_properties p \
         JOIN users u ON u.id = p.customer",
        "taken 50 Bandung",
    ),
];
