//! The statement texts of the omnichannel half: one for both engines.

use crate::sql::{Statement, statements};

/// A dashboard user with the user that speaks for them.
macro_rules! worker {
    () => {
        "d.id, d.app, d.email, d.name, d.role, d.created_at, d.avatar_url, d.is_forced_offline, \
         d.is_available, d.is_verified, d.last_login_at, u.user_id, u.sealed_token, d.updated_at, \
         d.serves_max, d.away_since, d.deleted_at"
    };
}

/// A customer's room with its newest session.
macro_rules! customer_room {
    () => {
        "c.room, c.app, c.channel, c.customer, c.waits_since, c.is_handled_by_bot, c.extras, \
         c.badge_url, c.created_at, c.updated_at, s.id, s.served_by, s.taken_at, s.notes, \
         s.first_message, s.first_message_at, s.last_message, s.created_at, s.updated_at, \
         s.resolved_at"
    };
}

macro_rules! channel {
    () => {
        "ch.id, ch.app, ch.kind, ch.name, ch.is_active, ch.identifier_key, ch.webhook_url, \
         ch.logo_url, ch.created_at, ch.updated_at, ch.deleted_at"
    };
}

macro_rules! user {
    () => {
        "u.id, u.app, u.user_id, u.username, u.avatar_url, u.extras, u.is_active, u.created_at, \
         u.updated_at, u.realm"
    };
}

/// A customer's room as lists show it.
macro_rules! listed_room {
    () => {
        concat!(customer_room!(), ", r.name, r.avatar_url, u.user_id, u.username")
    };
}

/// Customers' rooms of one kind, the one that last changed first, after the one given by when it
/// changed (`$2`) and which it is (`$3`); at most `$4`. They are chosen before anything is joined.
macro_rules! listed_rooms {
    ($from:literal, $which:literal) => {
        listed_rooms!($from, $which, "<", "c.updated_at DESC, c.room DESC")
    };
    ($from:literal, $which:literal, $beyond:literal, $order:literal) => {
        concat!(
            "SELECT ",
            listed_room!(),
            " FROM (SELECT c.* FROM ",
            $from,
            " WHERE ",
            $which,
            " AND (c.updated_at, c.room) ",
            $beyond,
            " ($2, $3) ORDER BY ",
            $order,
            " LIMIT $4) c \
             JOIN rooms r ON r.id = c.room JOIN users u ON u.id = c.customer \
             LEFT JOIN sessions s ON s.room = c.room AND s.id = c.session \
             ORDER BY ",
            $order
        )
    };
}

/// The same the other way round: those before the one given, the nearest first.
macro_rules! earlier_rooms {
    ($from:literal, $which:literal) => {
        listed_rooms!($from, $which, ">", "c.updated_at, c.room")
    };
}

/// How many there are after the one given; at most `$4` are counted.
macro_rules! counted_rooms {
    ($from:literal, $which:literal) => {
        concat!(
            "SELECT count(*) FROM (SELECT c.room FROM ",
            $from,
            " WHERE ",
            $which,
            " AND (c.updated_at, c.room) < ($2, $3) LIMIT $4) c"
        )
    };
}

macro_rules! all_rooms {
    ($way:ident) => {
        $way!("customer_rooms c", "c.app = $1")
    };
}

macro_rules! rooms_by_end {
    ($way:ident) => {
        $way!("customer_rooms c", "c.app = $1 AND c.is_resolved = $5")
    };
}

macro_rules! unserved_rooms {
    ($way:ident) => {
        $way!("customer_rooms c", "c.app = $1 AND c.waits_since IS NOT NULL")
    };
}

macro_rules! served_rooms {
    ($way:ident) => {
        $way!(
            "customer_rooms c",
            "c.app = $1 AND c.is_resolved = 0 \
             AND c.waits_since IS NULL AND c.session IS NOT NULL"
        )
    };
}

// `+ 0`: these begin with the agent or the tag, of which there are few, not with the app.
macro_rules! rooms_served_by {
    ($way:ident) => {
        $way!(
            "room_agents a JOIN customer_rooms c ON c.room = a.room",
            "c.app + 0 = $1 AND a.agent = $5"
        )
    };
}

