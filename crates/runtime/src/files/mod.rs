//! Uploaded files, stored by app and hash on disk or in a bucket, and streamed in both directions
//! (design/files).
//!
//! Called by the upload and by handlers that serve files. A file is written under a temporary name,
//! fsynced, and renamed when it is complete and allowed, so readers never see a partial file.
//! Identical files of an app are stored once. Files are never read into memory as a whole, no
//! thread waits for a slow client, and some disk space always stays free (design/files).

mod bucket;
mod disk;
mod free_space;
mod media_types;
mod place;

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use bytes::Bytes;
use confab_domain::app::AppCode;
use confab_domain::ids::{AppId, ID_END};
use confab_domain::limits;
use confab_domain::time::Timestamp;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use url::Url;

use crate::config::{Config, S3};
use crate::files::disk::{Disk, blocking};
use crate::ids;
use bucket::S3Bucket;
use free_space::FreeSpace;

pub use media_types::{ending, media_type};
pub use place::{name_place, named_place};

/// Minimum interval of progress reports while stored files are checked.
const REPORT_INTERVAL: Duration = Duration::from_secs(5);

/// Name of the folder with unfinished uploads.
const UNFINISHED: &str = "unfinished";

/// The storage of uploaded files: a folder or a bucket.
pub struct Files {
    folder: PathBuf,
    bucket: Option<S3Bucket>,
    free_space: FreeSpace,
}

impl Files {
    /// Creates the file storage from the configuration.
    pub fn new(config: &Config) -> Self {
        let bucket = config.s3.as_ref().and_then(S3Bucket::new);
        let free_space = FreeSpace::new(config.free_space_min_bytes);
        Self { folder: config.files_folder.clone(), bucket, free_space }
    }

    /// Creates an empty file for an upload.
    pub async fn begin(&self) -> io::Result<IncomingFile> {
        IncomingFile::begin(&self.folder, self.free_space).await
    }

    /// Moves a complete file to its permanent path or into the bucket, where it survives a crash.
    pub async fn keep(&self, whole: WholeFile, app: AppId) -> io::Result<StoredFileInfo> {
        let Some(bucket) = &self.bucket else { return whole.keep(&self.folder, app).await };
        let WholeFile { kept, path } = whole;
        let file = Disk::open(path.0.clone(), (0, kept.size)).await?;
        let file = file.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        bucket.put(app, &kept.hash, file, kept.size).await?;
        Ok(kept)
    }

    /// Removes unfinished uploads that were last written before this time; the processes that
    /// received them have ended. Returns their number.
    pub async fn delete_unfinished(&self, before: Timestamp) -> io::Result<usize> {
        let unfinished = self.folder.join(UNFINISHED);
        let before = UNIX_EPOCH + Duration::from_micros(before.0.max(0).unsigned_abs());
        blocking(move || {
            let files = match fs::read_dir(unfinished) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
                files => files?,
            };
            let mut count = 0;
            for file in files {
                let file = file?;
                // A file that no longer exists was finished in the meantime.
                let written_at = file.metadata().and_then(|it| it.modified());
                if written_at.is_ok_and(|at| at < before) && fs::remove_file(file.path()).is_ok() {
                    count += 1;
                }
            }
            Ok(count)
        })
        .await
    }

    /// Opens `left` bytes of a file from position `first`. Returns `None` if the file does not
    /// exist.
    pub async fn open(
        &self,
        app: AppId,
        hash: &str,
        part: (u64, u64),
    ) -> io::Result<Option<OutgoingFile>> {
        match &self.bucket {
            None => {
                let opened = Disk::open(place(&self.folder, app, hash), part).await?;
                Ok(opened.map(OutgoingFile::Disk))
            }
            Some(bucket) => Ok(bucket.get(app, hash, part).await?.map(OutgoingFile::Bucket)),
        }
    }
}

