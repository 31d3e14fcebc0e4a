//! SQL statements, their values, and access to the rows of results.
//!
//! Statements that are not hot are written once for both engines (design/storage): a [`Statement`]
//! with [`SqlValue`]s is an [`Ask`], which `Store::asked` runs on either engine. Each engine runs
//! hot statements in its own way, but the same functions read the rows: they accept any [`Row`].
//!
//! Parameters are `$1 … $n`. SQLite would number `$n` by first appearance, so its text has `?n`.
//! Parts for sharded PostgreSQL are comments for all other databases ([`on_shards`], D-0014).

use std::sync::OnceLock;

use confab_domain::json_text::JsonText;
use confab_domain::time::Timestamp;

use crate::error::StoreError;

/// Text of an SQL statement.
pub(crate) struct Statement {
    text: &'static str,
    for_sqlite: OnceLock<String>,
}

impl Statement {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self { text, for_sqlite: OnceLock::new() }
    }

    /// Returns the text for SQLite.
    pub(crate) fn sqlite(&self) -> &str {
        self.for_sqlite.get_or_init(|| numbered(self.text))
    }

    /// Returns the text for PostgreSQL.
    pub(crate) fn postgres(&self) -> &'static str {
        self.text
    }
}

/// A statement with its values.
pub(crate) struct Ask {
    pub(crate) statement: &'static Statement,
    pub(crate) values: Vec<SqlValue>,
}

impl Ask {
    pub(crate) fn new(statement: &'static Statement, values: Vec<SqlValue>) -> Self {
        Self { statement, values }
    }
}

/// A value of a statement or row, of a type that both engines have. No `Debug`: it may be a secret.
#[derive(Clone, PartialEq)]
pub(crate) enum SqlValue {
    Nothing,
    Number(i64),
    Text(String),
}

/// A row of a result, of either engine. Columns are read by position.
pub(crate) trait Row {
    type Error;

    fn maybe_number(&self, column: usize) -> Result<Option<i64>, Self::Error>;

    fn flag(&self, column: usize) -> Result<bool, Self::Error>;

    /// Returns a text without copying it, or `None` for NULL.
    fn maybe_word(&self, column: usize) -> Result<Option<&str>, Self::Error>;

    /// Creates the error for a column that this version cannot read.
    fn unreadable(column: usize, why: StoreError) -> Self::Error;

    fn number(&self, column: usize) -> Result<i64, Self::Error> {
        self.maybe_number(column)?.ok_or_else(|| Self::wrong(column, "NULL"))
    }