macro_rules! tagged_rooms {
    ($way:ident) => {
        $way!(
            "room_tags t JOIN customer_rooms c ON c.room = t.room",
            "c.app + 0 = $1 AND t.name = $5"
        )
    };
}

// What rules decide upon.
statements! {
    SERVICE = concat!("SELECT ", customer_room!(), " FROM customer_rooms c \
        LEFT JOIN sessions s ON s.room = c.room AND s.id = c.session \
        WHERE c.room = $1 AND c.app = $2");
    CHANNEL_OF_ROOM = concat!("SELECT ", channel!(), " FROM customer_rooms c \
        JOIN channels ch ON ch.id = c.channel WHERE c.room = $1 AND c.app = $2");
    CUSTOMER_OF_ROOM = concat!("SELECT ", user!(), " FROM customer_rooms c \
        JOIN users u ON u.id = c.customer WHERE c.room = $1 AND c.app = $2");
    AGENTS_OF_ROOM = concat!("SELECT ", worker!(), " FROM room_agents r \
        JOIN dashboard_users d ON d.id = r.agent JOIN users u ON u.id = d.id \
        WHERE r.room = $1 AND d.app = $2 ORDER BY r.joined_at, d.id");
    LAST_SERVED = "SELECT id, app, room, served_by, taken_at, notes, first_message, \
        first_message_at, last_message, created_at, updated_at, resolved_at FROM sessions \
        WHERE room = $1 AND served_by IS NOT NULL ORDER BY id DESC LIMIT 1";
    NAMES_IN_ROOM = "SELECT u.user_id FROM participants p JOIN users u ON u.id = p.user_key \
        WHERE p.room = $1 ORDER BY p.user_key LIMIT $2";
    PEOPLE_IN_ROOM = concat!("SELECT ", user!(), " FROM participants p \
        JOIN users u ON u.id = p.user_key WHERE p.room = $1 ORDER BY p.user_key LIMIT $2");
    CHANNELS = concat!("SELECT ", channel!(), " FROM channels ch \
        WHERE ch.app = $1 AND ch.deleted_at IS NULL ORDER BY ch.id");
    INFOS = "SELECT label, value FROM room_infos WHERE room = $1 ORDER BY label";
    TAGS_OF_ROOM = "SELECT tag, name FROM room_tags WHERE room = $1 ORDER BY tag";
    PROPERTIES = "SELECT p.id, p.label, p.value FROM customer_properties p \
        JOIN customer_rooms c ON c.customer = p.customer WHERE c.room = $1 ORDER BY p.id";
    SETTINGS = "SELECT name, value FROM settings WHERE app = $1";
    CANDIDATES = concat!("SELECT ", worker!(), ", \
        (SELECT count(*) FROM room_agents r WHERE r.agent = d.id) \
        FROM dashboard_users d JOIN users u ON u.id = d.id \
        WHERE d.app = $1 AND d.role = 2 AND d.is_available = 1 AND d.is_forced_offline = 0 \
        AND d.deleted_at IS NULL ORDER BY d.id LIMIT $2");
    ALL_AGENTS = concat!("SELECT ", worker!(), ", \
        (SELECT count(*) FROM room_agents r WHERE r.agent = d.id) \
        FROM dashboard_users d JOIN users u ON u.id = d.id \
        WHERE d.app = $1 AND d.role = 2 AND d.deleted_at IS NULL ORDER BY d.id LIMIT $2");
    SPEAKERS_OF_CANDIDATES = concat!("SELECT ", user!(), " FROM dashboard_users d \
        JOIN users u ON u.id = d.id \
        WHERE d.app = $1 AND d.role = 2 AND d.is_available = 1 AND d.is_forced_offline = 0 \
        AND d.deleted_at IS NULL ORDER BY d.id LIMIT $2");
    SPEAKERS_OF_ALL_AGENTS = concat!("SELECT ", user!(), " FROM dashboard_users d \
        JOIN users u ON u.id = d.id \
        WHERE d.app = $1 AND d.role = 2 AND d.deleted_at IS NULL ORDER BY d.id LIMIT $2");
    WORKER = concat!("SELECT ", worker!(), ", \
        (SELECT count(*) FROM room_agents r WHERE r.agent = d.id) \
        FROM dashboard_users d JOIN users u ON u.id = d.id \
        WHERE d.id = $1 AND d.app = $2 AND d.deleted_at IS NULL");
    ACCOUNT = concat!("SELECT ", worker!(), ", d.password_hash \
        FROM dashboard_users d JOIN users u ON u.id = d.id \
        WHERE d.id = $1 AND d.app = $2 AND d.deleted_at IS NULL");
    RIGHT = "SELECT d.role, s.good_until FROM sign_ins s \
        JOIN dashboard_users d ON d.id = s.dashboard_user \
        WHERE s.hash = $1 AND d.id = $2 AND d.app = $3 AND d.deleted_at IS NULL";
    COUNT_ADMINS = "SELECT count(*) FROM dashboard_users \
        WHERE app = $1 AND role = 1 AND deleted_at IS NULL";
    SIGN_INS = "SELECT hash, good_until FROM sign_ins WHERE dashboard_user = $1";
    CHANNELS_OF_AGENT = "SELECT channel FROM agent_channels WHERE agent = $1 ORDER BY channel";
    EMAIL_OF = "SELECT id FROM dashboard_users WHERE email = $1";
    COUNT_WORKERS = "SELECT count(*) FROM dashboard_users \
        WHERE app = $1 AND deleted_at IS NULL";
    AGENT_CHANNELS = "SELECT a.agent, a.channel FROM agent_channels a \
        JOIN dashboard_users d ON d.id = a.agent WHERE d.app = $1 ORDER BY a.agent, a.channel";
    SPEAKERS_OF_ROOM = concat!("SELECT ", user!(), " FROM room_agents r \
        JOIN users u ON u.id = r.agent WHERE r.room = $1");
    SPEAKER = concat!("SELECT ", user!(), " FROM users u WHERE u.id = $1 AND u.app = $2");
    CHANNEL = concat!("SELECT ", channel!(), " FROM channels ch \
        WHERE ch.id = $1 AND ch.app = $2 AND ch.deleted_at IS NULL");
    ROOM_OF_CUSTOMER = concat!("SELECT ", customer_room!(), " FROM customer_rooms c \
        JOIN users u ON u.id = c.customer \
        LEFT JOIN sessions s ON s.room = c.room AND s.id = c.session \
        WHERE c.channel = $1 AND u.app = $2 AND u.user_id = $3 AND u.realm = $1 \
        ORDER BY c.room DESC LIMIT 1");
    HAS_FILE = "SELECT size FROM files WHERE hash = $1 AND app = $2";
    // Of an app in all, its user and its day are 0 (D-0079).
    UPLOADED = "SELECT bytes FROM upload_usage WHERE app = $1 AND user_key = $2 AND day = $3";
    VISITOR_SECRET = "SELECT hash FROM visitor_secrets WHERE channel = $1 AND user_id = $2";
    NONCE = "SELECT good_until FROM nonces WHERE app = $1 AND nonce = $2";
    CONTACT = "SELECT c.customer FROM channels ch JOIN customer_rooms c ON c.channel = ch.id \
        WHERE ch.app = $1 AND c.customer = $2 LIMIT 1";
    PROPERTIES_OF = "SELECT id, label, value FROM customer_properties \
        WHERE customer = $1 ORDER BY id";
}

