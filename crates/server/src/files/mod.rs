//! Uploaded files: kept by app and hash, on disk or in a bucket, written and read piece by piece
//! (D-0046).
//!
//! Called by the upload and by what serves files. A file is written under a name of its own,
//! fsynced, and renamed once it is whole and may stay: whoever finds it finds all of it. Two
//! uploads of the same bytes end as one file. Nothing is ever read whole into memory, no thread
//! waits for a slow client, and the disk is never filled to its end (D-0080).

mod bucket;
mod disk;
mod free_space;
mod media_types;
mod place;

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use bucket::S3Bucket;
use bytes::Bytes;
use confab_domain::app::AppCode;
use confab_domain::ids::{AppId, ID_END};
use confab_domain::limits;
use confab_domain::time::Timestamp;
use free_space::FreeSpace;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use url::Url;

use crate::config::{Config, S3};
use crate::files::disk::{Disk, blocking};
use crate::ids;

pub(crate) use media_types::{ending, media_type};
pub(crate) use place::{name_place, named_place};

/// How often it is said how far a long look is.
const REPORT_EVERY: Duration = Duration::from_secs(5);

/// The folder of files on their way in.
const UNFINISHED: &str = "unfinished";

/// Where files are kept.
pub(crate) struct Files {
    folder: PathBuf,
    bucket: Option<S3Bucket>,
    free_space: FreeSpace,
}

impl Files {
    /// As the settings have it.
    pub(crate) fn new(config: &Config) -> Self {
        let bucket = config.s3.as_ref().and_then(S3Bucket::new);
        let free_space = FreeSpace::new(config.free_space_floor_bytes);
        Self { folder: config.files_folder.clone(), bucket, free_space }
    }

    /// An empty file on its way in.
    pub(crate) async fn begin(&self) -> io::Result<IncomingFile> {
        IncomingFile::begin(&self.folder, self.free_space).await
    }

    /// From now on it is found, also after a crash.
    pub(crate) async fn keep(&self, whole: WholeFile, app: AppId) -> io::Result<StoredFileInfo> {
        let Some(bucket) = &self.bucket else { return whole.keep(&self.folder, app).await };
        let WholeFile { kept, path } = whole;
        let file = Disk::open(path.0.clone(), (0, kept.size)).await?;
        let file = file.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        bucket.put(app, &kept.hash, file, kept.size).await?;
        Ok(kept)
    }

    /// Removes what nobody wrote to since this time: its process ended before the file did. Gives
    /// how many there were.
    pub(crate) async fn forget_unfinished(&self, before: Timestamp) -> io::Result<usize> {
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
                // One that is gone meanwhile was finished.
                let written_at = file.metadata().and_then(|it| it.modified());
                if written_at.is_ok_and(|at| at < before) && fs::remove_file(file.path()).is_ok() {
                    count += 1;
                }
            }
            Ok(count)
        })
        .await
    }

    /// The bytes from `first` on, `left` of them; nothing without such a file.
    pub(crate) async fn open(
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
    /// Shows to those who watch how much of the disk is free. A disk may be slow to say so.
    pub(crate) async fn show_free_space(&self) -> io::Result<()> {
        let files = self.folder.clone();
        blocking(move || {
            let data = files.parent().unwrap_or(&files);
            free_space::show([data, &files]);
            Ok(())
        })
        .await
    }

    /// Removes a file; whether it was there does not matter.
    pub(crate) async fn remove(&self, app: AppId, hash: &str) -> io::Result<()> {
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

/// Whether the bucket of these settings takes, gives and removes a file.
pub(crate) async fn try_bucket(settings: &S3) -> io::Result<()> {
    let bucket = S3Bucket::new(settings);
    bucket.ok_or_else(|| io::Error::other("its address cannot be one"))?.try_out().await
}

/// A file that is kept, or is about to be.
#[derive(Debug)]
pub(crate) struct StoredFileInfo {
    /// SHA-256, in hex.
    pub(crate) hash: String,
    /// Bytes.
    pub(crate) size: u64,
}

/// A file on its way in. Dropped before its end, nothing stays.
pub(crate) struct IncomingFile {
    file: File,
    path: Temporary,
    hasher: Sha256,
    size: u64,
    unwritten: Vec<u8>,
    free_space: FreeSpace,
}

/// A file that is on disk, under a name that nobody asks for. Dropped, nothing stays.
pub(crate) struct WholeFile {
    pub(crate) kept: StoredFileInfo,
    path: Temporary,
}

/// A path that is removed with its owner.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // Once renamed it is not there any more.
        let _ = fs::remove_file(&self.0);
    }
}

