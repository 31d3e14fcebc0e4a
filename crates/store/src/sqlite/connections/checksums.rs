//! Page checksums: eight bytes at the end of each page, written and verified by SQLite's own
//! extension (`vendor/cksumvfs.c`), and verified here for full scans (D-0084).

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Result};

use crate::error::{Fault, StoreError, StoreProblem};

/// Number of bytes at the end of each page for the checksum.
const RESERVED: usize = 8;
/// Offset of the number of reserved bytes per page in the file header.
const RESERVED_AT: usize = 20;
const HEAD_BYTES: usize = 100;
/// Maximum number of reads of a page whose checksum is wrong. Reads are repeated because a write to
/// the page may be in progress.
const READS_MAX: usize = 4;
const BETWEEN_READS: Duration = Duration::from_millis(100);
const REPORT_EVERY: Duration = Duration::from_secs(5);

/// Result of a scan of all pages.
#[derive(Debug, Default)]
pub(crate) struct ScanResult {
    /// Number of scanned pages.
    pub(crate) pages: u64,
    /// Numbers of pages with a wrong checksum, counted from 1.
    pub(crate) bad: Vec<u64>,
    /// Whether the pages of the file have checksums at all.
    pub(crate) has_checksums: bool,
}

/// Reserves space for checksums on each page: at once in an empty file, otherwise with the next
/// VACUUM.
pub(crate) fn reserve(db: &Connection) -> Result<()> {
    db.query_row("SELECT reserve_checksums('main')", [], |_| Ok(()))
}

/// Whether the pages of the file have checksums and SQLite verifies them.
pub(crate) fn are_on(db: &Connection) -> Result<bool> {
    // The pragma is valid only after the file header was read.
    db.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
    let on: String = db.query_row("PRAGMA checksum_verification", [], |row| row.get(0))?;
    Ok(on == "1")
}

/// Reads every page of a file. `is_written_to` allows for another process that writes to it. This
/// process must not have the file open: closing it would release all locks of the process on it.
pub(crate) fn scan(
    path: &Path,
    is_written_to: bool,
    report: &dyn Fn(String),
) -> io::Result<ScanResult> {
    let file = File::open(path)?;
    let mut head = [0; HEAD_BYTES];
    if (&file).read_exact(&mut head).is_err() {
        return Ok(ScanResult::default());
    }
    let page_size = match u16::from_be_bytes([head[16], head[17]]) {
        1 => 65_536,
        size => usize::from(size),
    };
    if !page_size.is_power_of_two() || page_size < 512 {
        return Ok(ScanResult { pages: 1, bad: vec![1], has_checksums: true });
    }
    let pages = file.metadata()?.len().div_ceil(page_size as u64);
    let mut scanned = ScanResult { pages, ..ScanResult::default() };
    scanned.has_checksums = usize::from(head[RESERVED_AT]) == RESERVED;
    if !scanned.has_checksums {
        return Ok(scanned);
    }
    let mut reported = Instant::now();
    let mut page = vec![0; page_size];
    for number in 1..=pages {
        if !is_well(&file, &mut page, number)? {
            scanned.bad.push(number);
        }
        if reported.elapsed() > REPORT_EVERY {
            reported = Instant::now();
            report(format!("checked {number} of {pages} pages"));
        }
    }
    // A page may have been in the middle of a write; damage persists.
    let looks = if is_written_to { READS_MAX } else { 1 };
    for _ in 1..looks {
        if scanned.bad.is_empty() {
            break;
        }
        std::thread::park_timeout(BETWEEN_READS);
        let mut still_bad = Vec::new();
        for number in scanned.bad {
            if !is_well(&file, &mut page, number)? {
                still_bad.push(number);
            }
        }
        scanned.bad = still_bad;
    }
    Ok(scanned)
}

fn is_well(file: &File, page: &mut [u8], number: u64) -> io::Result<bool> {
    match file.read_exact_at(page, (number - 1) * page.len() as u64) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| fits(page)),
    }
}

