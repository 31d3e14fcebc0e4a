//! Detects missing acknowledged messages. If any are missing, the database is not opened for
//! writing, and nothing is removed, until the operator accepts the loss (D-0084).

use std::path::Path;

use rusqlite::Connection;

use super::mark::{MarkContent, NewestMark};
use super::{folder, wal_file};
use crate::error::{Fault, StoreError, StoreProblem};
use crate::sqlite::connections::native;
use crate::sqlite::message_index::places_on_disk;

const LOOKING: &str = "checking whether messages are missing";

/// Returns whether the write-ahead log breaks off before its end. If so, logs an error and copies
/// the log. This must run under the folder's lock and before SQLite opens the database, because
/// SQLite discards the frames after the break.
pub(crate) fn inspect_log(database: &Path) -> Result<bool, StoreError> {
    let log = wal_file::path(database);
    let looked = wal_file::inspect(&log).map_err(StoreError::while_doing(LOOKING))?;
    if !looked.breaks_off() {
        return Ok(false);
    }
    let kept = wal_file::keep(&log).map_err(StoreError::while_doing(LOOKING))?;
    let kept = kept.map_or_else(String::new, |copy| copy.display().to_string());
    tracing::error!(
        path = %log.display(),
        frames.valid = looked.trusted,
        frames.following = looked.following,
        copy = %kept,
        "write-ahead log breaks off before its end, after a power cut or on a damaged disk"
    );
    Ok(true)
}

/// Restarts the write-ahead log, so that old frames after its end are never mistaken for new ones.
pub(crate) fn restart_log(db: &Connection) -> Result<(), StoreError> {
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .map_err(StoreError::while_doing("resetting the write-ahead log"))
}

/// Fails for a folder that has a mark but no database.
pub(crate) fn refuse_without_file(database: &Path, marked: &MarkContent) -> Result<(), StoreError> {
    let is_empty = std::fs::metadata(database).map_or(true, |file| file.len() == 0);
    // The first commit may still be in the log, with an empty file.
    let has_log = wal_file::path(database).exists();
    match marked {
        MarkContent::Message(marked) if *marked > 0 && is_empty && !has_log => {
            Err(lost(database, *marked, 0))
        }
        _ => Ok(()),
    }
}

/// Fails for a database that lacks acknowledged messages. The mark must have been read before the
/// database was opened.
pub(crate) fn refuse(
    db: &Connection,
    database: &Path,
    marked: &MarkContent,
) -> Result<(), StoreError> {
    match marked {
        MarkContent::Nothing => Ok(()),
        MarkContent::Unreadable => {
            let folder = database.parent().unwrap_or(database);
            tracing::error!(
                path = %folder.join("confab.mark").display(),
                "mark of the newest message is damaged; missing messages cannot be detected"
            );
            Ok(())
        }
        MarkContent::Message(marked) => {
            let newest = newest(db)?;
            if newest < *marked { Err(lost(database, *marked, newest)) } else { Ok(()) }
        }
    }
}

/// Returns the id of the newest message in the database, or 0 without messages.
pub(crate) fn newest(db: &Connection) -> Result<i64, StoreError> {
    let is_there = "SELECT count(*) FROM sqlite_schema WHERE name = 'messages'";
    let newest = db
        .query_row(is_there, [], |row| row.get::<_, i64>(0))
        .and_then(|count| if count == 0 { Ok(0) } else { places_on_disk::newest_message(db) });
    newest.map_err(StoreError::while_doing(LOOKING))
}

pub(crate) fn in_words(database: &Path, marked: i64, newest: i64) -> String {
    format!(
        "acknowledged messages are missing from {}: its newest message is {newest}, but the \
         newest acknowledged one is {marked}; its write-ahead log was damaged or removed, or an \
         older database replaced it",
        database.display()
    )
}

fn lost(database: &Path, marked: i64, newest: i64) -> StoreError {
    let reason = format!(
        "{}. Nothing was changed. Restore a backup into an empty folder, or accept the loss with \
         `confab check --accept-loss`",
        in_words(database, marked, newest)
    );
    StoreError::while_doing(LOOKING)(Fault { trouble: StoreProblem::Damaged, reason })
}

/// Accepts the loss of messages: sets the mark to the newest message that exists. Retains a copy of
/// the write-ahead log, which may contain messages that SQLite cannot read.
pub fn accept(data_folder: &Path) -> Result<(), StoreError> {
    native::use_checksums()?;
    let _lock = folder::lock(data_folder)?;
    let database = folder::database(data_folder);
    wal_file::keep(&wal_file::path(&database)).map_err(StoreError::while_doing(LOOKING))?;
    let newest = match std::fs::metadata(&database).is_ok_and(|file| file.len() > 0) {
        true => {
            let db = Connection::open(&database);
            let db = db.map_err(StoreError::while_doing("opening the database"))?;
            restart_log(&db)?;
            newest(&db)?
        }
        false => 0,
    };
    NewestMark::open(data_folder)?.set(newest);
    Ok(())
}
