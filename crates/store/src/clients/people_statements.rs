//! The statement texts about what clients keep: one for both engines where SQL can say it for both.

use crate::sql::{Statement, statements};

/// The app's own users, oneself (`$3`), and customers with whom one shares a room.
macro_rules! seen_by {
    () => {
        "(u.realm = 0 OR u.id = $3 OR EXISTS (SELECT 1 FROM participants p \
         JOIN participants own ON own.room = p.room AND own.user_key = $3 \
         WHERE p.user_key = u.id))"
    };
}

statements! {
    PUT_DEVICE = "INSERT INTO devices (user_key, token, platform, is_development, created_at) \
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT (user_key, token) DO UPDATE SET \
        platform = excluded.platform, is_development = excluded.is_development, \
        created_at = excluded.created_at";
    // A device is in one hand: who had it before does not hear from it any more.
    TAKE_DEVICE = "DELETE FROM devices WHERE token = $2 AND user_key <> $1 AND EXISTS ( \
        SELECT 1 FROM users own JOIN users other ON other.app = own.app \
        WHERE own.id = $1 AND other.id = devices.user_key)";
    // Those kept are the newest.
    FORGET_DEVICES = "DELETE FROM devices WHERE user_key = $1 AND token NOT IN ( \
        SELECT token FROM devices WHERE user_key = $1 \
        ORDER BY created_at DESC, token LIMIT $2)";
    REMOVE_DEVICES = "DELETE FROM devices WHERE user_key = $1";
    REMOVE_DEVICE = "DELETE FROM devices WHERE user_key = $1 AND token = $2";
    BLOCK = "INSERT INTO blocks (user_key, blocked, created_at) VALUES ($1, $2, $3) \
        ON CONFLICT (user_key, blocked) DO NOTHING";
    UNBLOCK = "DELETE FROM blocks WHERE user_key = $1 AND blocked = $2";
    ADD_FILE = "INSERT INTO files (hash, app, name, media_type, size, uploaded_by, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (hash, app) DO NOTHING";
    COUNT_UPLOAD = "INSERT INTO upload_usage (app, user_key, day, bytes) VALUES ($1, $2, $3, $4) \
        ON CONFLICT (app, user_key, day) DO UPDATE SET bytes = upload_usage.bytes + excluded.bytes";
    FORGET_NONCES = "DELETE FROM nonces WHERE good_until < $1";
    FORGET_UPLOADED = "DELETE FROM upload_usage WHERE day > 0 AND day < $1";
    UPLOADED_BY_APP = "SELECT a.code, u.bytes FROM upload_usage u JOIN apps a ON a.id = u.app \
        WHERE u.user_key = 0 AND u.day = 0";

    DEVICE = "SELECT platform, is_development FROM devices WHERE user_key = $1 AND token = $2";
    HAS_BLOCKED = "SELECT blocked FROM blocks WHERE user_key = $1 AND blocked = $2";
    COUNT_BLOCKED = "SELECT count(*) FROM blocks WHERE user_key = $1";
    BLOCKED_USERS = "SELECT u.id, u.app, u.user_id, u.username, u.avatar_url, u.extras, \
        u.is_active, u.created_at, u.updated_at, u.realm \
        FROM blocks b JOIN users u ON u.id = b.blocked \
        WHERE b.user_key = $1 ORDER BY b.created_at DESC, u.id LIMIT $2 OFFSET $3";
    // Whether the user is in the room with somebody who blocked them.
    IS_BLOCKED_IN = "SELECT p.user_key FROM participants p \
        JOIN blocks b ON b.user_key = p.user_key AND b.blocked = $2 \
        JOIN participants own ON own.room = p.room AND own.user_key = b.blocked \
        WHERE p.room = $1 LIMIT 1";
    FILE = "SELECT hash, app, name, media_type, size, uploaded_by, created_at FROM files \
        WHERE hash = $1 AND app = $2";
    TOKEN_OF_KEY = "SELECT sealed_token FROM users WHERE id = $1";
    PASSWORD_OF_USER = "SELECT password_hash FROM users \
        WHERE app = $1 AND user_id = $2 AND realm = 0";
    NEWEST_OF_USER = "SELECT max(r.last_message) FROM participants p \
        JOIN rooms r ON r.id = p.room WHERE p.user_key = $1";

    // Users as clients find them: the app's own without the System user and those who work in the
    // app (D-0044). What is looked for stands in the name or the user id.
    FIND_USERS = "SELECT u.id, u.app, u.user_id, u.username, u.avatar_url, u.extras, \
        u.is_active, u.created_at, u.updated_at, u.realm FROM users u \
        WHERE u.app = $1 AND u.realm = 0 AND u.is_active = 1 AND u.id <> $2 \
        AND u.user_id NOT LIKE '%@dashboard' \
        AND (lower(u.username) LIKE $3 ESCAPE '!' OR lower(u.user_id) LIKE $3 ESCAPE '!') \
        ORDER BY u.username, u.id LIMIT $4 OFFSET $5";
    COUNT_FOUND_USERS = "SELECT count(*) FROM (SELECT 1 FROM users u \
        WHERE u.app = $1 AND u.realm = 0 AND u.is_active = 1 AND u.id <> $2 \
        AND u.user_id NOT LIKE '%@dashboard' \
        AND (lower(u.username) LIKE $3 ESCAPE '!' OR lower(u.user_id) LIKE $3 ESCAPE '!') \
        LIMIT $4) found";
}

// Several users by their ids: SQLite takes a list as JSON, PostgreSQL as lines. User ids hold
// neither quotes nor line breaks.
statements! {
    // Users come as one text: a list is no value that both engines know.
    SQLITE_KEYS_OF_USERS = concat!("SELECT u.id, u.user_id, u.realm FROM users u \
        WHERE u.app = $1 AND u.user_id IN (SELECT value FROM json_each($2)) AND ", seen_by!());
    POSTGRES_KEYS_OF_USERS = concat!("SELECT u.id, u.user_id, u.realm FROM users u \
        WHERE u.app = $1 AND u.user_id = ANY (string_to_array($2, chr(10))) AND ", seen_by!());
}

// Those who work in the app and its customers, as far as they share no room with a user (D-0071).
macro_rules! hidden_users {
    ($users:literal) => {
        concat!(
            "SELECT u.id FROM users u WHERE u.app = $1 AND ",
            $users,
            " AND u.id <> $3 AND (u.user_id LIKE '%@dashboard' OR EXISTS (SELECT 1 \
            FROM channels ch JOIN customer_rooms c ON c.channel = ch.id \
            WHERE ch.app = $1 AND c.customer = u.id)) AND NOT EXISTS (SELECT 1 \
            FROM participants own JOIN participants other ON other.room = own.room \
            WHERE own.user_key = $3 AND other.user_key = u.id)"
        )
    };
}

statements! {
    SQLITE_HIDDEN_USERS = hidden_users!("u.id IN (SELECT value FROM json_each('[' || $2 || ']'))");
    POSTGRES_HIDDEN_USERS = hidden_users!("u.id = ANY (string_to_array($2, ',')::bigint[])");
}

/// Everything that a writer sends without waiting for an answer.
pub(crate) static WRITTEN: [&Statement; 11] = [
    &TAKE_DEVICE,
    &PUT_DEVICE,
    &FORGET_DEVICES,
    &REMOVE_DEVICES,
    &REMOVE_DEVICE,
    &BLOCK,
    &UNBLOCK,
    &ADD_FILE,
    &COUNT_UPLOAD,
    &FORGET_NONCES,
    &FORGET_UPLOADED,
];
