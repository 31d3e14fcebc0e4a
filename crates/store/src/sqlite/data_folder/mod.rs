//! The data folder: its lock, its mark, its write-ahead log, and reasons why it cannot be opened.

pub(crate) mod folder;
pub(crate) mod loss;
pub(super) mod mark;
pub(super) mod not_opened;
pub(super) mod read_only;
pub(super) mod wal_file;
