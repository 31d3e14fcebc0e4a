//! Runs statements that are written for both engines, and implements the row trait that both share.

use rusqlite::types::{ToSql, ToSqlOutput, Type, Value as SqliteValue, ValueRef};
use rusqlite::{Connection, Error, Result, params_from_iter};

use crate::error::StoreError;
use crate::sql::{Ask, Row, SqlValue, ValueRow};

impl ToSql for SqlValue {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Nothing => ToSqlOutput::Owned(SqliteValue::Null),
            Self::Number(number) => ToSqlOutput::Owned(SqliteValue::Integer(*number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

impl Row for rusqlite::Row<'_> {
    type Error = Error;

    fn maybe_number(&self, column: usize) -> Result<Option<i64>> {
        self.get(column)
    }

    fn flag(&self, column: usize) -> Result<bool> {
        self.get(column)
    }

    fn maybe_word(&self, column: usize) -> Result<Option<&str>> {
        Ok(self.get_ref(column)?.as_str_or_null()?)
    }

    fn unreadable(column: usize, why: StoreError) -> Error {
        Error::FromSqlConversionFailure(column, Type::Text, why.source)
    }
}

pub(crate) fn query(db: &Connection, ask: &Ask) -> Result<Vec<ValueRow>> {
    let mut statement = db.prepare_cached(ask.statement.sqlite())?;
    let columns = statement.column_count();
    let mut rows = statement.query(params_from_iter(&ask.values))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(value_row(row, columns)?);
    }
    Ok(found)
}

/// Converts the first `columns` columns of a row.
pub(crate) fn value_row(row: &rusqlite::Row<'_>, columns: usize) -> Result<ValueRow> {
    let value = |column| {
        Ok(match row.get_ref(column)? {
            ValueRef::Integer(number) => SqlValue::Number(number),
            ValueRef::Text(_) => SqlValue::Text(row.get(column)?),
            _ => SqlValue::Nothing,
        })
    };
    Ok(ValueRow((0..columns).map(value).collect::<Result<_>>()?))
}

pub(crate) fn execute(db: &Connection, ask: &Ask) -> Result<()> {
    db.prepare_cached(ask.statement.sqlite())?.execute(params_from_iter(&ask.values)).map(drop)
}