/// Whether a page ends with the checksum of the rest. True for a page of zeros, too.
fn fits(page: &[u8]) -> bool {
    let (content, sum) = page.split_at(page.len() - RESERVED);
    let (mut one, mut two) = (0_u32, 0_u32);
    let (pairs, _) = content.as_chunks::<8>();
    for pair in pairs {
        let [a, b, c, d, e, f, g, h] = *pair;
        one = one.wrapping_add(u32::from_le_bytes([a, b, c, d])).wrapping_add(two);
        two = two.wrapping_add(u32::from_le_bytes([e, f, g, h])).wrapping_add(one);
    }
    sum[..4] == one.to_le_bytes() && sum[4..] == two.to_le_bytes()
}

/// Adds a checksum to every page of a file of an older version. Other processes may be connected,
/// and the file is consistent at every moment. Returns false if the disk lacks space for the
/// rewrite.
pub(crate) fn add(db: &Connection, path: &Path) -> std::result::Result<bool, StoreError> {
    let doing = "adding checksums to all pages";
    let folder = path.parent().unwrap_or(Path::new("."));
    let bytes = std::fs::metadata(path).map_err(StoreError::while_doing(doing))?.len();
    // VACUUM writes a temporary copy, and then writes it over the file through the log.
    let needed = bytes * 2 + 64 * 1024 * 1024;
    let disk = rustix::fs::statvfs(folder).map_err(StoreError::while_doing(doing))?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let in_mb = |bytes: u64| bytes / 1_000_000;
    if free < needed {
        tracing::warn!(
            path = %path.display(),
            needed_mb = in_mb(needed),
            free_mb = in_mb(free),
            "too little free disk space to add page checksums; bit rot may go unnoticed"
        );
        return Ok(false);
    }
    tracing::info!(
        path = %path.display(),
        size_mb = in_mb(bytes),
        "adding checksums to all pages"
    );
    let started = Instant::now();
    with_progress(
        || {
            let elapsed_s = started.elapsed().as_secs();
            tracing::info!(elapsed_s, "still adding checksums to all pages");
        },
        || rewrite(db, folder),
    )
    .map_err(StoreError::while_doing(doing))?;
    Ok(true)
}

fn rewrite(db: &Connection, folder: &Path) -> Result<()> {
    // Otherwise VACUUM would hold its whole copy in memory.
    db.pragma_update(None, "temp_store", "FILE")?;
    db.pragma_update(None, "temp_store_directory", folder.to_string_lossy())?;
    reserve(db)?;
    let done = db.execute_batch("VACUUM").and_then(|()| {
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))
    });
    db.pragma_update(None, "temp_store_directory", "")?;
    db.pragma_update(None, "temp_store", "MEMORY")?;
    match done? {
        false => Ok(()),
        true => Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY),
            Some("another process reads the database; stop other commands".to_owned()),
        )),
    }
}

/// Verifies the checksum of every page of a file, which this process must not have open.
pub(crate) fn verify(path: &Path) -> std::result::Result<(), StoreError> {
    let doing = "reading pages";
    let scanned = scan(path, false, &|_| {}).map_err(StoreError::while_doing(doing))?;
    if scanned.has_checksums && scanned.bad.is_empty() {
        return Ok(());
    }
    let (bad, path) = (scanned.bad.len(), path.display());
    let reason = format!("{bad} of {} pages of {path} are damaged", scanned.pages);
    Err(StoreError::while_doing(doing)(Fault { trouble: StoreProblem::Damaged, reason }))
}

/// Runs `work`, and calls `tell` every few seconds until `work` is done.
pub(crate) fn with_progress<T>(tell: impl Fn() + Send, work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (done, waiting) = std::sync::mpsc::channel::<()>();
        scope.spawn(move || {
            while waiting.recv_timeout(REPORT_EVERY)
                == Err(std::sync::mpsc::RecvTimeoutError::Timeout)
            {
                tell();
            }
        });
        let worked = work();
        drop(done);
        worked
    })
}
