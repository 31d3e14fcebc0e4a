//! How SQL is written here: a text, its values, and how a row of its answer is read.
//!
//! What is not hot is written once for both engines (D-0015): a [`Statement`] with [`SqlValue`]s is
//! an [`Ask`], and `Store::asked` runs it on either engine. What is hot is run by each engine in
//! its own way, but its rows are read by the same functions: they take any [`Row`].
//!
//! Parameters are `$1 … $n`. SQLite would number `$n` by first appearance, so its text has `?n`.
//! What only a PostgreSQL that shards is asked is a comment to all others ([`on_shards`], D-0190).

use std::sync::OnceLock;

use confab_domain::json_text::JsonText;
use confab_domain::time::Timestamp;

use crate::error::StoreError;

/// The text of one statement.
pub(crate) struct Statement {
    text: &'static str,
    for_sqlite: OnceLock<String>,
}

impl Statement {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self { text, for_sqlite: OnceLock::new() }
    }

    /// The text for SQLite.
    pub(crate) fn sqlite(&self) -> &str {
        self.for_sqlite.get_or_init(|| numbered(self.text))
    }

    /// The text for PostgreSQL.
    pub(crate) fn postgres(&self) -> &'static str {
        self.text
    }
}

/// A statement to be run with these values.
pub(crate) struct Ask {
    pub(crate) statement: &'static Statement,
    pub(crate) values: Vec<SqlValue>,
}

impl Ask {
    pub(crate) fn new(statement: &'static Statement, values: Vec<SqlValue>) -> Self {
        Self { statement, values }
    }
}

/// A value in a statement or a row: what both engines know. No `Debug`: it may be a secret.
#[derive(Clone, PartialEq)]
pub(crate) enum SqlValue {
    Nothing,
    Number(i64),
    Text(String),
}

/// A row of an answer, of either engine. Columns are read by their place.
pub(crate) trait Row {
    type Error;

    fn maybe_number(&self, column: usize) -> Result<Option<i64>, Self::Error>;

    fn flag(&self, column: usize) -> Result<bool, Self::Error>;

    /// A text that is looked at and not kept.
    fn maybe_word(&self, column: usize) -> Result<Option<&str>, Self::Error>;

    /// A column does not hold what this version can read.
    fn unreadable(column: usize, why: StoreError) -> Self::Error;

    fn number(&self, column: usize) -> Result<i64, Self::Error> {
        self.maybe_number(column)?.ok_or_else(|| Self::wrong(column, "nothing"))
    }

    fn word(&self, column: usize) -> Result<&str, Self::Error> {
        self.maybe_word(column)?.ok_or_else(|| Self::wrong(column, "nothing"))
    }

    fn text(&self, column: usize) -> Result<String, Self::Error> {
        self.word(column).map(str::to_owned)
    }

    fn maybe_text(&self, column: usize) -> Result<Option<String>, Self::Error> {
        Ok(self.maybe_word(column)?.map(str::to_owned))
    }

    fn json(&self, column: usize) -> Result<Option<JsonText>, Self::Error> {
        Ok(self.maybe_text(column)?.map(JsonText::from_checked))
    }

    fn time(&self, column: usize) -> Result<Timestamp, Self::Error> {
        self.number(column).map(Timestamp)
    }

    fn maybe_time(&self, column: usize) -> Result<Option<Timestamp>, Self::Error> {
        Ok(self.maybe_number(column)?.map(Timestamp))
    }

    /// What a word stands for, where it is one that this version knows.
    fn known<T>(
        &self,
        column: usize,
        what: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Self::Error> {
        parse(self.word(column)?).ok_or_else(|| Self::wrong(column, &format!("an unknown {what}")))
    }

    /// The same of a number.
    fn known_number<T>(
        &self,
        column: usize,
        what: &str,
        parse: impl Fn(i64) -> Option<T>,
    ) -> Result<T, Self::Error> {
        let known = parse(self.number(column)?);
        known.ok_or_else(|| Self::wrong(column, &format!("an unknown {what}")))
    }

    fn wrong(column: usize, what: &str) -> Self::Error {
        let why = format!("column {column} holds {what}");
        Self::unreadable(column, StoreError::while_doing("reading a row")(why))
    }
}

/// A row of the answer to an [`Ask`].
pub(crate) struct ValueRow(pub(crate) Vec<SqlValue>);

impl ValueRow {
    /// The bytes of its texts.
    pub(crate) fn bytes(&self) -> usize {
        let texts = self.0.iter().map(|value| match value {
            SqlValue::Text(text) => text.len(),
            SqlValue::Nothing | SqlValue::Number(_) => 0,
        });
        texts.sum()
    }
}

impl Row for ValueRow {
    type Error = StoreError;

    fn maybe_number(&self, column: usize) -> Result<Option<i64>, StoreError> {
        match self.0.get(column) {
            Some(SqlValue::Number(number)) => Ok(Some(*number)),
            Some(SqlValue::Nothing) => Ok(None),
            _ => Err(Self::wrong(column, "no number")),
        }
    }

    fn flag(&self, column: usize) -> Result<bool, StoreError> {
        Ok(self.number(column)? != 0)
    }

    fn maybe_word(&self, column: usize) -> Result<Option<&str>, StoreError> {
        match self.0.get(column) {
            Some(SqlValue::Text(text)) => Ok(Some(text)),
            Some(SqlValue::Nothing) => Ok(None),
            _ => Err(Self::wrong(column, "no text")),
        }
    }

