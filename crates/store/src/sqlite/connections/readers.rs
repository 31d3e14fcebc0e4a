//! Read-only connections. They never wait for the writer or for each other.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use confab_domain::limits;
use parking_lot::Mutex;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::{native, tallied};
use crate::error::StoreError;
use crate::writing::readiness::Readiness;

/// Pool of idle connections.
pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    readiness: Arc<Readiness>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf, readiness: Arc<Readiness>) -> Self {
        Self { path, idle: Mutex::new(Vec::new()), readiness }
    }

    /// Runs a read on an idle connection, or on a new one if all are busy.
    pub(crate) fn with<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.read(read).inspect_err(|error| self.readiness.notice_damage(&error.fault()))
    }

    fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let idle = self.idle.lock().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.open()?,
        };
        // After a failure, the connection may be inside a transaction: drop it.
        let outcome = read(&connection)?;
        let mut idle = self.idle.lock();
        if idle.len() < limits::READERS_MAX {
            idle.push(connection);
        }
        Ok(outcome)
    }

    /// Closes the idle connections.
    pub(crate) fn close(&self) {
        self.idle.lock().clear();
    }

    fn open(&self) -> Result<Connection, StoreError> {
        let doing = "opening the database for reading";
        native::use_checksums()?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags);
        let connection = connection.map_err(StoreError::while_doing(doing))?;
        connection
            .busy_timeout(Duration::from_secs(10))
            .and_then(|()| connection.execute_batch("PRAGMA cache_size = -4096;"))
            // One plan per statement, independent of parameters: otherwise some are parsed every
            // time.
            .and_then(|()| connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true))
            .and_then(|_| tallied::add_to(&connection))
            .map_err(StoreError::while_doing(doing))?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(connection)
    }
}
