//! Users as they appear to other users: search by text, resolution of user ids, and hidden users.

use std::cmp::Reverse;

use confab_domain::app::App;
use confab_domain::ids::{AppId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::{Realm, User, UserId};

use super::user_grams::{self, GramQuery};
use super::users::{self, user_columns};
use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, as_offset, on_shards, statements, values};
use crate::store::Store;

/// A page of a search for users.
#[derive(Debug)]
pub struct UserSearchPage {
    /// Users ordered by name.
    pub users: Vec<User>,
    /// Number of matches, counted up to `limits::USERS_COUNTED_MAX`.
    pub total: u64,
}

/// Condition for users that clients may find: active users of the app itself, except staff and the
/// System user `$2`.
macro_rules! shown_to_clients {
    () => {
        "u.app = $1 AND u.realm = 0 AND u.is_active = 1 AND u.id <> $2 \
         AND u.user_id NOT LIKE '%@dashboard'"
    };
}

macro_rules! sqlite_named {
    () => {
        "SELECT rowid AS user_key FROM user_gram_index WHERE user_gram_index MATCH $4 LIMIT $5"
    };
}

macro_rules! postgres_named {
    () => {
        "SELECT g.user_key FROM user_grams g \
         WHERE array_to_tsvector(string_to_array(g.grams, ' ')) \
         @@ CAST(CAST($4 AS TEXT) AS TSQUERY) LIMIT $5"
    };
}

/// Users that the index returns and whose name or user id really contains the text.
macro_rules! found {
    ($named:expr) => {
        concat!(
            "(",
            $named,
            ") named CROSS JOIN users u WHERE u.id = named.user_key AND ",
            shown_to_clients!(),
            " AND (lower(u.username) LIKE $3 ESCAPE '!' OR lower(u.user_id) LIKE $3 ESCAPE '!')"
        )
    };
}

/// Condition for users that the user `$3` may see: the app's own users, `$3` themselves, and
/// customers that share a room with `$3`.
macro_rules! seen_by {
    ($shares:expr) => {
        concat!("(u.realm = 0 OR u.id = $3 OR ", $shares, ")")
    };
}

/// Whether a user `u` shares a room with the user `$3`.
macro_rules! shares_room {
    () => {
        "EXISTS (SELECT 1 FROM participants p \
         JOIN participants own ON own.room = p.room AND own.user_key = $3 \
         WHERE p.user_key = u.id)"
    };
}

// Staff and customers that share no room with the user `$3` (D-0071); if `$4` is 1, all users that
// share none (D-0071).
macro_rules! hidden_users {
    ($users:literal, $is_customer:expr, $shares:expr) => {
        concat!(
            "SELECT u.id FROM users u WHERE u.app = $1 AND ",
            $users,
            " AND u.id <> $3 AND (CAST($4 AS bigint) = 1 OR u.user_id LIKE '%@dashboard' OR ",
            $is_customer,
            ") AND NOT ",
            $shares
        )
    };
}

/// Whether a user `u` is a customer of the app `$1`.
macro_rules! is_customer {
    () => {
        "EXISTS (SELECT 1 FROM channels ch JOIN customer_rooms c ON c.channel = ch.id \
         WHERE ch.app = $1 AND c.customer = u.id)"
    };
}

statements! {
    // Without a text, users are listed along the index of names.
    USERS_BY_NAME = concat!("SELECT ", user_columns!("u."), " FROM users u WHERE ",
        shown_to_clients!(), " ORDER BY u.username, u.id LIMIT $3 OFFSET $4");
    COUNT_USERS_BY_NAME = concat!("SELECT count(*) FROM (SELECT 1 FROM users u WHERE ",
        shown_to_clients!(), " LIMIT $3) found");
    // The index returns users that may contain the text; `LIKE` selects those that do.
    SQLITE_FIND_USERS = concat!("SELECT ", user_columns!("u."), " FROM ",
        found!(sqlite_named!()), " ORDER BY u.username, u.id LIMIT $6 OFFSET $7");
    SQLITE_COUNT_FOUND_USERS = concat!("SELECT count(*) FROM (SELECT 1 FROM ",
        found!(sqlite_named!()), " LIMIT $6) counted");
    POSTGRES_FIND_USERS = concat!("SELECT ", user_columns!("u."), " FROM ",
        found!(postgres_named!()), " ORDER BY u.username, u.id LIMIT $6 OFFSET $7");
    POSTGRES_COUNT_FOUND_USERS = concat!("SELECT count(*) FROM (SELECT 1 FROM ",
        found!(postgres_named!()), " LIMIT $6) counted");

    // Several users by id. The ids are one text, because the engines have no list value in common:
    // JSON for SQLite, lines for PostgreSQL. User ids contain neither quotes nor line breaks. With
    // Citus the conditions are on whole sets: it rejects a subquery on rooms for each user.
    SQLITE_KEYS_OF_USERS = concat!("SELECT u.id, u.user_id, u.realm FROM users u \
        WHERE u.app = $1 AND u.user_id IN (SELECT value FROM json_each($2)) AND ",
        seen_by!(shares_room!()));
    POSTGRES_KEYS_OF_USERS = concat!("SELECT u.id, u.user_id, u.realm FROM users u \
        WHERE u.app = $1 AND u.user_id = ANY (string_to_array($2, chr(10))) AND ",
        seen_by!(on_shards!(
            "u.id IN (SELECT p.user_key FROM participants own \
            JOIN participants p ON p.room = own.room JOIN users n ON n.id = p.user_key \
            WHERE own.user_key = $3 AND n.app = $1 \
            AND n.user_id = ANY (string_to_array($2, chr(10))))",
            shares_room!()
        )));
    SQLITE_HIDDEN_USERS = hidden_users!(
        "u.id IN (SELECT value FROM json_each('[' || $2 || ']'))",
        is_customer!(), shares_room!()
    );
    POSTGRES_HIDDEN_USERS = hidden_users!(
        "u.id = ANY (string_to_array($2, ',')::bigint[])",
        on_shards!(
            "u.id IN (SELECT c.customer FROM customer_rooms c \
            JOIN channels ch ON ch.id = c.channel WHERE ch.app = $1 \
            AND c.customer = ANY (string_to_array($2, ',')::bigint[]))",
            is_customer!()
        ),
        on_shards!(
            "u.id IN (SELECT p.user_key FROM participants own \
            JOIN participants p ON p.room = own.room WHERE own.user_key = $3 \
            AND p.user_key = ANY (string_to_array($2, ',')::bigint[]))",
            shares_room!()
        )
    );
}

