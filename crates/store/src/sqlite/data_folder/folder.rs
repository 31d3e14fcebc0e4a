//! The data folder: readable by its owner only, and used by one serving process at a time.

use std::fs::{DirBuilder, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::error::StoreError;

const LOCK: &str = "confab.lock";

/// Returns the path of the database file in a data folder.
pub(crate) fn database(folder: &Path) -> PathBuf {
    folder.join("confab.db")
}

/// Creates the folder if it is missing, without access for other users of the machine.
pub(crate) fn prepare(folder: &Path) -> Result<(), StoreError> {
    if folder.is_dir() {
        return Ok(());
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| StoreError::while_doing("creating the data folder")(named(folder, &error)))
}

/// Locks the folder against other rebuild commands. A server may run concurrently.
pub(crate) fn lock_for_rebuild(folder: &Path) -> Result<File, StoreError> {
    let doing = "locking the data folder";
    let file = made(&folder.join("rebuild.lock")).map_err(StoreError::while_doing(doing))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(_) => {
            Err(StoreError::while_doing(doing)("another rebuild is running; wait until it ends"))
        }
    }
}

/// Locks the folder for this process. The lock ends with the process, however it ends.
pub(crate) fn lock(folder: &Path) -> Result<File, StoreError> {
    let doing = "locking the data folder";
    let file = made(&folder.join(LOCK)).map_err(StoreError::while_doing(doing))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(_) => Err(StoreError::while_doing(doing)(format!(
            "another confab server uses {}; stop it or use another --data",
            folder.display()
        ))),
    }
}

/// Whether a serving process has locked the folder. Creates no file.
pub(crate) fn is_served(folder: &Path) -> Result<bool, StoreError> {
    let path = folder.join(LOCK);
    let tried = match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => Err(error),
        Ok(file) => match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        },
    };
    tried.map_err(|error| {
        StoreError::while_doing("checking whether a server uses the data folder")(named(
            &path, &error,
        ))
    })
}

/// Creates a file, or truncates an existing one.
fn made(path: &Path) -> Result<File, String> {
    File::create(path).map_err(|error| named(path, &error))
}

/// Formats an I/O error with the path of its file.
pub(crate) fn named(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}
