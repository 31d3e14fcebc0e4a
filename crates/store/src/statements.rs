//! The statement texts, written once for every engine (D-0015).
//!
//! Parameters are `$1 … $n`. SQLite would number `$n` by first appearance, so its text has `?n`.

use std::sync::OnceLock;

/// One statement.
pub(crate) struct Sql {
    text: &'static str,
    for_sqlite: OnceLock<String>,
}

impl Sql {
    const fn new(text: &'static str) -> Self {
        Self { text, for_sqlite: OnceLock::new() }
    }

    /// The text for SQLite.
    pub(crate) fn sqlite(&self) -> &str {
        self.for_sqlite.get_or_init(|| numbered(self.text))
    }
}

/// Turns `$1` into `?1`. No statement here has a dollar sign in a string.
pub(crate) fn numbered(text: &str) -> String {
    text.replace('$', "?")
}

macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $text:expr;)*) => {
        $($(#[$doc])* pub(crate) static $name: Sql = Sql::new($text);)*
    };
}

statements! {
    APP_BY_CODE = "SELECT id, code, name, sdk_secret, secret_key, system_user, created_at \
        FROM apps WHERE code = $1";
    APPS = "SELECT id, code, name, sdk_secret, secret_key, system_user, created_at \
        FROM apps ORDER BY created_at, id";
    INSERT_APP = "INSERT INTO apps \
        (id, code, name, sdk_secret, secret_key, system_user, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    SET_APP_KEYS = "UPDATE apps SET sdk_secret = $2, secret_key = $3 WHERE code = $1";

    DASHBOARD_USERS = "SELECT id, app, email, name, role, created_at \
        FROM dashboard_users ORDER BY email";
    INSERT_DASHBOARD_USER = "INSERT INTO dashboard_users \
        (id, app, email, name, role, password_hash, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7)";
    SET_DASHBOARD_PASSWORD = "UPDATE dashboard_users SET password_hash = $2, updated_at = $3 \
        WHERE email = $1";

    USER_BY_ID = "SELECT id, app, user_id, username, avatar_url, extras, is_active, \
        created_at, updated_at FROM users WHERE app = $1 AND user_id = $2";
    USER_BY_KEY = "SELECT id, app, user_id, username, avatar_url, extras, is_active, \
        created_at, updated_at FROM users WHERE id = $1";
    TOKEN_OF_USER = "SELECT token FROM users WHERE app = $1 AND user_id = $2";
    COUNT_USERS = "SELECT count(*) FROM users WHERE app = $1 AND is_active >= $2";
    INSERT_USER = "INSERT INTO users \
        (id, app, user_id, username, avatar_url, extras, is_active, created_at, updated_at, \
        token, password_hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    UPDATE_USER = "UPDATE users SET username = $2, avatar_url = $3, extras = $4, is_active = $5, \
        updated_at = $6, password_hash = coalesce($7, password_hash) WHERE id = $1";
    SET_TOKEN = "UPDATE users SET token = $2 WHERE id = $1";

    ROOM_BY_ID = "SELECT id, app, unique_id, kind, name, avatar_url, options, created_at, \
        updated_at FROM rooms WHERE id = $1 AND app = $2";
    ROOM_BY_UNIQUE_ID = "SELECT id, app, unique_id, kind, name, avatar_url, options, created_at, \
        updated_at FROM rooms WHERE unique_id = $1 AND app = $2";
    INSERT_ROOM = "INSERT INTO rooms \
        (id, app, unique_id, kind, name, avatar_url, options, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    UPDATE_ROOM = "UPDATE rooms SET name = $2, avatar_url = $3, options = $4, updated_at = $5 \
        WHERE id = $1";

    IS_PARTICIPANT = "SELECT 1 FROM participants WHERE room = $1 AND user_key = $2";
    COUNT_PARTICIPANTS = "SELECT count(*) FROM participants WHERE room = $1";
    PARTICIPANTS = "SELECT u.id, u.app, u.user_id, u.username, u.avatar_url, u.extras, \
        u.is_active, u.created_at, u.updated_at \
        FROM participants p JOIN users u ON u.id = p.user_key \
        WHERE p.room = $1 ORDER BY p.user_key LIMIT $2 OFFSET $3";
    ADD_PARTICIPANT = "INSERT INTO participants (room, user_key, read_number, joined_at) \
        VALUES ($1, $2, $3, $4) ON CONFLICT (room, user_key) DO NOTHING";
    REMOVE_PARTICIPANT = "DELETE FROM participants WHERE room = $1 AND user_key = $2";
    READ_NUMBER = "SELECT read_number FROM participants WHERE room = $1 AND user_key = $2";
    ROOMS_OF_USER = "SELECT r.id, r.kind, r.last_message \
        FROM participants p JOIN rooms r ON r.id = p.room WHERE p.user_key = $1";

    MESSAGE_BY_ID = "SELECT id, room, number, before_id, sender, kind, text, payload, extras, \
        client_unique_id, posted_at, is_deleted FROM messages WHERE id = $1";
    INSERT_MESSAGE = "INSERT INTO messages \
        (id, room, number, before_id, sender, kind, text, payload, extras, client_unique_id, \
        posted_at, is_deleted) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0)";
    EMPTY_MESSAGE = "UPDATE messages \
        SET is_deleted = 1, text = '', payload = NULL, extras = NULL WHERE id = $1";
    INSERT_DELETION = "INSERT INTO deletions (room, number) VALUES ($1, $2)";
    DELETIONS_FROM_NEWEST = "SELECT number FROM deletions WHERE room = $1 ORDER BY number DESC";
    COUNT_DELETIONS_AFTER = "SELECT count(*) FROM deletions WHERE room = $1 AND number > $2";
    MESSAGE_OF_CLIENT_ID = "SELECT message FROM client_ids WHERE app = $1 AND unique_id = $2";
    INSERT_CLIENT_ID = "INSERT INTO client_ids (app, unique_id, message) VALUES ($1, $2, $3)";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlite_binds_parameters_by_number_whatever_their_order() {
        let db = rusqlite::Connection::open_in_memory().expect("opens");
        let given: (i64, i64) = db
            .query_row(&numbered("SELECT $2, $1"), [10, 20], |row| Ok((row.get(0)?, row.get(1)?)))
            .expect("runs");
        assert_eq!(given, (20, 10));
    }
}