// What rules write.
statements! {
    PUT_CUSTOMER_ROOM = "INSERT INTO customer_rooms (room, app, channel, customer, session, \
        is_resolved, waits_since, is_handled_by_bot, extras, badge_url, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
        ON CONFLICT (room) DO UPDATE SET session = excluded.session, \
        is_resolved = excluded.is_resolved, waits_since = excluded.waits_since, \
        is_handled_by_bot = excluded.is_handled_by_bot, extras = excluded.extras, \
        badge_url = excluded.badge_url, updated_at = excluded.updated_at";
    PUT_SESSION = "INSERT INTO sessions (room, id, app, served_by, taken_at, notes, \
        first_message, first_message_at, last_message, created_at, updated_at, resolved_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
        ON CONFLICT (room, id) DO UPDATE SET served_by = excluded.served_by, \
        taken_at = excluded.taken_at, notes = excluded.notes, \
        last_message = excluded.last_message, updated_at = excluded.updated_at, \
        resolved_at = excluded.resolved_at";
    ADD_AGENT = "INSERT INTO room_agents (room, agent, joined_at) VALUES ($1, $2, $3) \
        ON CONFLICT (room, agent) DO NOTHING";
    REMOVE_AGENT = "DELETE FROM room_agents WHERE room = $1 AND agent = $2";
    PUT_WORKER = "INSERT INTO dashboard_users (id, app, email, name, role, password_hash, \
        created_at, updated_at, avatar_url, is_available, is_forced_offline, is_verified, \
        last_login_at, serves_max, away_since, deleted_at) \
        VALUES ($1, $2, $3, $4, $5, '', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
        ON CONFLICT (id) DO UPDATE SET email = excluded.email, name = excluded.name, \
        role = excluded.role, updated_at = excluded.updated_at, \
        avatar_url = excluded.avatar_url, is_available = excluded.is_available, \
        is_forced_offline = excluded.is_forced_offline, is_verified = excluded.is_verified, \
        last_login_at = excluded.last_login_at, serves_max = excluded.serves_max, \
        away_since = excluded.away_since, deleted_at = excluded.deleted_at";
    CLEAR_AGENT_CHANNELS = "DELETE FROM agent_channels WHERE agent = $1";
    ADD_AGENT_CHANNEL = "INSERT INTO agent_channels (agent, channel) VALUES ($1, $2) \
        ON CONFLICT (agent, channel) DO NOTHING";
    SET_PASSWORD = "UPDATE dashboard_users SET password_hash = $2 WHERE id = $1";
    ADD_SIGN_IN = "INSERT INTO sign_ins (hash, dashboard_user, good_until) VALUES ($1, $2, $3)";
    END_SIGN_IN = "DELETE FROM sign_ins WHERE hash = $1";
    END_SIGN_INS = "DELETE FROM sign_ins WHERE dashboard_user = $1";
    PUT_CHANNEL = "INSERT INTO channels (id, app, kind, name, is_active, identifier_key, \
        webhook_url, logo_url, created_at, updated_at, deleted_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, is_active = excluded.is_active, \
        identifier_key = excluded.identifier_key, webhook_url = excluded.webhook_url, \
        logo_url = excluded.logo_url, updated_at = excluded.updated_at, \
        deleted_at = excluded.deleted_at";
    PUT_SETTING = "INSERT INTO settings (app, name, value) VALUES ($1, $2, $3) \
        ON CONFLICT (app, name) DO UPDATE SET value = excluded.value";
    REMOVE_SETTING = "DELETE FROM settings WHERE app = $1 AND name = $2";
    PUT_TAG = "INSERT INTO tags (id, app, name) VALUES ($1, $2, $3) \
        ON CONFLICT (app, name) DO NOTHING";
    ADD_TAG = "INSERT INTO room_tags (room, tag, name) \
        SELECT $1, t.id, t.name FROM tags t WHERE t.app = $2 AND t.name = $3 \
        ON CONFLICT (room, tag) DO NOTHING";
    REMOVE_TAG = "DELETE FROM room_tags WHERE room = $1 AND tag = $2";
    PUT_BUTTON = "INSERT INTO custom_buttons (app, id, label) VALUES ($1, $2, $3) \
        ON CONFLICT (app, id) DO UPDATE SET label = excluded.label";
    REMOVE_BUTTON = "DELETE FROM custom_buttons WHERE app = $1 AND id = $2";
    PUT_INFO = "INSERT INTO room_infos (room, label, value) VALUES ($1, $2, $3) \
        ON CONFLICT (room, label) DO UPDATE SET value = excluded.value";
    PUT_PROPERTY = "INSERT INTO customer_properties (customer, id, label, value) \
        VALUES ($1, $2, $3, $4) \
        ON CONFLICT (customer, label) DO UPDATE SET value = excluded.value";
    PUT_VISITOR_SECRET = "INSERT INTO visitor_secrets (channel, user_id, hash) \
        VALUES ($1, $2, $3) ON CONFLICT (channel, user_id) DO UPDATE SET hash = excluded.hash";
    ADD_NONCE = "INSERT INTO nonces (app, nonce, good_until) VALUES ($1, $2, $3)";
    USE_NONCE = "DELETE FROM nonces WHERE app = $1 AND nonce = $2";
}

