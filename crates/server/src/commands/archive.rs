//! The archive that `confab backup` writes and `confab restore` reads: a tar with the database, the
//! uploaded files, and what proves that all of it is there and as it was (D-0181).
//!
//! ```text
//! confab-backup.json   what follows: the database's size and hash, the keys that open its secrets
//! confab.db            a consistent copy of the database
//! files/7/ab/ab12...   every uploaded file, by app and hash
//! confab-backup.end    how many files there were, and the hash of the beginning
//! ```
//!
//! Any tool opens it. The key that opens the secrets is never in it.

use std::io::{self, Read, Write};

use confab_domain::limits;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::ids;

/// What is written now, and the only thing that is read.
pub(super) const FORMAT: u32 = 1;

pub(super) const HEAD: &str = "confab-backup.json";
pub(super) const DATABASE: &str = "confab.db";
/// What names of uploaded files begin with.
pub(super) const FILES: &str = "files/";
pub(super) const END: &str = "confab-backup.end";

/// Bytes that the first and the last part may have.
pub(super) const NOTE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The beginning of an archive.
#[derive(Serialize, Deserialize)]
pub(super) struct ArchiveHead {
    pub(super) format: u32,
    /// Of the program that wrote it.
    pub(super) version: String,
    pub(super) made_at: String,
    /// The names of the keys that the database's secrets are sealed with.
    pub(super) keys: Vec<String>,
    pub(super) database_bytes: u64,
    pub(super) database_sha256: String,
}

/// The end of an archive: without it something is missing.
#[derive(Serialize, Deserialize, Debug, PartialEq, Eq)]
pub(super) struct ArchiveEnd {
    pub(super) files: u64,
    pub(super) file_bytes: u64,
    /// Names of files that were damaged before they were copied.
    pub(super) damaged: Vec<String>,
    pub(super) head_sha256: String,
}

/// Passes bytes on and hashes them.
pub(super) struct HashingReader<R> {
    inner: R,
    hasher: Sha256,
}

impl<R> HashingReader<R> {
    pub(super) fn of(inner: R) -> Self {
        Self { inner, hasher: Sha256::new() }
    }

    /// The hash of all that was read, in hex.
    pub(super) fn hash(self) -> String {
        ids::hex(&self.hasher.finalize())
    }
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        Ok(count)
    }
}

/// Copies all bytes, in large pieces, and gives their number and their hash.
pub(super) fn copy(from: impl Read, to: &mut dyn Write) -> io::Result<(u64, String)> {
    let mut hashing = HashingReader::of(from);
    let mut piece = vec![0; limits::FILE_CHUNK_BYTES];
    let mut bytes = 0;
    loop {
        let count = hashing.read(&mut piece)?;
        if count == 0 {
            return Ok((bytes, hashing.hash()));
        }
        to.write_all(&piece[..count])?;
        bytes += count as u64;
    }
}

/// The hash of a text.
pub(super) fn hash_of(text: &[u8]) -> String {
    ids::hex(&Sha256::digest(text))
}