    fn word(&self, column: usize) -> Result<&str, Self::Error> {
        self.maybe_word(column)?.ok_or_else(|| Self::wrong(column, "NULL"))
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

    /// Reads a text and parses it. Fails if this version does not know the value.
    fn known<T>(
        &self,
        column: usize,
        what: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Self::Error> {
        parse(self.word(column)?).ok_or_else(|| Self::wrong(column, &format!("an unknown {what}")))
    }

    /// Reads a number and parses it. Fails if this version does not know the value.
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
        let why = format!("column {column} contains {what}");
        Self::unreadable(column, StoreError::while_doing("reading a row")(why))
    }
}

/// A row of the result of an [`Ask`].
pub(crate) struct ValueRow(pub(crate) Vec<SqlValue>);

impl ValueRow {
    /// Returns the total size of the row's texts in bytes.
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
            _ => Err(Self::wrong(column, "a value that is not a number")),
        }
    }

    fn flag(&self, column: usize) -> Result<bool, StoreError> {
        Ok(self.number(column)? != 0)
    }

    fn maybe_word(&self, column: usize) -> Result<Option<&str>, StoreError> {
        match self.0.get(column) {
            Some(SqlValue::Text(text)) => Ok(Some(text)),
            Some(SqlValue::Nothing) => Ok(None),
            _ => Err(Self::wrong(column, "a value that is not a text")),
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

/// Returns the number of columns in a list. It is also the position of the first column after the
/// list.
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

/// Encodes ids as a single text such as `[1,2]`, because the engines have no common type for lists.
pub(crate) fn ids_as_text(ids: impl Iterator<Item = i64>) -> String {
    let ids: Vec<_> = ids.map(|id| id.to_string()).collect();
    format!("[{}]", ids.join(","))
}

/// `ids_in!("$1")`: converts the text of [`ids_as_text`] to a PostgreSQL array. PostgreSQL
/// evaluates it once per statement; it would not recognize `translate($1, …)::bigint[]` as constant
/// and might evaluate that for each row.
macro_rules! ids_in {
    ($text:literal) => {
        concat!("string_to_array(trim(", $text, ", '[]'), ',')::bigint[]")
    };
}
pub(crate) use ids_in;

/// Converts the number of rows to skip to the integer type of the databases.
pub(crate) fn as_offset(skipped: u64) -> i64 {
    i64::try_from(skipped).unwrap_or(i64::MAX)
}

/// Replaces `$1` by `?1`. No statement contains a dollar sign in a string.
fn numbered(text: &str) -> String {
    text.replace('$', "?")
}

/// Returns the text for sharded PostgreSQL: the sharded variant of each [`on_shards`] part.
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

/// Defines statements: `statements! { ROOMS = "SELECT …"; }`, once per file.
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $text:expr;)*) => {
        $crate::sql::texts! { $($(#[$doc])* $name = $text;)* }

        /// All statements, for tests.
        #[cfg(test)]
        pub(crate) static STATEMENTS: &[(&str, &$crate::sql::Statement)] =
            &[$((stringify!($name), &$name)),*];
    };
}
pub(crate) use statements;

/// Defines statements without listing them for tests, such as those that only SQLite runs.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident = $text:expr;)*) => {
        $($(#[$doc])* pub(crate) static $name: $crate::sql::Statement =
            $crate::sql::Statement::new($text);)*
    };
}
pub(crate) use texts;

/// Defines statements of PostgreSQL's writer. They are prepared when a connection is opened, so
/// that no decision waits for their preparation.
macro_rules! prepared {
    ($($(#[$doc:meta])* $name:ident = $text:expr;)*) => {
        $crate::sql::texts! { $($(#[$doc])* $name = $text;)* }

        pub(crate) static PREPARED: &[&$crate::sql::Statement] = &[$(&$name),*];

        /// Names of the statements, in the order of `PREPARED`.
        #[cfg(test)]
        pub(crate) static PREPARED_NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}
pub(crate) use prepared;

/// `on_shards!(" AND p.room = ANY ($1)")`: a part of a statement for sharded PostgreSQL only, with
/// an optional alternative for other databases, for which the part is a comment.
macro_rules! on_shards {
    ($sharded:expr) => {
        concat!("/*", $sharded, "*//**/")
    };
    ($sharded:expr, $otherwise:expr) => {
        concat!("/*", $sharded, "*/", $otherwise, "/**/")
    };
}
pub(crate) use on_shards;

/// Builds a list of values: `values![1, "text", None::<i64>]`.
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::sql::SqlValue::from($value)),*] };
}
pub(crate) use values;

/// Qualifies columns: `columns!("u."; "id", "app")` is `"u.id, u.app"`, for a statement that names
/// the table `u`.
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
    fn sqlite_binds_parameters_by_number_in_any_order() {
        let db = rusqlite::Connection::open_in_memory().expect("opens");
        let given: (i64, i64) = db
            .query_row(&numbered("SELECT $2, $1"), [10, 20], |row| Ok((row.get(0)?, row.get(1)?)))
            .expect("runs");
        assert_eq!(given, (20, 10));
    }

    #[test]
    fn parts_for_shards_are_comments_for_other_databases() {
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
    fn columns_are_qualified_with_the_table_name() {
        assert_eq!(columns!("u."; "id", "app"), "u.id, u.app");
        assert_eq!(columns!(""; "id", "app"), "id, app");
        assert_eq!(count(columns!("u."; "id", "app")), 2);
    }
}