impl Files {
    /// Publishes the free disk space as a metric. Runs in a blocking thread, because a disk may be
    /// slow.
    pub async fn show_free_space(&self) -> io::Result<()> {
        let files = self.folder.clone();
        blocking(move || {
            let data = files.parent().unwrap_or(&files);
            free_space::show([data, &files]);
            Ok(())
        })
        .await
    }

    /// Removes a file. Succeeds if the file does not exist.
    pub async fn remove(&self, app: AppId, hash: &str) -> io::Result<()> {
        if let Some(bucket) = &self.bucket {
            return bucket.remove(app, hash).await;
        }
        let path = place(&self.folder, app, hash);
        blocking(move || match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        })
        .await
    }
}

/// Checks that files can be written, read and removed in the bucket.
pub async fn try_bucket(settings: &S3) -> io::Result<()> {
    let bucket = S3Bucket::new(settings);
    bucket.ok_or_else(|| io::Error::other("the bucket URL is invalid"))?.try_out().await
}

/// The hash and size of a complete file.
#[derive(Debug)]
pub struct StoredFileInfo {
    /// SHA-256 in hexadecimal.
    pub hash: String,
    /// Size in bytes.
    pub size: u64,
}

/// A file that is being received. Dropping the value removes the file.
pub struct IncomingFile {
    file: File,
    path: Temporary,
    hasher: Sha256,
    size: u64,
    unwritten: Vec<u8>,
    free_space: FreeSpace,
}

/// A complete file on disk under its temporary name. Dropping the value removes the file.
pub struct WholeFile {
    pub kept: StoredFileInfo,
    path: Temporary,
}

/// A path whose file is removed on drop.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // After a rename, the file no longer exists under this path.
        let _ = fs::remove_file(&self.0);
    }
}

impl IncomingFile {
    /// Creates an empty file below the folder for unfinished uploads.
    async fn begin(folder: &Path, free_space: FreeSpace) -> io::Result<Self> {
        let unfinished = folder.join(UNFINISHED);
        writing(move || {
            fs::create_dir_all(&unfinished)?;
            let path = unfinished.join(ids::secret());
            let file = File::options().write(true).create_new(true).open(&path)?;
            let (path, hasher) = (Temporary(path), Sha256::new());
            let unwritten =
                Vec::with_capacity(limits::FILE_CHUNK_BYTES + limits::UPLOAD_PIECE_BYTES);
            free_space.check(&file)?;
            Ok(Self { file, path, hasher, size: 0, unwritten, free_space })
        })
        .await
    }

    /// Returns the number of bytes received so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends bytes to the file.
    pub async fn write(mut self, bytes: &[u8]) -> io::Result<Self> {
        self.size += bytes.len() as u64;
        for piece in bytes.chunks(limits::UPLOAD_PIECE_BYTES) {
            self.unwritten.extend_from_slice(piece);
            if self.unwritten.len() >= limits::FILE_CHUNK_BYTES {
                self = writing(move || self.flush().map(|()| self)).await?;
            }
        }
        Ok(self)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.free_space.check(&self.file)?;
        self.file.write_all(&self.unwritten)?;
        self.hasher.update(&self.unwritten);
        self.unwritten.clear();
        Ok(())
    }

    /// Completes the file and syncs it to disk.
    pub async fn finish(mut self) -> io::Result<WholeFile> {
        writing(move || {
            self.flush()?;
            self.file.sync_all()?;
            let hash = ids::hex(&self.hasher.finalize());
            Ok(WholeFile { kept: StoredFileInfo { hash, size: self.size }, path: self.path })
        })
        .await
    }
}

impl WholeFile {
    /// Moves the file to its permanent path.
    async fn keep(self, folder: &Path, app: AppId) -> io::Result<StoredFileInfo> {
        let Self { kept, path } = self;
        let folder = folder.to_owned();
        writing(move || {
            let place = place(&folder, app, &kept.hash);
            let within = place.parent().unwrap_or(&folder);
            fs::create_dir_all(within)?;
            fs::rename(&path.0, &place)?;
            // Also sync the folders: a new folder is an entry in its parent.
            for above in within.ancestors().take(3) {
                File::open(above)?.sync_all()?;
            }
            Ok(kept)
        })
        .await
    }
}

