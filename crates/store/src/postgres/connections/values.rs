//! Runs statements that are written for both engines, and implements the row trait that both share.

use bytes::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Error, Row};

use super::connection::{Connection, Params};
use super::lists::OwnedParam;
use crate::error::StoreError;
use crate::postgres::Engine;
use crate::sql::{self, Ask, SqlValue, ValueRow};

impl ToSql for SqlValue {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Nothing => Ok(IsNull::Yes),
            Self::Number(number) if *kind == Type::INT2 => {
                i16::try_from(*number)?.to_sql(kind, out)
            }
            Self::Number(number) => number.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl std::fmt::Debug for SqlValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The value may be a secret.
        f.write_str("Value")
    }
}

pub(crate) fn get<'a, T: FromSql<'a>>(row: &'a Row, column: usize) -> Result<T, StoreError> {
    row.try_get(column).map_err(StoreError::while_doing("reading a row"))
}

impl sql::Row for Row {
    type Error = StoreError;

    fn maybe_number(&self, column: usize) -> Result<Option<i64>, StoreError> {
        get(self, column)
    }

    fn flag(&self, column: usize) -> Result<bool, StoreError> {
        get::<i16>(self, column).map(|flag| flag != 0)
    }

    fn maybe_word(&self, column: usize) -> Result<Option<&str>, StoreError> {
        get(self, column)
    }

    fn unreadable(_: usize, why: StoreError) -> StoreError {
        why
    }
}

pub(crate) fn params(ask: &Ask) -> Vec<&(dyn ToSql + Sync)> {
    ask.values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

pub(crate) async fn query(db: &Connection, ask: &Ask) -> Result<Vec<Row>, Error> {
    db.query(ask.statement.postgres(), &params(ask)).await
}

pub(crate) async fn execute(db: &Connection, ask: &Ask) -> Result<u64, Error> {
    db.execute(ask.statement.postgres(), &params(ask)).await
}

pub(crate) fn rows(found: &[Row]) -> Result<Vec<ValueRow>, StoreError> {
    found.iter().map(row).collect()
}

pub(crate) fn row(row: &Row) -> Result<ValueRow, StoreError> {
    let value = |column: usize| {
        let kind = row.columns()[column].type_();
        Ok(if *kind == Type::INT8 {
            get::<Option<i64>>(row, column)?.map_or(SqlValue::Nothing, SqlValue::Number)
        } else if *kind == Type::INT2 {
            let small = get::<Option<i16>>(row, column)?;
            small.map_or(SqlValue::Nothing, |number| SqlValue::Number(i64::from(number)))
        } else {
            get::<Option<String>>(row, column)?.map_or(SqlValue::Nothing, SqlValue::Text)
        })
    };
    Ok(ValueRow((0..row.len()).map(value).collect::<Result<_, StoreError>>()?))
}

impl Engine {
    /// Runs a statement that is written for both engines, and whose cost does not grow with the
    /// stored data.
    pub(crate) async fn query_now(&self, ask: &Ask) -> Result<Vec<ValueRow>, StoreError> {
        let values: Params<'_> = &params(ask);
        rows(&self.readers.query("reading", ask.statement.postgres(), values).await?)
    }

    /// Runs a statement that is written for both engines and whose cost grows with the stored data.
    pub(crate) async fn asked(&self, ask: Ask) -> Result<Vec<ValueRow>, StoreError> {
        let boxed = |value| Box::new(value) as OwnedParam;
        let values = ask.values.into_iter().map(boxed).collect();
        rows(&self.list("reading", ask.statement.postgres(), values).await?)
    }
}
