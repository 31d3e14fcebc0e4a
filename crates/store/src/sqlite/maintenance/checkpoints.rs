//! Checkpoints of the write-ahead log into the database file, concurrent with the writer
//! (design/storage).
//!
//! A checkpoint by the writer itself would delay every post. A thread with its own connection moves
//! most pages while commits continue. The writer then moves the few pages that were added since,
//! between two commits, because the log restarts only after a checkpoint to its end.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::config::DbConfig;
use rusqlite::hooks::Wal;
use rusqlite::wal::CheckpointMode;
use rusqlite::{Connection, OpenFlags};

use crate::error::StoreError;
use crate::sqlite::connections::native;
use crate::writing::readiness::Readiness;

/// Minimum number of pages in the log for a checkpoint.
const WORTH_PAGES: u32 = 4_000;
/// Maximum number of pages that the checkpoint thread leaves to the writer.
const LEFT_PAGES: u32 = 500;
/// Maximum number of checkpoints in a row by which the thread tries to leave at most
/// [`LEFT_PAGES`], while the writer adds pages.
const ROUNDS_MAX: usize = 3;
/// Number of pages in the log (64 MiB) from which the writer runs the checkpoint itself and delays
/// posts, so that the log does not grow without bound.
const LOG_PAGES_MAX: u32 = 16_000;

/// Keeps the write-ahead log short. Owned by the writer; dropping it waits for the checkpoint
/// thread.
pub(crate) struct Checkpoints {
    /// Number of pages in the log after the last commit.
    pages: Arc<AtomicU32>,
    /// Whether the thread has moved all pages that it can move. The writer can then move the rest.
    is_nearly_done: Arc<AtomicBool>,
    /// Held during a checkpoint, because SQLite fails a second one that runs concurrently.
    moving: Arc<Mutex<()>>,
    /// Wakes the thread if it sleeps.
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
    readiness: Arc<Readiness>,
}

impl Checkpoints {
    /// Starts the thread for the database of this connection.
    pub(crate) fn start(
        db: &mut Connection,
        path: &Path,
        readiness: Arc<Readiness>,
    ) -> Result<Self, StoreError> {
        let doing = "opening the database for checkpoints";
        let beside = open(path).map_err(StoreError::while_doing(doing))?;
        let (pages, is_nearly_done) = (Arc::<AtomicU32>::default(), Arc::<AtomicBool>::default());
        let counted = pages.clone();
        // Replaces SQLite's own hook, which runs the whole checkpoint after a commit.
        let hook = move |_: &mut Wal, count: i32| {
            counted.store(count.unsigned_abs(), Ordering::Relaxed);
            Ok(())
        };
        db.wal_hook(Some(hook)).map_err(StoreError::while_doing(doing))?;
        let (wake, woken) = sync_channel(1);
        let moving = Arc::<Mutex<()>>::default();
        let mover = Mover {
            db: beside,
            moving: moving.clone(),
            is_nearly_done: is_nearly_done.clone(),
            readiness: readiness.clone(),
        };
        let thread = thread::Builder::new()
            .name("checkpoints".to_owned())
            .spawn(move || mover.move_when_woken(&woken))
            .map_err(StoreError::while_doing(doing))?;
        let (wake, thread) = (Some(wake), Some(thread));
        Ok(Self { pages, is_nearly_done, moving, wake, thread, readiness })
    }

    /// Runs or requests a checkpoint if the log is long. The writer calls it with its connection
    /// after each commit.
    pub(crate) fn after_commit(&self, db: &Connection) {
        let pages = self.pages.load(Ordering::Relaxed);
        if pages < WORTH_PAGES {
            return;
        }
        let is_too_long = pages >= LOG_PAGES_MAX;
        if is_too_long || self.is_nearly_done.swap(false, Ordering::AcqRel) {
            let alone = match is_too_long {
                true => Some(self.moving.lock()),
                false => self.moving.try_lock(),
            };
            let moved = alone.map_or(Ok(0), |_alone| move_pages(db));
            moved.map(drop).unwrap_or_else(|error| note(db, error, &self.readiness));
        } else if let Some(wake) = &self.wake {
            // A full channel means that the thread is awake.
            let _ = wake.try_send(());
        }
    }