/// A part of a file, to be streamed.
pub enum OutgoingFile {
    Disk(Disk),
    Bucket(hyper::body::Incoming),
}

impl OutgoingFile {
    /// Reads a chunk. Returns its bytes with the rest of the file, or `None` at the end.
    pub async fn next(self) -> io::Result<Option<(Bytes, Self)>> {
        let mut body = match self {
            Self::Disk(disk) => {
                let next = disk.next().await?;
                return Ok(next.map(|(bytes, rest)| (bytes, Self::Disk(rest))));
            }
            Self::Bucket(body) => body,
        };
        let next = bucket::next_piece(&mut body).await?;
        Ok(next.map(|bytes| (bytes, Self::Bucket(body))))
    }
}

/// Returns the URL at which this server serves a file, or `None` if the public URL is invalid.
pub fn served_url(public_url: &str, app: &AppCode, hash: &str, name: &str) -> Option<String> {
    let mut url = Url::parse(public_url).ok()?;
    let mut path = url.path_segments_mut().ok()?;
    path.pop_if_empty().extend(["files", app.as_str(), hash, name]);
    drop(path);
    Some(url.into())
}

/// Returns the file's hash from a URL, if it is the URL of a file that this server serves for the
/// app.
pub fn served_hash<'a>(public_url: &str, app: &AppCode, url: &'a str) -> Option<&'a str> {
    let rest = url.strip_prefix(public_url)?.strip_prefix("/files/")?;
    let hash = rest.strip_prefix(app.as_str())?.strip_prefix('/')?.split('/').next()?;
    is_hash(hash).then_some(hash)
}

/// Returns the path of a stored file. Identical files of different apps have different paths.
fn place(folder: &Path, app: AppId, hash: &str) -> PathBuf {
    folder.join(app.to_string()).join(&hash[..2]).join(hash)
}

/// Returns the folders of the apps and of unfinished uploads, which this server created.
pub(crate) fn folders(folder: &Path) -> Vec<PathBuf> {
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name == UNFINISHED || name.parse::<i64>().is_ok()
    };
    let found = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    found.filter(is_ours).collect()
}

/// Whether an error means that the disk is full or the file too large.
pub fn has_no_room(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// Reads every stored file and compares its hash with its name. Returns the number of files, and a
/// description of each problem.
pub fn check_stored(folder: &Path, report: &dyn Fn(String)) -> io::Result<(u64, Vec<String>)> {
    let (mut count, mut problems) = (0, Vec::new());
    let mut reported = Instant::now();
    each_stored(folder, &mut |path| {
        if path.file_name().and_then(|name| name.to_str()) != Some(&hash_of(path)?) {
            problems.push(format!("{} is damaged", path.display()));
        }
        count += 1;
        if reported.elapsed() > REPORT_INTERVAL {
            reported = Instant::now();
            report(format!("checked {count} uploaded files"));
        }
        Ok(())
    })?;
    Ok((count, problems))
}

/// Calls a function with the path of every stored file.
pub fn each_stored(
    folder: &Path,
    visit: &mut dyn FnMut(&Path) -> io::Result<()>,
) -> io::Result<()> {
    for app in folders(folder).into_iter().filter(|it| !it.ends_with(UNFINISHED)) {
        for part in fs::read_dir(app)? {
            for file in fs::read_dir(part?.path())? {
                visit(&file?.path())?;
            }
        }
    }
    Ok(())
}

/// Returns the path at which to store a file of this name from an archive, or `None` if the name is
/// invalid.
pub fn stored_path(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut parts = name.split('/');
    let (app, _, hash) = (parts.next()?, parts.next()?, parts.next()?);
    let id = app.parse().ok().filter(|id| (1..ID_END).contains(id))?;
    if parts.next().is_some() || !is_hash(hash) {
        return None;
    }
    // Accept only the canonical spelling of the path: no sign and no leading zero in the app's id.
    let place = place(folder, AppId(id), hash);
    (place == folder.join(name)).then_some(place)
}

fn hash_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut piece = vec![0; limits::FILE_CHUNK_BYTES];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(ids::hex(&hasher.finalize())),
            size => hasher.update(&piece[..size]),
        }
    }
}

