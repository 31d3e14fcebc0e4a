//! Runs statements that are written for both engines.

use rusqlite::types::{ToSql, ToSqlOutput, Value as SqliteValue, ValueRef};
use rusqlite::{Connection, Result, params_from_iter};

use crate::values::Ask;
use crate::values::{Value, ValueRow};

impl ToSql for Value {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Nothing => ToSqlOutput::Owned(SqliteValue::Null),
            Self::Number(number) => ToSqlOutput::Owned(SqliteValue::Integer(*number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

pub(super) fn query(db: &Connection, ask: &Ask) -> Result<Vec<ValueRow>> {
    let mut statement = db.prepare_cached(ask.sql.sqlite())?;
    let columns = statement.column_count();
    let mut rows = statement.query(params_from_iter(&ask.values))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let value = |column| {
            Ok(match row.get_ref(column)? {
                ValueRef::Integer(number) => Value::Number(number),
                ValueRef::Text(_) => Value::Text(row.get(column)?),
                _ => Value::Nothing,
            })
        };
        found.push(ValueRow((0..columns).map(value).collect::<Result<_>>()?));
    }
    Ok(found)
}

pub(super) fn execute(db: &Connection, ask: &Ask) -> Result<()> {
    db.prepare_cached(ask.sql.sqlite())?.execute(params_from_iter(&ask.values)).map(drop)
}