    fn unreadable(_: usize, why: StoreError) -> StoreError {
        why
    }
}

impl From<i64> for SqlValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for SqlValue {
    fn from(number: u32) -> Self {
        Self::Number(i64::from(number))
    }
}

impl From<bool> for SqlValue {
    fn from(flag: bool) -> Self {
        Self::Number(i64::from(flag))
    }
}

impl From<Timestamp> for SqlValue {
    fn from(time: Timestamp) -> Self {
        Self::Number(time.0)
    }
}

impl From<&str> for SqlValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for SqlValue {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for SqlValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&JsonText> for SqlValue {
    fn from(json: &JsonText) -> Self {
        json.as_str().into()
    }
}

impl<T: Into<SqlValue>> From<Option<T>> for SqlValue {
    fn from(maybe: Option<T>) -> Self {
        maybe.map_or(Self::Nothing, Into::into)
    }
}

/// How many columns a list of them names: where the next one begins in a row.
pub(crate) const fn count(columns: &str) -> usize {
    let (bytes, mut at, mut count) = (columns.as_bytes(), 0, 1);
    while at < bytes.len() {
        if bytes[at] == b',' {
            count += 1;
        }
        at += 1;
    }
    count
}

/// Many ids as one text, `[1,2]`: a list is no value that both engines know.
pub(crate) fn ids_as_text(ids: impl Iterator<Item = i64>) -> String {
    let ids: Vec<_> = ids.map(|id| id.to_string()).collect();
    format!("[{}]", ids.join(","))
}

/// `ids_in!("$1")`: what [`ids_as_text`] made, as an array of PostgreSQL. It is made once; of
/// `translate($1, …)::bigint[]` PostgreSQL does not know that it is always the same, and may make
/// it for each row.
macro_rules! ids_in {
    ($text:literal) => {
        concat!("string_to_array(trim(", $text, ", '[]'), ',')::bigint[]")
    };
}
pub(crate) use ids_in;

/// How many rows a page leaves out, as databases count.
pub(crate) fn as_offset(skipped: u64) -> i64 {
    i64::try_from(skipped).unwrap_or(i64::MAX)
}

/// Turns `$1` into `?1`. No statement here has a dollar sign in a string.
fn numbered(text: &str) -> String {
    text.replace('$', "?")
}

/// The text for a PostgreSQL that shards: of each part that [`on_shards`] made, what is for it.
pub(crate) fn for_shards(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, marked)) = rest.split_once("/*") {
        let (sharded, after) = marked.split_once("*/").unwrap_or((marked, ""));
        kept.push_str(before);
        kept.push_str(sharded);
        rest = after.split_once("/**/").map_or("", |(_, rest)| rest);
    }
    kept + rest
}

/// `statements! { ROOMS = "SELECT …"; }`, once a file.
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $text:expr;)*) => {
        $crate::sql::texts! { $($(#[$doc])* $name = $text;)* }

        /// What tests read that read every text.
        #[cfg(test)]
        pub(crate) static STATEMENTS: &[(&str, &$crate::sql::Statement)] =
            &[$((stringify!($name), &$name)),*];
    };
}
pub(crate) use statements;

/// The same for what only SQLite is asked.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident = $text:expr;)*) => {
        $($(#[$doc])* pub(crate) static $name: $crate::sql::Statement =
            $crate::sql::Statement::new($text);)*
    };
}
pub(crate) use texts;

/// The same for what PostgreSQL's writer sends: it is prepared when a connection is opened, so that
/// nobody waits for that later.
macro_rules! prepared {
    ($($(#[$doc:meta])* $name:ident = $text:expr;)*) => {
        $crate::sql::texts! { $($(#[$doc])* $name = $text;)* }

        pub(crate) static PREPARED: &[&$crate::sql::Statement] = &[$(&$name),*];

        /// Their names, in the same order.
        #[cfg(test)]
        pub(crate) static PREPARED_NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}
pub(crate) use prepared;

/// `on_shards!(" AND p.room = ANY ($1)")`: a part of a text that only a PostgreSQL that shards is
/// asked, in place of what the others are, if there is that. To them it is a comment.
macro_rules! on_shards {
    ($sharded:expr) => {
        concat!("/*", $sharded, "*//**/")
    };
    ($sharded:expr, $otherwise:expr) => {
        concat!("/*", $sharded, "*/", $otherwise, "/**/")
    };
}
pub(crate) use on_shards;

/// `values![1, "text", None::<i64>]`
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::sql::SqlValue::from($value)),*] };
}
pub(crate) use values;

/// `columns!("u."; "id", "app")` is `"u.id, u.app"`: columns of a table in a statement that calls
/// it `u`.
macro_rules! columns {
    ($table:literal; $first:literal $(, $column:literal)*) => {
        concat!($table, $first $(, ", ", $table, $column)*)
    };
}
pub(crate) use columns;

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

    #[test]
    fn who_shards_is_asked_what_is_a_comment_to_others() {
        let more = concat!("SELECT 1", on_shards!(" AND p.room = ANY ($1)"), " LIMIT 1");
        assert_eq!(for_shards(more), "SELECT 1 AND p.room = ANY ($1) LIMIT 1");
        let other = concat!("SELECT ", on_shards!("$2", "$1"), ", ", on_shards!("3", "4"));
        assert_eq!(for_shards(other), "SELECT $2, 3");
        assert_eq!(for_shards("SELECT 1"), "SELECT 1");
        let db = rusqlite::Connection::open_in_memory().expect("opens");
        let given: (i64, i64) = db
            .query_row(&numbered(other), [10], |row| Ok((row.get(0)?, row.get(1)?)))
            .expect("runs");
        assert_eq!(given, (10, 4));
    }

    #[test]
    fn columns_are_those_of_the_table_that_is_named() {
        assert_eq!(columns!("u."; "id", "app"), "u.id, u.app");
        assert_eq!(columns!(""; "id", "app"), "id, app");
        assert_eq!(count(columns!("u."; "id", "app")), 2);
    }
}
