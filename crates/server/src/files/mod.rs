//! Uploaded files: kept on disk by app and hash, written and read piece by piece (D-0046).
//!
//! Called by the upload and by what serves files. A file is written under a name of its own,
//! fsynced, and renamed once it is whole: whoever finds it finds all of it. Two uploads of the same
//! bytes end as one file. Nothing is ever read whole into memory, and no thread waits for a slow
//! client.

mod media_types;

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use confab_domain::ids::AppId;
use confab_domain::limits;
use sha2::{Digest, Sha256};

use crate::ids;

pub(crate) use media_types::{ending, media_type};

/// A file that is kept.
#[derive(Debug)]
pub(crate) struct Kept {
    /// SHA-256, in hex.
    pub(crate) hash: String,
    /// Bytes.
    pub(crate) size: u64,
}

/// A file on its way in. Dropped before its end, nothing stays.
pub(crate) struct Incoming {
    file: File,
    path: Temporary,
    hasher: Sha256,
    size: u64,
    unwritten: Vec<u8>,
}

/// A path that is removed with its owner.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // Once renamed it is not there any more.
        let _ = fs::remove_file(&self.0);
    }
}

impl Incoming {
    /// An empty file in the folder.
    pub(crate) async fn begin(folder: &Path) -> io::Result<Self> {
        let unfinished = folder.join("unfinished");
        blocking(move || {
            fs::create_dir_all(&unfinished)?;
            let path = unfinished.join(ids::secret());
            let file = File::options().write(true).create_new(true).open(&path)?;
            let (path, hasher) = (Temporary(path), Sha256::new());
            Ok(Self { file, path, hasher, size: 0, unwritten: Vec::new() })
        })
        .await
    }

    /// Bytes so far.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Takes the next bytes.
    pub(crate) async fn write(mut self, bytes: &[u8]) -> io::Result<Self> {
        self.size += bytes.len() as u64;
        self.unwritten.extend_from_slice(bytes);
        if self.unwritten.len() < limits::FILE_CHUNK_BYTES {
            return Ok(self);
        }
        blocking(move || self.flush().map(|()| self)).await
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.unwritten)?;
        self.hasher.update(&self.unwritten);
        self.unwritten.clear();
        Ok(())
    }

    /// It is whole: from now on it is found, also after a crash.
    pub(crate) async fn keep(mut self, folder: &Path, app: AppId) -> io::Result<Kept> {
        let folder = folder.to_owned();
        blocking(move || {
            self.flush()?;
            self.file.sync_all()?;
            let hash = ids::hex(&self.hasher.clone().finalize());
            let place = place(&folder, app, &hash);
            let within = place.parent().unwrap_or(&folder);
            fs::create_dir_all(within)?;
            fs::rename(&self.path.0, &place)?;
            // The names, too: a new folder is named in the one above it.
            for above in within.ancestors().take(3) {
                File::open(above)?.sync_all()?;
            }
            Ok(Kept { hash, size: self.size })
        })
        .await
    }
}

/// A part of a file, to be read piece by piece.
pub(crate) struct Outgoing {
    file: Option<File>,
    left: u64,
}

impl Outgoing {
    /// The bytes from `first` on, `left` of them; nothing without such a file.
    pub(crate) async fn open(
        folder: &Path,
        app: AppId,
        hash: &str,
        (first, left): (u64, u64),
    ) -> io::Result<Option<Self>> {
        let path = place(folder, app, hash);
        blocking(move || {
            let mut file = match File::open(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                opened => opened?,
            };
            file.seek(SeekFrom::Start(first))?;
            Ok(Some(Self { file: Some(file), left }))
        })
        .await
    }

    /// The next bytes; nothing at the end.
    pub(crate) async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        let Some(mut file) = self.file.take().filter(|_| self.left > 0) else { return Ok(None) };
        blocking(move || {
            let size = self.left.min(limits::FILE_CHUNK_BYTES as u64) as usize;
            let mut piece = vec![0; size];
            file.read_exact(&mut piece)?;
            let left = self.left - size as u64;
            Ok(Some((Bytes::from(piece), Self { file: Some(file), left })))
        })
        .await
    }
}

/// Where a file is. Of another app it is another file, even with the same bytes.
fn place(folder: &Path, app: AppId, hash: &str) -> PathBuf {
    folder.join(app.to_string()).join(&hash[..2]).join(hash)
}

/// Whether a text can be the hash of a file.
pub(crate) fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: AppId = AppId(7);

    async fn kept(folder: &Path, bytes: &[u8]) -> Kept {
        let mut incoming = Incoming::begin(folder).await.expect("begun");
        for piece in bytes.chunks(100_000) {
            incoming = incoming.write(piece).await.expect("written");
        }
        incoming.keep(folder, APP).await.expect("kept")
    }

    async fn read(folder: &Path, hash: &str, part: (u64, u64)) -> Vec<u8> {
        let opened = Outgoing::open(folder, APP, hash, part).await.expect("no failure");
        let (mut out, mut bytes) = (opened.expect("there"), Vec::new());
        while let Some((piece, rest)) = out.next().await.expect("read") {
            bytes.extend_from_slice(&piece);
            out = rest;
        }
        bytes
    }

    fn unfinished(folder: &Path) -> usize {
        fs::read_dir(folder.join("unfinished")).expect("a folder").count()
    }

    #[tokio::test]
    async fn what_goes_in_comes_out_whole_or_in_part_and_the_same_bytes_are_one_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let bytes: Vec<u8> = (0..1_000_000_u32).map(|number| (number % 251) as u8).collect();
        let first = kept(folder.path(), &bytes).await;
        let second = kept(folder.path(), &bytes).await;
        assert_eq!((first.size, &first.hash), (1_000_000, &second.hash));
        assert!(is_hash(&first.hash));
        assert_eq!(read(folder.path(), &first.hash, (0, 1_000_000)).await, bytes);
        assert_eq!(read(folder.path(), &first.hash, (999_990, 10)).await, bytes[999_990..]);
        assert_eq!(unfinished(folder.path()), 0);
    }

    #[tokio::test]
    async fn what_does_not_end_leaves_nothing_and_another_app_finds_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let incoming = Incoming::begin(folder.path()).await.expect("begun");
        let incoming = incoming.write(&[1; 300_000]).await.expect("written");
        assert_eq!(unfinished(folder.path()), 1);
        drop(incoming);
        assert_eq!(unfinished(folder.path()), 0);
        let hash = kept(folder.path(), b"secret").await.hash;
        let other = Outgoing::open(folder.path(), AppId(8), &hash, (0, 6)).await;
        assert!(other.expect("no failure").is_none());
    }
}