    /// Waits until the thread has ended.
    pub(crate) fn stop(&mut self) {
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.stop();
    }
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(Duration::from_secs(10))?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    db.execute_batch("PRAGMA synchronous = FULL; PRAGMA cache_size = -64;")?;
    Ok(db)
}

/// State of the checkpoint thread.
struct Mover {
    db: Connection,
    moving: Arc<Mutex<()>>,
    is_nearly_done: Arc<AtomicBool>,
    readiness: Arc<Readiness>,
}

impl Mover {
    fn move_when_woken(&self, woken: &Receiver<()>) {
        while woken.recv().is_ok() {
            match self.move_most() {
                Ok(()) => self.is_nearly_done.store(true, Ordering::Release),
                Err(error) => note(&self.db, error, &self.readiness),
            }
        }
    }

    fn move_most(&self) -> rusqlite::Result<()> {
        for _ in 0..ROUNDS_MAX {
            let _alone = self.moving.lock();
            if move_pages(&self.db)? <= LEFT_PAGES {
                break;
            }
        }
        Ok(())
    }
}

/// Logs a failed checkpoint. Nothing is lost: the log still has all pages, and the next commit
/// retries.
fn note(db: &Connection, error: rusqlite::Error, readiness: &Readiness) {
    let has_room = !native::has_no_room(db);
    let error = StoreError::while_doing("checkpointing the write-ahead log")(error);
    let fault = error.fault();
    readiness.notice_damage(&fault);
    tracing::warn!(
        is_disk_full = !has_room,
        error = %fault,
        "failed to checkpoint the write-ahead log; retrying"
    );
}

/// Runs a checkpoint without waiting for readers. Returns the number of pages left.
fn move_pages(db: &Connection) -> rusqlite::Result<u32> {
    let (in_log, moved) = db.wal_checkpoint_v2(None::<&str>, CheckpointMode::PASSIVE)?;
    Ok(u32::try_from(in_log - moved).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(db: &Connection, rows: usize) {
        let wide = vec![7_u8; 3_000];
        let insert = "INSERT INTO wide (bytes) VALUES (?1)";
        for _ in 0..rows {
            db.prepare_cached(insert)
                .expect("the statement is valid")
                .execute([&wide])
                .expect("written");
        }
    }

    fn pages(checkpoints: &Checkpoints) -> u32 {
        checkpoints.pages.load(Ordering::Relaxed)
    }

    #[test]
    fn the_log_restarts_during_commits_and_no_row_is_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("some.db");
        let mut db = Connection::open(&path).expect("the file opens");
        db.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
             CREATE TABLE wide (id INTEGER PRIMARY KEY, bytes BLOB)",
        )
        .expect("created");
        let mut checkpoints =
            Checkpoints::start(&mut db, &path, Arc::default()).expect("the thread starts");
        let (mut written, mut highest, mut times) = (0_i64, 0, 0);
        // The log is bounded, so it restarts eventually, however long the thread takes.
        while times < 3 {
            let before = pages(&checkpoints);
            write(&db, 50);
            written += 50;
            checkpoints.after_commit(&db);
            highest = highest.max(pages(&checkpoints));
            times += usize::from(pages(&checkpoints) < before);
        }
        assert!(highest <= LOG_PAGES_MAX + 1_000, "{highest} pages in the log");
        checkpoints.stop();
        drop((checkpoints, db));
        let again = Connection::open(&path).expect("the file opens");
        let count: i64 = again
            .query_row("SELECT count(*) FROM wide WHERE length(bytes) = 3000", [], |row| row.get(0))
            .expect("counted");
        assert_eq!(count, written);
    }
}
