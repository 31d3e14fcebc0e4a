//! Connections to SQLite: readers, page checksums, own functions, and values of statements.

pub(super) mod checksums;
pub(super) mod native;
pub(super) mod read_abort;
pub(super) mod readers;
pub(super) mod tallied;
pub(super) mod values;