/// Whether a text has the form of a file's hash: 64 lower-case hexadecimal digits.
pub fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Runs a blocking write. The number of concurrent writes is limited, because each uses a thread
/// with its memory, and all share one disk.
async fn writing<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    static WRITING: Semaphore = Semaphore::const_new(limits::FILE_WRITES_AT_ONCE);
    let permit = WRITING.acquire().await.map_err(io::Error::other)?;
    blocking(move || {
        // Held until the work is done, even if the caller was dropped.
        let _permit = permit;
        work()
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: AppId = AppId(7);

    /// No space must stay free.
    const ALL: FreeSpace = FreeSpace::new(0);

    async fn kept(folder: &Path, bytes: &[u8]) -> StoredFileInfo {
        let mut incoming = IncomingFile::begin(folder, ALL).await.expect("the file is created");
        for piece in bytes.chunks(100_000) {
            incoming = incoming.write(piece).await.expect("the bytes are written");
        }
        let whole = incoming.finish().await.expect("the file is completed");
        whole.keep(folder, APP).await.expect("the file is stored")
    }

    async fn read(folder: &Path, hash: &str, part: (u64, u64)) -> Vec<u8> {
        let opened =
            Disk::open(place(folder, APP, hash), part).await.expect("opening does not fail");
        let (mut out, mut bytes) = (opened.expect("the file exists"), Vec::new());
        while let Some((piece, rest)) = out.next().await.expect("the file is readable") {
            bytes.extend_from_slice(&piece);
            out = rest;
        }
        bytes
    }

    fn unfinished(folder: &Path) -> usize {
        fs::read_dir(folder.join(UNFINISHED)).expect("the folder exists").count()
    }

    #[tokio::test]
    async fn files_are_read_whole_or_in_part_and_equal_bytes_are_one_file() {
        let folder = tempfile::tempdir().expect("the folder exists");
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
    async fn unfinished_files_are_removed_and_other_apps_have_no_access() {
        let folder = tempfile::tempdir().expect("the folder exists");
        let incoming = IncomingFile::begin(folder.path(), ALL).await.expect("the file is created");
        let incoming = incoming.write(&[1; 300_000]).await.expect("the bytes are written");
        assert_eq!(unfinished(folder.path()), 1);
        let whole = incoming.finish().await.expect("the file is completed");
        assert_eq!(unfinished(folder.path()), 1);
        drop(whole);
        assert_eq!(unfinished(folder.path()), 0);
        let hash = kept(folder.path(), b"secret").await.hash;
        let other = Disk::open(place(folder.path(), AppId(8), &hash), (0, 6)).await;
        assert!(other.expect("opening does not fail").is_none());
    }

    #[tokio::test]
    async fn old_unfinished_files_are_removed_and_new_ones_stay() {
        let folder = tempfile::tempdir().expect("the folder exists");
        let files = Files { folder: folder.path().to_owned(), bucket: None, free_space: ALL };
        let long_ago = Timestamp(1_000_000_000_000_000);
        assert_eq!(files.delete_unfinished(long_ago).await.expect("a missing folder is empty"), 0);
        let arriving = files.begin().await.expect("the file is created");
        let left = folder.path().join(UNFINISHED).join("left");
        let left = File::create_new(&left).expect("the file is created");
        left.set_modified(UNIX_EPOCH + Duration::from_secs(999_999_999)).expect("the time is set");
        assert_eq!(files.delete_unfinished(long_ago).await.expect("old files are removed"), 1);
        assert_eq!(unfinished(folder.path()), 1);
        let arrived = arriving.finish().await.expect("the file is completed");
        files.keep(arrived, APP).await.expect("the new file still exists");
    }
}
