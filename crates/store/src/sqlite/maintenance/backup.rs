//! Creates consistent copies of the whole database, also while it is in use.

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use crate::error::StoreError;
use crate::sqlite::connections::checksums;
use crate::sqlite::data_folder::{folder, loss, mark};

/// Progress of a copy.
#[derive(Debug, Clone, Copy)]
pub struct CopyProgress {
    /// Number of bytes written so far.
    pub done_bytes: u64,
    /// Approximate final size in bytes.
    pub total_bytes: u64,
}

const DOING: &str = "copying the database";

/// Copies the database of a data folder, which may be in use, into a new file. Returns its size in
/// bytes.
pub fn backup(
    data_folder: &Path,
    target: &Path,
    report: impl Fn(CopyProgress) + Send,
) -> Result<u64, StoreError> {
    let source = folder::database(data_folder);
    let marked = mark::marked(data_folder)?;
    let connection = crate::sqlite::maintenance::check::open(&source)?;
    loss::refuse(&connection, &source, &marked)?;
    if target.exists() {
        return Err(StoreError::while_doing(DOING)(format!(
            "{} exists already; name a new file",
            target.display()
        )));
    }
    let total_bytes = fs::metadata(&source).map_or(0, |file| file.len());
    let unfinished = unfinished(target);
    std::thread::scope(|scope| {
        let (done, waiting) = std::sync::mpsc::channel::<()>();
        scope.spawn(move || {
            while waiting.recv_timeout(Duration::from_secs(1))
                == Err(std::sync::mpsc::RecvTimeoutError::Timeout)
            {
                let done_bytes = fs::metadata(&unfinished).map_or(0, |file| file.len());
                report(CopyProgress { done_bytes, total_bytes });
            }
        });
        let copied = copy_whole(&connection, target);
        drop(done);
        copied
    })?;
    fs::metadata(target).map(|file| file.len()).map_err(StoreError::while_doing(DOING))
}

/// Copies the database as the connection sees it. The target file appears only once it is complete
/// and synced.
pub(crate) fn copy_whole(connection: &Connection, target: &Path) -> Result<(), StoreError> {
    let unfinished = unfinished(target);
    if unfinished.exists() {
        fs::remove_file(&unfinished).map_err(StoreError::while_doing(DOING))?;
    }
    // Gives a better message than SQLite's own.
    File::create_new(&unfinished)
        .map_err(|error| StoreError::while_doing(DOING)(folder::named(&unfinished, &error)))?;
    // Reserves the bytes for page checksums in the new file.
    let name = uri(&unfinished, "reserve=8");
    connection.execute("VACUUM INTO ?1", [name]).map_err(StoreError::while_doing(DOING))?;
    checksums::verify(&unfinished)?;
    let on_disk = File::open(&unfinished)
        .and_then(|file| file.sync_all())
        .and_then(|()| fs::rename(&unfinished, target))
        .and_then(|()| File::open(parent(target))?.sync_all());
    on_disk.map_err(StoreError::while_doing(DOING))
}

/// Formats a path as an SQLite URI with parameters.
pub(crate) fn uri(path: &Path, wanted: &str) -> String {
    let mut name = "file:".to_owned();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                name.push(char::from(*byte));
            }
            byte => name.push_str(&format!("%{byte:02x}")),
        }
    }
    name + "?" + wanted
}

fn unfinished(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".unfinished");
    PathBuf::from(name)
}

fn parent(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