impl Store {
    /// Returns a page of the users of the app that clients may find and whose name or user id
    /// contains this text.
    pub async fn find_users(
        &self,
        app: &App,
        text: &str,
        skipped: u64,
        size: usize,
    ) -> Read<UserSearchPage> {
        let mut which = values![app.id.0, app.system_user.0];
        let (page, count) = match self {
            _ if text.is_empty() => (&USERS_BY_NAME, &COUNT_USERS_BY_NAME),
            Self::Sqlite(_) => (&SQLITE_FIND_USERS, &SQLITE_COUNT_FOUND_USERS),
            Self::Postgres(_) => (&POSTGRES_FIND_USERS, &POSTGRES_COUNT_FOUND_USERS),
        };
        if !text.is_empty() {
            let text = user_grams::lower(text);
            let query = GramQuery::new(app.id, &text);
            let query = match self {
                Self::Sqlite(_) => query.sqlite(),
                Self::Postgres(_) => query.postgres(),
            };
            which.extend(values![pattern(&text), query, limits::USERS_SCANNED as i64]);
        }
        let mut counted = which.clone();
        counted.extend(values![limits::USERS_COUNTED_MAX as i64]);
        which.extend(values![size as i64, as_offset(skipped)]);
        let users = self.asked(Ask::new(page, which), users::row).await?;
        let total = self.counted(Ask::new(count, counted)).await?;
        Ok(UserSearchPage { users, total })
    }

    /// Resolves user ids from the viewpoint of a user, in no particular order. An id resolves to
    /// the viewer if it is the viewer's own, otherwise to a channel's customer that shares a room
    /// with the viewer, otherwise to the app's own user.
    pub async fn meant_by(&self, viewer: &User, users: &[UserId]) -> Read<Vec<(UserKey, UserId)>> {
        let mut named = self.keys_of_users(viewer.app, viewer.key, users).await?;
        // The preferred user comes first.
        named.sort_by_key(|(key, _, realm)| (*key != viewer.key, *realm == 0, Reverse(*key)));
        let mut meant: Vec<(UserKey, UserId)> = Vec::new();
        for (key, user_id, _) in named {
            if meant.iter().all(|(_, known)| *known != user_id) {
                meant.push((key, user_id));
            }
        }
        Ok(meant)
    }

    /// Returns the app's own users and those customers sharing a room with the viewer that have any
    /// of these user ids.
    async fn keys_of_users(
        &self,
        app: AppId,
        viewer: UserKey,
        users: &[UserId],
    ) -> Read<Vec<(UserKey, UserId, i64)>> {
        let values = values![app.0, self.listed(users), viewer.0];
        let ask = match self {
            Self::Sqlite(_) => Ask::new(&SQLITE_KEYS_OF_USERS, values),
            Self::Postgres(_) => Ask::new(&POSTGRES_KEYS_OF_USERS, values),
        };
        let read = |row: &ValueRow| {
            let user_id = UserId::from_stored(row.text(1)?);
            Ok((UserKey(row.number(0)?), user_id, row.number(2)?))
        };
        self.asked(ask, read).await
    }

    /// Returns the users among `others` that are hidden from `user`: staff and customers that share
    /// no room with `user`. If `user` is a customer, all users that share no room with them are
    /// hidden.
    pub async fn hidden_from(&self, user: &User, others: &[UserKey]) -> Read<Vec<UserKey>> {
        let keys: Vec<_> = others.iter().map(|key| key.0.to_string()).collect();
        let is_customer = i64::from(user.realm != Realm::App);
        let row = values![user.app.0, keys.join(","), user.key.0, is_customer];
        let ask = match self {
            Self::Sqlite(_) => Ask::new(&SQLITE_HIDDEN_USERS, row),
            Self::Postgres(_) => Ask::new(&POSTGRES_HIDDEN_USERS, row),
        };
        self.asked(ask, |row| Ok(UserKey(row.number(0)?))).await
    }

    /// Formats user ids as a single text, because the engines have no common type for lists.
    fn listed(&self, users: &[UserId]) -> String {
        let ids: Vec<_> = users.iter().map(UserId::as_str).collect();
        match self {
            Self::Sqlite(_) => {
                let quoted: Vec<_> = ids.iter().map(|id| format!("\"{id}\"")).collect();
                format!("[{}]", quoted.join(","))
            }
            Self::Postgres(_) => ids.join("\n"),
        }
    }
}

/// Returns the `LIKE` pattern that matches a text at any position.
fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}
