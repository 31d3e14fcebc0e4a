//! The archive that `confab backup` writes and `confab restore` reads: a tar file with the
//! database, the uploaded files, and hashes by which `restore` detects missing or changed parts
//! (design/operations).
//!
//! ```text
//! confab-backup.json   format, size and hash of the database, ids of the keys of its secrets
//! confab.db            a consistent copy of the database
//! files/7/ab/ab12...   every uploaded file, by app and hash
//! confab-backup.end    number of files, and hash of confab-backup.json
//! ```
//!
//! Any tar tool can extract the archive. It never contains the keys that decrypt the database's
//! secrets.

use std::io::{self, Read, Write};

use confab_domain::limits;
use confab_runtime::ids;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Version of the archive format. Archives with another version cannot be restored.
pub(crate) const FORMAT: u32 = 1;

pub(crate) const HEAD: &str = "confab-backup.json";
pub(crate) const DATABASE: &str = "confab.db";
/// Prefix of the names of uploaded files in the archive.
pub(crate) const FILES: &str = "files/";
pub(crate) const END: &str = "confab-backup.end";

/// Maximum size in bytes of `confab-backup.json`, and of `confab-backup.end`.
pub(crate) const NOTE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The first entry of an archive, `confab-backup.json`.
#[derive(Serialize, Deserialize)]
pub(crate) struct ArchiveHead {
    pub(crate) format: u32,
    /// Version of the program that wrote the archive.
    pub(crate) version: String,
    pub(crate) made_at: String,
    /// Ids of the keys that encrypt the database's secrets.
    pub(crate) keys: Vec<String>,
    pub(crate) database_bytes: u64,
    pub(crate) database_sha256: String,
}

/// The last entry of an archive. An archive without it is incomplete.
#[derive(Serialize, Deserialize, Debug, PartialEq, Eq)]
pub(crate) struct ArchiveEnd {
    pub(crate) files: u64,
    pub(crate) file_bytes: u64,
    /// Names of uploaded files that were already damaged when the archive was written.
    pub(crate) damaged: Vec<String>,
    pub(crate) head_sha256: String,
}

/// A reader that computes the hash of all bytes that are read through it.
pub(crate) struct HashingReader<R> {
    inner: R,
    hasher: Sha256,
}

impl<R> HashingReader<R> {
    pub(crate) fn of(inner: R) -> Self {
        Self { inner, hasher: Sha256::new() }
    }

    /// Returns the SHA-256 hash of all bytes that were read, in hexadecimal.
    pub(crate) fn hash(self) -> String {
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

/// Copies all bytes in large chunks. Returns their number and hash.
pub(crate) fn copy(from: impl Read, to: &mut dyn Write) -> io::Result<(u64, String)> {
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

/// Returns the SHA-256 hash of a text, in hexadecimal.
pub(crate) fn hash_of(text: &[u8]) -> String {
    ids::hex(&Sha256::digest(text))
}