// What handlers read.
statements! {
    WORKER_BY_EMAIL = concat!("SELECT ", worker!(), ", d.password_hash \
        FROM dashboard_users d JOIN users u ON u.id = d.id \
        WHERE d.email = $1 AND d.deleted_at IS NULL");
    SIGNED_IN = concat!("SELECT ", worker!(), " FROM sign_ins s \
        JOIN dashboard_users d ON d.id = s.dashboard_user JOIN users u ON u.id = d.id \
        WHERE s.hash = $1 AND s.good_until > $2 AND d.deleted_at IS NULL");
    WORKERS = concat!("SELECT ", worker!(), ", \
        (SELECT count(*) FROM room_agents r WHERE r.agent = d.id) \
        FROM dashboard_users d JOIN users u ON u.id = d.id \
        WHERE d.app = $1 AND d.deleted_at IS NULL ORDER BY d.id LIMIT $2");
    CUSTOMER_ROOMS = all_rooms!(listed_rooms);
    EARLIER_ROOMS = all_rooms!(earlier_rooms);
    COUNT_ROOMS = all_rooms!(counted_rooms);
    ROOMS_BY_END = rooms_by_end!(listed_rooms);
    EARLIER_ROOMS_BY_END = rooms_by_end!(earlier_rooms);
    COUNT_ROOMS_BY_END = rooms_by_end!(counted_rooms);
    UNSERVED_ROOMS = unserved_rooms!(listed_rooms);
    EARLIER_UNSERVED_ROOMS = unserved_rooms!(earlier_rooms);
    COUNT_UNSERVED_ROOMS = unserved_rooms!(counted_rooms);
    SERVED_ROOMS = served_rooms!(listed_rooms);
    EARLIER_SERVED_ROOMS = served_rooms!(earlier_rooms);
    COUNT_SERVED_ROOMS = served_rooms!(counted_rooms);
    ROOMS_SERVED_BY = rooms_served_by!(listed_rooms);
    EARLIER_ROOMS_SERVED_BY = rooms_served_by!(earlier_rooms);
    COUNT_ROOMS_SERVED_BY = rooms_served_by!(counted_rooms);
    TAGGED_ROOMS = tagged_rooms!(listed_rooms);
    EARLIER_TAGGED_ROOMS = tagged_rooms!(earlier_rooms);
    COUNT_TAGGED_ROOMS = tagged_rooms!(counted_rooms);
    LISTED_ROOM = concat!("SELECT ", listed_room!(), " FROM customer_rooms c \
        JOIN rooms r ON r.id = c.room JOIN users u ON u.id = c.customer \
        LEFT JOIN sessions s ON s.room = c.room AND s.id = c.session \
        WHERE c.room = $1 AND c.app = $2");
    QUEUE = "SELECT waits_since, room, channel FROM customer_rooms WHERE app = $1 \
        AND waits_since IS NOT NULL AND (is_handled_by_bot = 0 OR NOT EXISTS (SELECT 1 \
        FROM endpoints e WHERE e.app = $1 AND e.kind = $5 AND e.is_enabled = 1)) \
        AND (waits_since, room) > ($2, $3) ORDER BY waits_since, room LIMIT $4";
    WAITING_COUNT = "SELECT count(*) FROM customer_rooms \
        WHERE app = $1 AND waits_since IS NOT NULL";
    NEEDS_NOBODY = "SELECT room FROM customer_rooms WHERE room = $1 AND waits_since IS NULL";
    APPS_THAT_ALLOCATE = "SELECT app FROM settings WHERE name = $1 AND value = 'true'";
    AGENTS_IN_ROOM = concat!("SELECT ", worker!(), " FROM room_agents r \
        JOIN dashboard_users d ON d.id = r.agent JOIN users u ON u.id = d.id \
        WHERE r.room = $1 ORDER BY r.joined_at, d.id");
    BUTTONS = "SELECT b.id, b.label, e.url, e.is_enabled FROM custom_buttons b \
        JOIN endpoints e ON e.id = b.id WHERE b.app = $1 ORDER BY b.id LIMIT $2";
    AWAY_AGENTS = "SELECT DISTINCT d.id FROM dashboard_users d \
        JOIN room_agents r ON r.agent = d.id \
        WHERE d.app = $1 AND d.away_since IS NOT NULL AND d.away_since <= $2 LIMIT $3";
    DELETED_AGENTS = "SELECT DISTINCT d.app, d.id FROM dashboard_users d \
        JOIN room_agents r ON r.agent = d.id WHERE d.deleted_at IS NOT NULL LIMIT $1";
    LAPSED_WORKERS = "SELECT d.app, d.id FROM dashboard_users d WHERE d.deleted_at IS NULL \
        AND (d.is_available = 1 OR EXISTS (SELECT 1 FROM sign_ins o \
        WHERE o.dashboard_user = d.id)) AND NOT EXISTS (SELECT 1 FROM sign_ins s \
        WHERE s.dashboard_user = d.id AND s.good_until > $1) LIMIT $2";
    ROOMS_OF_AGENT = "SELECT room FROM room_agents WHERE agent = $1 ORDER BY room LIMIT $2";
    ALL_TAGS = "SELECT id, name FROM tags WHERE app = $1 ORDER BY name LIMIT $2";
}

