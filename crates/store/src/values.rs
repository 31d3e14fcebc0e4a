//! Values and rows that both engines speak: numbers, texts, and nothing.
//!
//! What is not hot is written once for both engines: a statement text, its values, and how its rows
//! are read. Each engine only runs it.

use crate::error::StoreError;
use crate::statements::Sql;

/// A value in a statement or a row. No `Debug`: it may be a secret.
#[derive(Clone, PartialEq)]
pub(crate) enum Value {
    Nothing,
    Number(i64),
    Text(String),
}

/// A statement to be run with these values.
pub(crate) struct Ask {
    pub(crate) sql: &'static Sql,
    pub(crate) values: Vec<Value>,
}

impl Ask {
    pub(crate) fn new(sql: &'static Sql, values: Vec<Value>) -> Self {
        Self { sql, values }
    }
}

/// A row of an answer.
pub(crate) struct ValueRow(pub(crate) Vec<Value>);

impl ValueRow {
    /// The bytes of its texts.
    pub(crate) fn bytes(&self) -> usize {
        let texts = self.0.iter().map(|value| match value {
            Value::Text(text) => text.len(),
            Value::Nothing | Value::Number(_) => 0,
        });
        texts.sum()
    }

    pub(crate) fn number(&self, column: usize) -> Result<i64, StoreError> {
        self.maybe_number(column)?.ok_or_else(|| wrong(column, "a number"))
    }

    pub(crate) fn maybe_number(&self, column: usize) -> Result<Option<i64>, StoreError> {
        match self.0.get(column) {
            Some(Value::Number(number)) => Ok(Some(*number)),
            Some(Value::Nothing) => Ok(None),
            _ => Err(wrong(column, "a number")),
        }
    }

    pub(crate) fn flag(&self, column: usize) -> Result<bool, StoreError> {
        Ok(self.number(column)? != 0)
    }

    pub(crate) fn text(&self, column: usize) -> Result<String, StoreError> {
        self.maybe_text(column)?.ok_or_else(|| wrong(column, "a text"))
    }

    pub(crate) fn maybe_text(&self, column: usize) -> Result<Option<String>, StoreError> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Ok(Some(text.clone())),
            Some(Value::Nothing) => Ok(None),
            _ => Err(wrong(column, "a text")),
        }
    }
}

fn wrong(column: usize, wanted: &str) -> StoreError {
    StoreError::while_doing("reading a row")(format!("column {column} is not {wanted}"))
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Number(i64::from(number))
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Number(i64::from(flag))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(maybe: Option<T>) -> Self {
        maybe.map_or(Self::Nothing, Into::into)
    }
}

/// `values![1, "text", None::<i64>]`
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::values::Value::from($value)),*] };
}
pub(crate) use values;
