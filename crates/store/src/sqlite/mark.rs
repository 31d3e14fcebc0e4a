//! The newest acknowledged message, in a small file beside the database: the mark (D-0084).
//!
//! The write-ahead log ends where it cannot be read: if a bit of it rots, SQLite takes what follows
//! for the rest of an interrupted write, and acknowledged messages are gone without a word. The
//! mark knows better. It is written after a commit is on disk and before anybody is told of it,
//! without an fsync of its own: what a power cut takes from it makes it only lower, and a mark that
//! is too low says nothing. Ids rise and messages are never removed, so a mark above the newest
//! message of the database means that messages were lost.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// The mark of a data folder, to be written.
pub(super) struct NewestMark(File);

impl NewestMark {
    /// Opens it, or makes it.
    pub(super) fn open(folder: &Path) -> std::result::Result<Self, StoreError> {
        let options = File::options().write(true).create(true).truncate(false).open(path(folder));
        options.map(Self).map_err(StoreError::while_doing("opening the mark of the newest message"))
    }

    /// This message is on disk, and so are all before it.
    pub(super) fn set(&self, message: i64) {
        // One write within one sector: it is there, or not. If it fails, the mark is only too low.
        if self.0.write_all_at(line(message).as_bytes(), 0).is_err() {
            metrics::counter!("confab_store_loss_mark_failures_total").increment(1);
        }
    }
}

/// What a mark says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Marked {
    /// There is none, or it was never written.
    Nothing,
    /// This message was acknowledged, and all before it.
    Message(i64),
    /// It is damaged itself.
    Unreadable,
}

/// Reads the mark of a folder. To be read before the database: that only grows.
pub(super) fn marked(folder: &Path) -> std::result::Result<Marked, StoreError> {
    // A server may be writing it just now.
    for _ in 1..LOOKS_MAX {
        match read(folder)? {
            Marked::Unreadable => std::thread::yield_now(),
            marked => return Ok(marked),
        }
    }
    read(folder)
}

fn read(folder: &Path) -> std::result::Result<Marked, StoreError> {
    let text = match std::fs::read(path(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Marked::Nothing),
        text => text.map_err(StoreError::while_doing("reading the mark of the newest message"))?,
    };
    // After a power cut a new file may be there without what was written to it.
    if text.iter().all(|byte| *byte == 0) {
        return Ok(Marked::Nothing);
    }
    let number = std::str::from_utf8(&text).ok().and_then(|text| text.get(..DIGITS)?.parse().ok());
    // Said twice, so that a flipped bit shows.
    Ok(match number.filter(|number| line(*number).as_bytes() == text) {
        Some(message) => Marked::Message(message),
        None => Marked::Unreadable,
    })
}

const DIGITS: usize = 20;
const LOOKS_MAX: usize = 5;

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
    fn a_mark_says_what_was_set_last_and_tells_when_a_bit_of_it_flipped() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(marked(folder.path()).expect("read"), Marked::Nothing);
        let mark = NewestMark::open(folder.path()).expect("opened");
        assert_eq!(marked(folder.path()).expect("read"), Marked::Nothing);
        mark.set(7);
        mark.set(i64::MAX);
        mark.set(1234);
        assert_eq!(marked(folder.path()).expect("read"), Marked::Message(1234));
        let written = std::fs::read(path(folder.path())).expect("read");
        for bit in 0..written.len() * 8 {
            let mut flipped = written.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(path(folder.path()), &flipped).expect("written");
            assert_eq!(marked(folder.path()).expect("read"), Marked::Unreadable, "bit {bit}");
        }
    }
}