/// Those that PostgreSQL's writer sends without waiting for an answer, and must prepare before.
pub(crate) static WRITTEN: [&Statement; 60] = [
    &SERVICE,
    &CHANNEL_OF_ROOM,
    &CUSTOMER_OF_ROOM,
    &AGENTS_OF_ROOM,
    &LAST_SERVED,
    &NAMES_IN_ROOM,
    &PEOPLE_IN_ROOM,
    &CHANNELS,
    &INFOS,
    &TAGS_OF_ROOM,
    &PROPERTIES,
    &SETTINGS,
    &CANDIDATES,
    &WORKER,
    &ACCOUNT,
    &SIGN_INS,
    &RIGHT,
    &COUNT_ADMINS,
    &CHANNELS_OF_AGENT,
    &EMAIL_OF,
    &COUNT_WORKERS,
    &AGENT_CHANNELS,
    &SPEAKERS_OF_ROOM,
    &SPEAKER,
    &CHANNEL,
    &ROOM_OF_CUSTOMER,
    &HAS_FILE,
    &UPLOADED,
    &VISITOR_SECRET,
    &NONCE,
    &CONTACT,
    &PROPERTIES_OF,
    &PUT_CUSTOMER_ROOM,
    &PUT_SESSION,
    &ADD_AGENT,
    &REMOVE_AGENT,
    &PUT_WORKER,
    &CLEAR_AGENT_CHANNELS,
    &ADD_AGENT_CHANNEL,
    &SET_PASSWORD,
    &ADD_SIGN_IN,
    &END_SIGN_IN,
    &END_SIGN_INS,
    &PUT_CHANNEL,
    &PUT_SETTING,
    &REMOVE_SETTING,
    &PUT_TAG,
    &ADD_TAG,
    &REMOVE_TAG,
    &PUT_INFO,
    &PUT_PROPERTY,
    &PUT_VISITOR_SECRET,
    &ADD_NONCE,
    &USE_NONCE,
    &PUT_BUTTON,
    &REMOVE_BUTTON,
    &ALL_AGENTS,
    &SPEAKERS_OF_CANDIDATES,
    &SPEAKERS_OF_ALL_AGENTS,
    &crate::statements::POSTGRES_LOCK_LANES,
];
