//! Database connection of the operator's commands, independent of the writer.

use std::fs::File;
use std::path::Path;

use parking_lot::Mutex;
use rusqlite::config::DbConfig;
use rusqlite::params_from_iter;

use super::emptying;
use crate::error::{CommandFailure, StoreError};
use crate::schema_versions::SchemaVersions;
use crate::sql::{Ask, Statement, ValueRow};
use crate::sqlite::connections::values;
use crate::sqlite::data_folder::{folder, read_only};
use crate::sqlite::migrations;

const SEALING: &str = "encrypting the secrets";

/// A command's connection to the database. The mutex makes it usable across await points.
pub(crate) struct CommandConnection {
    db: Mutex<rusqlite::Connection>,
    /// Lock that excludes other rebuild commands as long as this connection exists.
    _lock: Option<File>,
}

/// Locks the folder, so that no server runs on it while the lock is held, and opens the database
/// once for the checks and upgrades that need the lock.
pub(crate) fn alone(data_folder: &Path) -> Result<File, StoreError> {
    folder::prepare(data_folder)?;
    let lock = folder::lock(data_folder)?;
    // As the first to open the file, run the checks that only the first can.
    leave_log(&migrations::open_with_checksums(&folder::database(data_folder))?)?;
    Ok(lock)
}

/// Makes the connection leave the write-ahead log in place when it is closed, because the next
/// server continues in it.
fn leave_log(db: &rusqlite::Connection) -> Result<(), StoreError> {
    let left = db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    left.map(drop).map_err(StoreError::while_doing(SEALING))
}

impl CommandConnection {
    pub(crate) fn open(data_folder: &Path) -> Result<Self, StoreError> {
        folder::prepare(data_folder)?;
        let db = migrations::open_up_to_date(&folder::database(data_folder))?;
        Ok(Self { db: Mutex::new(db), _lock: None })
    }

    pub(crate) fn open_to_rebuild(data_folder: &Path) -> Result<Self, StoreError> {
        let opened = Self::open(data_folder)?;
        let lock = folder::lock_for_rebuild(data_folder)?;
        // Sort on disk what does not fit into memory.
        let set = opened.db.lock().execute_batch("PRAGMA temp_store = FILE");
        set.map_err(StoreError::while_doing("opening the database"))?;
        Ok(Self { _lock: Some(lock), ..opened })
    }

    pub(crate) fn open_to_seal(data_folder: &Path) -> Result<Self, StoreError> {
        let opened = Self::open(data_folder)?;
        {
            let db = opened.db.lock();
            // Overwritten values must not remain in the file.
            let set = db.execute_batch("PRAGMA secure_delete = ON");
            set.map_err(StoreError::while_doing(SEALING))?;
            leave_log(&db)?;
        }
        Ok(opened)
    }

    pub(crate) fn open_to_export(data_folder: &Path) -> Result<Self, StoreError> {
        let opened = Self::open(data_folder)?;
        // Sort on disk what does not fit into memory. Nothing is written.
        let set = opened
            .db
            .lock()
            .execute_batch("PRAGMA temp_store = FILE; PRAGMA query_only = ON; BEGIN");
        set.map_err(StoreError::while_doing("opening the database"))?;
        Ok(opened)
    }

    /// Opens the database without changing anything; `None` without a file.
    pub(crate) fn open_to_examine(
        data_folder: &Path,
    ) -> Result<Option<(Self, SchemaVersions)>, StoreError> {
        let Some(db) = read_only::open(data_folder)? else { return Ok(None) };
        let schema = migrations::versions(&db)?;
        Ok(Some((Self { db: Mutex::new(db), _lock: None }, schema)))
    }

    /// Passes the rows to `take` one by one.
    pub(crate) fn each(
        &self,
        doing: &'static str,
        ask: &Ask,
        take: &mut dyn FnMut(ValueRow) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let failed = |error: rusqlite::Error| StoreError::while_doing(doing)(error);
        let db = self.db.lock();
        let mut statement = db.prepare(ask.statement.sqlite()).map_err(failed)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(&ask.values)).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            take(values::value_row(row, columns).map_err(failed)?)?;
        }
        Ok(())
    }

    pub(crate) fn query(
        &self,
        doing: &'static str,
        ask: &Ask,
    ) -> Result<Vec<ValueRow>, StoreError> {
        values::query(&self.db.lock(), ask).map_err(StoreError::while_doing(doing))
    }

    pub(crate) fn empty_search_index(
        &self,
        doing: &'static str,
        start_anew: &Statement,
    ) -> Result<(), StoreError> {
        let emptied = emptying::empty(&mut self.db.lock(), start_anew);
        emptied.map_err(StoreError::while_doing(doing))
    }

    /// Runs a statement outside of a write transaction: it only reads the database, and writes to a
    /// temporary table.
    pub(crate) fn write_temporary(&self, doing: &'static str, ask: &Ask) -> Result<(), StoreError> {
        let written = values::execute(&self.db.lock(), ask);
        written.map(drop).map_err(StoreError::while_doing(doing))
    }

    /// Runs all statements in one transaction, or none if `must_find` is set and the first one
    /// matches no row.
    pub(crate) fn write(
        &self,
        doing: &'static str,
        asks: &[Ask],
        must_find: bool,
    ) -> Result<u64, CommandFailure> {
        let write = || -> rusqlite::Result<u64> {
            let mut db = self.db.lock();
            let tx = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let mut rows = 0;
            for ask in asks {
                values::execute(&tx, ask)?;
                rows += tx.changes();
                if must_find && rows == 0 {
                    break;
                }
            }
            tx.commit().map(|()| rows)
        };
        write().map_err(|error| {
            let is_conflict =
                error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation);
            let error = StoreError::while_doing(doing)(error);
            match is_conflict {
                true => CommandFailure::Conflict(error),
                false => CommandFailure::Failed(error),
            }
        })
    }

    /// Rewrites the whole file and empties the write-ahead log: pages that were split long ago may
    /// still contain old rows.
    pub(crate) fn purge_old_rows(&self) -> Result<(), StoreError> {
        let emptied = || -> rusqlite::Result<()> {
            let db = self.db.lock();
            db.execute_batch("VACUUM")?;
            db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        };
        emptied().map_err(StoreError::while_doing("rewriting the database"))
    }
}
