//! A connection for commands, beside the writer.

use std::fs::File;
use std::path::Path;

use parking_lot::Mutex;
use rusqlite::config::DbConfig;
use rusqlite::params_from_iter;

use super::{emptying, folder, looking, migrations, values};
use crate::command_database::CommandFailure;
use crate::error::StoreError;
use crate::schema_versions::SchemaVersions;
use crate::sql::{Ask, Statement, ValueRow};

const SEALING: &str = "encrypting the secrets";

/// A connection to the file. Behind a lock, so that it may be held across waits.
pub(crate) struct CommandConnection {
    db: Mutex<rusqlite::Connection>,
    /// Held as long as the connection, by what must be alone.
    _lock: Option<File>,
}

/// Proves that nobody serves from the folder, for as long as this is held.
pub(crate) fn alone(data_folder: &Path) -> Result<File, StoreError> {
    folder::prepare(data_folder)?;
    let lock = folder::lock(data_folder)?;
    // This is the first to open the file: what only the first can see is looked for here.
    leave_log(&migrations::open_with_checksums(&folder::database(data_folder))?)?;
    Ok(lock)
}

/// Closing this connection does not empty the log: the server that starts next goes on in it.
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
        // What does not fit into memory is sorted on disk.
        let set = opened.db.lock().execute_batch("PRAGMA temp_store = FILE");
        set.map_err(StoreError::while_doing("opening the database"))?;
        Ok(Self { _lock: Some(lock), ..opened })
    }

    pub(crate) fn open_to_seal(data_folder: &Path) -> Result<Self, StoreError> {
        let opened = Self::open(data_folder)?;
        {
            let db = opened.db.lock();
            // What is overwritten is not to be found in the file any more.
            let set = db.execute_batch("PRAGMA secure_delete = ON");
            set.map_err(StoreError::while_doing(SEALING))?;
            leave_log(&db)?;
        }
        Ok(opened)
    }

    pub(crate) fn open_to_export(data_folder: &Path) -> Result<Self, StoreError> {
        let opened = Self::open(data_folder)?;
        // What does not fit into memory is sorted on disk; nothing is written.
        let set = opened
            .db
            .lock()
            .execute_batch("PRAGMA temp_store = FILE; PRAGMA query_only = ON; BEGIN");
        set.map_err(StoreError::while_doing("opening the database"))?;
        Ok(opened)
    }

    /// Changes nothing; nothing where there is no file.
    pub(crate) fn open_to_look(
        data_folder: &Path,
    ) -> Result<Option<(Self, SchemaVersions)>, StoreError> {
        let Some(db) = looking::open(data_folder)? else { return Ok(None) };
        let schema = migrations::versions(&db)?;
        Ok(Some((Self { db: Mutex::new(db), _lock: None }, schema)))
    }

    /// Gives the rows one by one.
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

    /// Not as a transaction of writing: it reads the file and writes to a table of its own.
    pub(crate) fn write_beside(&self, doing: &'static str, ask: &Ask) -> Result<(), StoreError> {
        let written = values::execute(&self.db.lock(), ask);
        written.map(drop).map_err(StoreError::while_doing(doing))
    }

    /// All of it; or nothing if the first must find a row and does not.
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

    /// Writes the whole file anew, and empties the log: pages that were split long ago still hold
    /// rows as they were then.
    pub(crate) fn forget_old_rows(&self) -> Result<(), StoreError> {
        let emptied = || -> rusqlite::Result<()> {
            let db = self.db.lock();
            db.execute_batch("VACUUM")?;
            db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        };
        emptied().map_err(StoreError::while_doing("rewriting the database"))
    }
}
