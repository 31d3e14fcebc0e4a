//! Context of reads: a connection and the readers' caches. The reads themselves are in modules by
//! subject.

use rusqlite::Connection;

use super::readers_memory::ReadersMemory;
use crate::error::{Read, StoreError};
use crate::secrets::sealer::Sealer;
use crate::sql::{Ask, ValueRow};
use crate::sqlite::connections::values;

/// A connection with the readers' caches.
pub(crate) struct Reads<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) memory: &'a ReadersMemory,
    pub(crate) sealer: &'a Sealer,
}

/// Maximum number of snapshots in which a read is attempted. The last result is returned even if
/// the in-memory index is ahead of its snapshot.
pub(crate) const VIEWS_MAX: usize = 4;

pub(crate) fn reading<T>(doing: &'static str, result: rusqlite::Result<T>) -> Read<T> {
    result.map_err(StoreError::while_doing(doing))
}

impl Reads<'_> {
    /// Runs a statement that is written for both engines.
    pub(crate) fn asked(&self, ask: &Ask) -> Read<Vec<ValueRow>> {
        reading("reading", values::query(self.connection, ask))
    }

    pub(crate) fn check(&self) -> Read<()> {
        let row = self.connection.query_row("SELECT 1", [], |_| Ok(()));
        reading("checking the database", row)
    }
}
