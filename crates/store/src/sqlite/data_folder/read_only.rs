//! Opens a database without changing anything in its folder (design/operations).

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use rustix::fs::{Access, access};
use rustix::io::Errno;

use super::{folder, not_opened, wal_file};
use crate::error::StoreError;
use crate::sqlite::connections::native;
use crate::sqlite::maintenance::{backup, check};

const DOING: &str = "opening the database";

/// Opens the database for reading; `None` if its file does not exist.
///
/// Readers of a database with a write-ahead log create files next to it, which the last reader
/// cannot always remove. If no server runs and the log is empty, the database file is complete and
/// is opened alone, as immutable.
pub(crate) fn open(data_folder: &Path) -> Result<Option<Connection>, StoreError> {
    let path = folder::database(data_folder);
    match access(&path, Access::READ_OK) {
        Ok(()) => {}
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => {
            return Err(StoreError::while_doing(DOING)(folder::named(&path, &error.into())));
        }
    }
    let has_log = has_bytes(&wal_file::path(&path));
    let has_log = has_log.map_err(StoreError::while_doing(DOING))?;
    if has_log || folder::is_served(data_folder)? {
        return check::open(&path).map(Some);
    }
    native::use_checksums()?;
    let name = backup::uri(&path, "immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let opened = Connection::open_with_flags(name, flags);
    opened.map(Some).map_err(|error| not_opened::to_read(&path, error))
}

fn has_bytes(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        found => Ok(found?.len() > 0),
    }
}
