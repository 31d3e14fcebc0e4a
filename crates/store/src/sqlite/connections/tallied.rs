//! SQL function `tallied(key, measure, count)`: sums counts by key and measure, as JSON, in one
//! pass.
//!
//! Used by reads of analytics (D-0140). SQLite's GROUP BY sorts all rows first, which takes most of
//! the time if there are millions of rows and few sums.

use std::collections::HashMap;

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::{Connection, Result};

struct Tallied;

impl Aggregate<HashMap<(i64, i64), i64>, String> for Tallied {
    fn init(&self, _: &mut Context<'_>) -> Result<HashMap<(i64, i64), i64>> {
        Ok(HashMap::new())
    }

    fn step(&self, row: &mut Context<'_>, sums: &mut HashMap<(i64, i64), i64>) -> Result<()> {
        let key = (row.get(0)?, row.get(1)?);
        let count: i64 = row.get(2)?;
        *sums.entry(key).or_default() += count;
        Ok(())
    }

    fn finalize(
        &self,
        _: &mut Context<'_>,
        sums: Option<HashMap<(i64, i64), i64>>,
    ) -> Result<String> {
        let sums = sums.unwrap_or_default().into_iter();
        let rows = sums.map(|((key, measure), sum)| format!("[{key},{measure},{sum}]"));
        Ok(format!("[{}]", rows.collect::<Vec<_>>().join(",")))
    }
}

/// Registers the function on a connection.
pub(crate) fn add_to(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_aggregate_function("tallied", 3, flags, Tallied)
}