impl IncomingFile {
    /// An empty file in the folder.
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

    /// Bytes so far.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Takes the next bytes.
    pub(crate) async fn write(mut self, bytes: &[u8]) -> io::Result<Self> {
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

    /// All of it came.
    pub(crate) async fn finish(mut self) -> io::Result<WholeFile> {
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
    /// It gets its own place.
    async fn keep(self, folder: &Path, app: AppId) -> io::Result<StoredFileInfo> {
        let Self { kept, path } = self;
        let folder = folder.to_owned();
        writing(move || {
            let place = place(&folder, app, &kept.hash);
            let within = place.parent().unwrap_or(&folder);
            fs::create_dir_all(within)?;
            fs::rename(&path.0, &place)?;
            // The names, too: a new folder is named in the one above it.
            for above in within.ancestors().take(3) {
                File::open(above)?.sync_all()?;
            }
            Ok(kept)
        })
        .await
    }
}

/// A part of a file, to be read piece by piece.
pub(crate) enum OutgoingFile {
    Disk(Disk),
    Bucket(hyper::body::Incoming),
}

impl OutgoingFile {
    /// The next bytes; nothing at the end.
    pub(crate) async fn next(self) -> io::Result<Option<(Bytes, Self)>> {
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

/// Where a file is served; nothing if the public address is none.
pub(crate) fn served_url(
    public_url: &str,
    app: &AppCode,
    hash: &str,
    name: &str,
) -> Option<String> {
    let mut url = Url::parse(public_url).ok()?;
    let mut path = url.path_segments_mut().ok()?;
    path.pop_if_empty().extend(["files", app.as_str(), hash, name]);
    drop(path);
    Some(url.into())
}

/// The hash in the address of a file that this server serves for the app.
pub(crate) fn served_hash<'a>(public_url: &str, app: &AppCode, url: &'a str) -> Option<&'a str> {
    let rest = url.strip_prefix(public_url)?.strip_prefix("/files/")?;
    let hash = rest.strip_prefix(app.as_str())?.strip_prefix('/')?.split('/').next()?;
    is_hash(hash).then_some(hash)
}

/// Where a file is. Of another app it is another file, even with the same bytes.
fn place(folder: &Path, app: AppId, hash: &str) -> PathBuf {
    folder.join(app.to_string()).join(&hash[..2]).join(hash)
}

/// The folders of the apps, and the one of files on their way in: all that was made in the folder.
pub(crate) fn folders(folder: &Path) -> Vec<PathBuf> {
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name == UNFINISHED || name.parse::<i64>().is_ok()
    };
    let found = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    found.filter(is_ours).collect()
}

/// Whether a file could not be written because there is no room on the disk, or for this file.
pub(crate) fn has_no_room(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// Reads every kept file: its bytes must have the hash that is its name. Gives how many there are,
/// and what is wrong with some, in words.
pub(crate) fn check_kept(folder: &Path, report: &dyn Fn(String)) -> io::Result<(u64, Vec<String>)> {
    let (mut count, mut problems) = (0, Vec::new());
    let mut reported = Instant::now();
    each_kept(folder, &mut |path| {
        if path.file_name().and_then(|name| name.to_str()) != Some(&hash_of(path)?) {
            problems.push(format!("{} is not what was uploaded", path.display()));
        }
        count += 1;
        if reported.elapsed() > REPORT_EVERY {
            reported = Instant::now();
            report(format!("{count} uploaded files read"));
        }
        Ok(())
    })?;
    Ok((count, problems))
}

/// Goes through all kept files of the folder; there may be none.
pub(crate) fn each_kept(
    folder: &Path,
    look: &mut dyn FnMut(&Path) -> io::Result<()>,
) -> io::Result<()> {
    for app in folders(folder).into_iter().filter(|it| !it.ends_with(UNFINISHED)) {
        for part in fs::read_dir(app)? {
            for file in fs::read_dir(part?.path())? {
                look(&file?.path())?;
            }
        }
    }
    Ok(())
}

/// Path below the folder of the uploaded file that an archive calls by this name; `None` if no
/// uploaded file has such a name.
pub(crate) fn kept_place(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut parts = name.split('/');
    let (app, _, hash) = (parts.next()?, parts.next()?, parts.next()?);
    let id = app.parse().ok().filter(|id| (1..ID_END).contains(id))?;
    if parts.next().is_some() || !is_hash(hash) {
        return None;
    }
    // As it is written, and no other way: no sign, no zero in front.
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

/// Whether a text can be the hash of a file.
pub(crate) fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Few write at the same time: each is a thread with memory of its own, and the disk is one.
async fn writing<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    static WRITING: Semaphore = Semaphore::const_new(limits::FILE_WRITES_AT_ONCE);
    let permit = WRITING.acquire().await.map_err(io::Error::other)?;
    blocking(move || {
        // Held until the work is done, also if nobody waits for it any more.
        let _permit = permit;
        work()
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: AppId = AppId(7);

    /// All of the disk may be used.
    const ALL: FreeSpace = FreeSpace::new(0);

    async fn kept(folder: &Path, bytes: &[u8]) -> StoredFileInfo {
        let mut incoming = IncomingFile::begin(folder, ALL).await.expect("begun");
        for piece in bytes.chunks(100_000) {
            incoming = incoming.write(piece).await.expect("written");
        }
        let whole = incoming.finish().await.expect("whole");
        whole.keep(folder, APP).await.expect("kept")
    }

    async fn read(folder: &Path, hash: &str, part: (u64, u64)) -> Vec<u8> {
        let opened = Disk::open(place(folder, APP, hash), part).await.expect("no failure");
        let (mut out, mut bytes) = (opened.expect("there"), Vec::new());
        while let Some((piece, rest)) = out.next().await.expect("read") {
            bytes.extend_from_slice(&piece);
            out = rest;
        }
        bytes
    }

    fn unfinished(folder: &Path) -> usize {
        fs::read_dir(folder.join(UNFINISHED)).expect("a folder").count()
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
        let incoming = IncomingFile::begin(folder.path(), ALL).await.expect("begun");
        let incoming = incoming.write(&[1; 300_000]).await.expect("written");
        assert_eq!(unfinished(folder.path()), 1);
        let whole = incoming.finish().await.expect("whole");
        assert_eq!(unfinished(folder.path()), 1);
        drop(whole);
        assert_eq!(unfinished(folder.path()), 0);
        let hash = kept(folder.path(), b"secret").await.hash;
        let other = Disk::open(place(folder.path(), AppId(8), &hash), (0, 6)).await;
        assert!(other.expect("no failure").is_none());
    }

    #[tokio::test]
    async fn what_a_process_left_behind_is_removed_and_what_arrives_now_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = Files { folder: folder.path().to_owned(), bucket: None, free_space: ALL };
        let long_ago = Timestamp(1_000_000_000_000_000);
        assert_eq!(files.forget_unfinished(long_ago).await.expect("no folder yet"), 0);
        let arriving = files.begin().await.expect("begun");
        let left = folder.path().join(UNFINISHED).join("left");
        let left = File::create_new(&left).expect("made");
        left.set_modified(UNIX_EPOCH + Duration::from_secs(999_999_999)).expect("set");
        assert_eq!(files.forget_unfinished(long_ago).await.expect("removed"), 1);
        assert_eq!(unfinished(folder.path()), 1);
        let arrived = arriving.finish().await.expect("whole");
        files.keep(arrived, APP).await.expect("it is still there");
    }
}
