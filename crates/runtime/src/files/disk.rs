//! Reading files from disk.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use bytes::Bytes;
use confab_domain::limits;

/// An open part of a file on disk.
pub struct Disk {
    file: Option<File>,
    left: u64,
}

impl Disk {
    /// Opens `left` bytes of a file from position `first`. Returns `None` if the file does not
    /// exist.
    pub(super) async fn open(path: PathBuf, (first, left): (u64, u64)) -> io::Result<Option<Self>> {
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

    /// Reads a chunk. Returns its bytes with the rest of the file, or `None` at the end.
    pub(super) async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
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

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}
