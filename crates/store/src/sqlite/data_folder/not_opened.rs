//! Explains why a database cannot be opened. SQLite does not report which file failed and why; the
//! operating system does.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use rustix::fs::{Access, access};
use rustix::io::Errno;

use super::folder::named;
use super::wal_file;
use crate::error::{Fault, StoreError};

/// Returns the error for a database that cannot be opened for writing, with the reason.
pub(crate) fn to_write(path: &Path, error: rusqlite::Error) -> StoreError {
    with_reason(path, error, || {
        refused(path, Access::READ_OK | Access::WRITE_OK).or_else(|| refused_folder(path))
    })
}

/// Returns the error for a database that cannot be opened for reading, with the reason.
pub(crate) fn to_read(path: &Path, error: rusqlite::Error) -> StoreError {
    with_reason(path, error, || refused(path, Access::READ_OK))
}

fn with_reason(
    path: &Path,
    error: rusqlite::Error,
    refused: impl FnOnce() -> Option<String>,
) -> StoreError {
    use ErrorCode::{CannotOpen, PermissionDenied, ReadOnly};
    let code = error.sqlite_error_code();
    let error = StoreError::while_doing("opening the database")(error);
    if !matches!(code, Some(CannotOpen | PermissionDenied | ReadOnly)) {
        return error;
    }
    let reason = refused().unwrap_or_else(|| format!("{}: {}", path.display(), error.source));
    let fault = Fault { trouble: error.trouble, reason };
    StoreError { source: fault.into(), ..error }
}

/// Returns the reason why the first inaccessible file of the database cannot be accessed, if there
/// is one. Never opens the files: closing one would release this process's locks on it.
fn refused(path: &Path, wanted: Access) -> Option<String> {
    let mut index = path.as_os_str().to_owned();
    index.push("-shm");
    let files = [path.to_owned(), wal_file::path(path), PathBuf::from(index)];
    files.iter().find_map(|file| match access(file, wanted) {
        Ok(()) | Err(Errno::NOENT) => None,
        Err(error) => Some(named(file, &error.into())),
    })
}

/// Returns the reason why SQLite cannot create files in the database's folder, if there is one.
fn refused_folder(path: &Path) -> Option<String> {
    let folder = path.parent()?;
    let refused = access(folder, Access::WRITE_OK | Access::EXEC_OK).err()?;
    Some(named(folder, &refused.into()))
}
