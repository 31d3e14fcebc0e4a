//! Index for clients' user search: all substrings of up to three characters of names and user ids
//! (D-0208). Both engines store the same rows, but match them in different ways.

use std::fmt::Write;

use confab_domain::ids::{AppId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::{Realm, User};

use crate::sql::{Ask, prepared, values};

/// Maximum number of characters in an indexed substring (gram).
const GRAM_CHARS: usize = 3;

prepared! {
    PUT_GRAMS = "INSERT INTO user_grams (user_key, grams) VALUES ($1, $2) \
        ON CONFLICT (user_key) DO UPDATE SET grams = excluded.grams";
    REMOVE_GRAMS = "DELETE FROM user_grams WHERE user_key = $1";
}

/// Indexes a user of the app itself. Customers of channels are not indexed, because clients do not
/// search for them.
pub(crate) fn put(user: &User) -> Option<Ask> {
    if user.realm != Realm::App {
        return None;
    }
    let text = lower(&format!("{}\n{}", user.username, user.user_id.as_str()));
    let chars: Vec<char> = text.chars().collect();
    let pieces = (0..chars.len()).map(|at| &chars[at..chars.len().min(at + GRAM_CHARS)]);
    let grams: Vec<_> = pieces.map(|piece| gram(user.app, piece)).collect();
    Some(Ask::new(&PUT_GRAMS, values![user.key.0, grams.join(" ")]))
}

pub(crate) fn remove(user: UserKey) -> Ask {
    Ask::new(&REMOVE_GRAMS, values![user.0])
}

/// Lowercases ASCII letters only, because the engines lowercase other letters differently.
pub(super) fn lower(text: &str) -> String {
    text.to_ascii_lowercase()
}

/// Index query for a text, which must be lowercase and not empty: several grams that must all
/// occur, or the beginning of one gram for a shorter text.
pub(super) enum GramQuery {
    All(Vec<String>),
    Beginning(String),
}

impl GramQuery {
    pub(super) fn new(app: AppId, text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        if chars.len() < GRAM_CHARS {
            return Self::Beginning(gram(app, &chars));
        }
        let pieces = chars.windows(GRAM_CHARS).take(limits::SEARCH_GRAMS_MAX);
        Self::All(pieces.map(|piece| gram(app, piece)).collect())
    }

    /// Formats the query for SQLite's FTS5.
    pub(super) fn sqlite(&self) -> String {
        match self {
            Self::All(grams) => quoted(grams, '"', " AND "),
            Self::Beginning(gram) => format!("\"{gram}\" *"),
        }
    }

    /// Formats the query as a `tsquery` of PostgreSQL.
    pub(super) fn postgres(&self) -> String {
        match self {
            Self::All(grams) => quoted(grams, '\'', " & "),
            Self::Beginning(gram) => format!("'{gram}':*"),
        }
    }
}

fn quoted(grams: &[String], quote: char, between: &str) -> String {
    let grams: Vec<_> = grams.iter().map(|gram| format!("{quote}{gram}{quote}")).collect();
    grams.join(between)
}

/// Encodes a gram as a word that no tokenizer splits. The word begins with the app's id, so that
/// the grams of one app never slow down searches of another. UTF-8 is prefix-free, so the word of a
/// gram begins with the word of each prefix of the gram.
fn gram(app: AppId, piece: &[char]) -> String {
    let mut gram = format!("{:x}g", app.0);
    for byte in piece.iter().collect::<String>().bytes() {
        let _ = write!(gram, "{byte:02x}");
    }
    gram
}

#[cfg(test)]
pub(crate) mod tests {
    use confab_domain::people::user::UserId;
    use confab_domain::time::Timestamp;

    use super::*;
    use crate::sql::SqlValue;

    /// Two users of an app and a customer, as written by versions without the index.
    pub(crate) const USERS: &str = "INSERT INTO users (id, app, user_id, username, avatar_url, \
        is_active, created_at, updated_at, token_hash, realm) VALUES \
        (7, 300, 'Ana-1', '\u{c4}rzte \u{7530}\u{4e2d} 100%', '', 1, 1, 1, 'a', 0), \
        (8, 300, 'b', 'B', '', 0, 1, 1, 'b', 0), (9, 300, 'c', 'C', '', 1, 1, 1, 'c', 5)";

    pub(crate) const ROWS: &str =
        "SELECT user_key || ' ' || grams FROM user_grams ORDER BY user_key";

    /// Returns the index rows that this version writes for [`USERS`].
    pub(crate) fn rows() -> Vec<String> {
        let users = [(7, "Ana-1", "\u{c4}rzte \u{7530}\u{4e2d} 100%"), (8, "b", "B")];
        let row = |(key, id, name): (i64, &str, &str)| {
            let user = User {
                key: UserKey(key),
                app: AppId(300),
                realm: Realm::App,
                user_id: UserId::from_stored(id.to_owned()),
                username: name.to_owned(),
                avatar_url: String::new(),
                extras: None,
                is_active: true,
                created_at: Timestamp(1),
                updated_at: Timestamp(1),
            };
            let ask = put(&user).expect("the app's own users are indexed");
            let SqlValue::Text(grams) = &ask.values[1] else { panic!("a text") };
            format!("{key} {grams}")
        };
        users.map(row).into()
    }

    #[test]
    fn short_texts_match_prefixes_of_pieces_and_longer_ones_match_all_their_pieces() {
        let query = |text| GramQuery::new(AppId(300), text);
        assert_eq!(query("l_").sqlite(), "\"12cg6c5f\" *");
        assert_eq!(query("l_").postgres(), "'12cg6c5f':*");
        assert_eq!(query("l_12").sqlite(), "\"12cg6c5f31\" AND \"12cg5f3132\"");
        assert_eq!(query("l_12").postgres(), "'12cg6c5f31' & '12cg5f3132'");
    }
}
