//! The mark of a data folder: the id of the newest acknowledged message, in a small file next to
//! the database (D-0084).
//!
//! SQLite ends the write-ahead log at the first unreadable frame. After bit rot, it mistakes the
//! rest for an interrupted write and silently loses acknowledged messages, which the mark detects.
//! The mark is written after a commit is on disk and before the commit is published, without an
//! fsync of its own: a power cut can only lower it, and a mark that is too low has no effect. Ids
//! rise and messages are never removed, so a mark above the newest message of the database means
//! that messages were lost.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// The mark of a data folder, opened for writing.
pub(crate) struct NewestMark(File);

impl NewestMark {
    /// Opens or creates the mark.
    pub(crate) fn open(folder: &Path) -> std::result::Result<Self, StoreError> {
        let options = File::options().write(true).create(true).truncate(false).open(path(folder));
        options.map(Self).map_err(StoreError::while_doing("opening the mark of the newest message"))
    }

    /// Records that this message and all before it are on disk.
    pub(crate) fn set(&self, message: i64) {
        // One write within one sector is atomic. If it fails, the mark is only too low.
        if self.0.write_all_at(line(message).as_bytes(), 0).is_err() {
            metrics::counter!("confab_store_loss_mark_failures_total").increment(1);
        }
    }
}

/// Content of the mark's file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum MarkContent {
    /// The mark is missing or was never written.
    Nothing,
    /// This message and all before it were acknowledged.
    Message(i64),
    /// The mark is damaged.
    Unreadable,
}

/// Reads the mark of a folder. Callers must read it before the database, to which a server may add
/// messages.
pub(crate) fn marked(folder: &Path) -> std::result::Result<MarkContent, StoreError> {
    // A server may be in the middle of a write.
    for _ in 1..READS_MAX {
        match read(folder)? {
            MarkContent::Unreadable => std::thread::yield_now(),
            marked => return Ok(marked),
        }
    }
    read(folder)
}

fn read(folder: &Path) -> std::result::Result<MarkContent, StoreError> {
    let text = match std::fs::read(path(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(MarkContent::Nothing),
        text => text.map_err(StoreError::while_doing("reading the mark of the newest message"))?,
    };
    // After a power cut, a new file may exist without its content.
    if text.iter().all(|byte| *byte == 0) {
        return Ok(MarkContent::Nothing);
    }
    let number = std::str::from_utf8(&text).ok().and_then(|text| text.get(..DIGITS)?.parse().ok());
    // The number is stored twice to detect flipped bits.
    Ok(match number.filter(|number| line(*number).as_bytes() == text) {
        Some(message) => MarkContent::Message(message),
        None => MarkContent::Unreadable,
    })
}

const DIGITS: usize = 20;
const READS_MAX: usize = 5;

fn line(number: i64) -> String {
    format!("{number:020} {number:020}\n")
}

fn path(folder: &Path) -> PathBuf {
    folder.join("confab.mark")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_returns_the_last_value_and_detects_every_flipped_bit() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(marked(folder.path()).expect("read"), MarkContent::Nothing);
        let mark = NewestMark::open(folder.path()).expect("opened");
        assert_eq!(marked(folder.path()).expect("read"), MarkContent::Nothing);
        mark.set(7);
        mark.set(i64::MAX);
        mark.set(1234);
        assert_eq!(marked(folder.path()).expect("read"), MarkContent::Message(1234));
        let written = std::fs::read(path(folder.path())).expect("read");
        for bit in 0..written.len() * 8 {
            let mut flipped = written.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(path(folder.path()), &flipped).expect("written");
            assert_eq!(marked(folder.path()).expect("read"), MarkContent::Unreadable, "bit {bit}");
        }
    }
}
