//! The data folder: made for its owner only, served by one process at a time.

use std::fs::{DirBuilder, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::error::StoreError;

const LOCK: &str = "confab.lock";

/// The database file in a data folder.
pub(super) fn database(folder: &Path) -> PathBuf {
    folder.join("confab.db")
}

/// Makes the folder where it is missing; nobody else on the machine may look inside.
pub(super) fn prepare(folder: &Path) -> Result<(), StoreError> {
    if folder.is_dir() {
        return Ok(());
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| StoreError::while_doing("making the data folder")(named(folder, &error)))
}

/// Keeps other commands from rebuilding something in the folder, whoever serves from it.
pub(super) fn lock_for_rebuild(folder: &Path) -> Result<File, StoreError> {
    let doing = "locking the data folder";
    let file = made(&folder.join("rebuild.lock")).map_err(StoreError::while_doing(doing))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(_) => Err(StoreError::while_doing(doing)("another command rebuilds; wait for its end")),
    }
}

/// Takes the folder for this process; the lock ends with the process, however it ends.
pub(super) fn lock(folder: &Path) -> Result<File, StoreError> {
    let doing = "locking the data folder";
    let file = made(&folder.join(LOCK)).map_err(StoreError::while_doing(doing))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(_) => Err(StoreError::while_doing(doing)(format!(
            "another confab serves from {}; stop it or use another --data",
            folder.display()
        ))),
    }
}

/// Whether a process has taken the folder. The lock is only tried, and nothing is made for it.
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
    tried.map_err(|error| StoreError::while_doing("looking who serves")(named(&path, &error)))
}

/// A file that is there from now on.
fn made(path: &Path) -> Result<File, String> {
    File::create(path).map_err(|error| named(path, &error))
}

/// What the system says, and of which file.
pub(super) fn named(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}
