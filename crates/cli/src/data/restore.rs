//! `confab restore`: restores an archive of `confab backup` into an empty folder, if the archive is
//! complete and unchanged (design/operations).
//!
//! The database gets its final name last, so that no server uses a partly restored folder. A failed
//! restore leaves the folder as it was.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, BufReader, Read, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};
use confab_runtime::config::{Effective, location, secrets_file};
use confab_runtime::counted::counted;
use confab_runtime::files;
use confab_store::Location;
use tar::{Entries, Entry, EntryType};

use crate::arguments::location_flags;
use crate::command_error::CommandError;
use crate::data::archive::{
    ArchiveEnd, ArchiveHead, DATABASE, END, FILES, FORMAT, HEAD, NOTE_BYTES_MAX, copy, hash_of,
};
use crate::data::backup::megabytes;
use crate::inert_text::inert_line;

const IN_POSTGRES: &str = "archives are for data folders, and the data is in PostgreSQL; restore \
    a dump with pg_restore (docs/operating/backup-and-restore.md)";

/// Name of the database file until everything else is restored.
const UNFINISHED_DATABASE: &str = "confab.db.restoring";

type ArchiveFile = BufReader<File>;

pub(crate) fn command() -> Command {
    Command::new("restore")
        .about("Restore an archive of `confab backup` into an empty data folder")
        .after_help(
            "Every byte is verified; a truncated or damaged archive is refused, and the folder \
             stays unchanged. The folder may contain the key file, and the leftovers of an \
             interrupted restore, which are removed.\n\
             Archives do not contain the keys that decrypt the secrets: before you start the \
             server, put the key file of that time where secrets_key_file says (secrets.key in \
             the data folder).",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Archive of `confab backup`"),
        )
        .args(location_flags())
}

pub(crate) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let file = matches.get_one::<PathBuf>("file").ok_or("name an archive")?;
    let Location::Folder(folder) = location(settings)? else {
        return Err(IN_POSTGRES.into());
    };
    let source = File::open(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let target = EmptyFolder::prepare(&folder)?;
    let restored = restore(BufReader::new(source), &target);
    let (head, end) = match restored {
        Ok(restored) => restored,
        Err(why) => {
            target.clear();
            let file = file.display();
            return Err(format!("{file} was not restored, and nothing was changed: {why}").into());
        }
    };
    let (version, made_at) = (inert_line(&head.version), inert_line(&head.made_at));
    say!("Restored an archive of {made_at} by Confab {version} into {}.", folder.display());
    let (database, uploaded) = (megabytes(head.database_bytes), megabytes(end.file_bytes));
    let files = counted(end.files as usize, "uploaded file");
    say!("Database: {database:.1} MB; {files}: {uploaded:.1} MB.");
    for name in &end.damaged {
        say!(
            "Skipped {}, which was already damaged when the archive was written.",
            inert_line(name)
        );
    }
    print_key_steps(settings, &head);
    Ok(())
}

/// Prints the remaining steps for the key file.
fn print_key_steps(settings: &Effective, head: &ArchiveHead) {
    use confab_store::KeyFile as _;
    let file = secrets_file(settings);
    let shown = file.shown();
    let there = match file.keys() {
        Ok(Some(keys)) => keys.all().map(|key| key.id()).collect::<Vec<_>>(),
        Ok(None) => {
            say!(
                "The archive does not contain the keys: put {shown} in its place before you start \
                 the server."
            );
            return;
        }
        Err(problem) => {
            say!("{problem}");
            return;
        }
    };
    match head.keys.iter().find(|key| !there.contains(key)) {
        Some(key) => say!(
            "WRONG: {shown} does not have the key {} that encrypts this data; put the key file of \
             that time there.",
            inert_line(key)
        ),
        None => say!("{shown} has the keys of this data. You can start the server."),
    }
}

/// The folder to restore into. While it has an unfinished database, everything except the key file
/// belongs to a running or interrupted restore.
struct EmptyFolder {
    folder: PathBuf,
    /// The topmost folder of its path that this restore created.
    created: Option<PathBuf>,
    /// The locked folder, so that no other restore uses it.
    _lock: File,
}

impl EmptyFolder {
    /// Creates the folder if it is missing, and removes the files of an interrupted restore. Fails
    /// if the folder has anything else except a key file.
    fn prepare(folder: &Path) -> Result<Self, CommandError> {
        let missing = folder.ancestors().take_while(|it| *it != Path::new("") && !it.exists());
        let created = missing.last().map(Path::to_owned);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| format!("{}: {error}", folder.display()))?;
        let lock = File::open(folder)?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Err(format!("another restore into {} is running", folder.display()).into());
        }
        let empty = Self { folder: folder.to_owned(), created, _lock: lock };
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            names.push(entry?.file_name());
        }
        let is_interrupted = names.iter().any(|name| name == UNFINISHED_DATABASE);
        let is_ours = |name: &OsStr| {
            name == "secrets.key"
                || is_interrupted && (name == UNFINISHED_DATABASE || name == "files")
        };
        if let Some(name) = names.iter().find(|name| !is_ours(name)) {
            let (folder, name) = (folder.display(), name.to_string_lossy());
            return Err(format!(
                "{folder} is not empty: it contains {name}; name an empty folder with --data"
            )
            .into());
        }
        empty.remove_files()?;
        Ok(empty)
    }

    fn unfinished_database(&self) -> PathBuf {
        self.folder.join(UNFINISHED_DATABASE)
    }

    fn files(&self) -> PathBuf {
        self.folder.join("files")
    }

    /// Gives the database its final name; from then on the folder can be served.
    fn finish(&self) -> io::Result<()> {
        fs::rename(self.unfinished_database(), self.folder.join(DATABASE))?;
        File::open(&self.folder)?.sync_all()
    }

    /// Removes everything that this restore created.
    fn clear(&self) {
        let _ = self.remove_files();
        let Some(created) = &self.created else { return };
        // Folders into which other programs have put files stay.
        for folder in self.folder.ancestors() {
            if fs::remove_dir(folder).is_err() || folder == created {
                break;
            }
        }
    }

    /// Removes everything that a restore wrote. The unfinished database goes last, because it marks
    /// the other files as parts of a restore.
    fn remove_files(&self) -> io::Result<()> {
        removed(fs::remove_dir_all(self.files()))?;
        removed(fs::remove_file(self.unfinished_database()))
    }
}

/// Treats a missing file as removed.
fn removed(outcome: io::Result<()>) -> io::Result<()> {
    match outcome {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}

fn restore(
    source: ArchiveFile,
    target: &EmptyFolder,
) -> Result<(ArchiveHead, ArchiveEnd), CommandError> {
    let mut archive = tar::Archive::new(source);
    // Raw: no header modifies the next one, so the size of an entry is its size in the archive.
    let mut entries = archive.entries()?.raw(true);
    let mut first = next(&mut entries)?;
    let head = read_small_entry(&mut first, HEAD)?;
    let head_sha256 = hash_of(&head);
    let head = read_head(&head)?;
    let mut database = next(&mut entries)?;
    restore_database(&mut database, &head, target)?;
    let mut restored = RestoredFiles::default();
    loop {
        let mut entry = next(&mut entries)?;
        let name = name_of(&entry)?;
        if let Some(name) = name.strip_prefix(FILES) {
            restored.file(&mut entry, name, target)?;
            continue;
        }
        let end = read_small_entry(&mut entry, END)?;
        let end = serde_json::from_slice(&end).map_err(|_| "the end of the archive is damaged")?;
        restored.check(&end, &head_sha256, target)?;
        if entries.next().is_some() {
            return Err("the archive has data after its end".into());
        }
        target.finish()?;
        return Ok((head, end));
    }
}

const CUT: &str = "the archive is truncated";

fn next<'a>(
    entries: &mut Entries<'a, ArchiveFile>,
) -> Result<Entry<'a, ArchiveFile>, CommandError> {
    let entry = entries.next().ok_or(CUT)?;
    let entry =
        entry.map_err(|_| "the file is not an archive of `confab backup`, or it is damaged")?;
    if entry.header().entry_type() != EntryType::Regular {
        return Err(
            "the archive contains an entry that is not a plain file, which Confab never writes"
                .into(),
        );
    }
    Ok(entry)
}

fn name_of(entry: &Entry<'_, ArchiveFile>) -> Result<String, CommandError> {
    let name = String::from_utf8(entry.path_bytes().into_owned());
    Ok(name.map_err(
        |_| "the archive contains a file name that is not valid UTF-8, which Confab never writes",
    )?)
}

/// Reads a small entry, which must have the expected name.
fn read_small_entry(
    entry: &mut Entry<'_, ArchiveFile>,
    expected: &str,
) -> Result<Vec<u8>, CommandError> {
    let name = name_of(entry)?;
    if name != expected {
        let name = inert_line(&name);
        return Err(format!("the archive contains {name} where {expected} was expected").into());
    }
    if entry.size() > NOTE_BYTES_MAX {
        return Err(format!("{expected} of the archive is too large").into());
    }
    let mut text = Vec::new();
    entry.read_to_end(&mut text)?;
    Ok(text)
}

fn read_head(text: &[u8]) -> Result<ArchiveHead, CommandError> {
    #[derive(serde::Deserialize)]
    struct Format {
        format: u32,
    }
    let Format { format } =
        serde_json::from_slice(text).map_err(|_| "the start of the archive is damaged")?;
    if format != FORMAT {
        return Err(format!(
            "the archive has format {format}, but this version of Confab reads only format {FORMAT}"
        )
        .into());
    }
    Ok(serde_json::from_slice(text).map_err(|_| "the start of the archive is damaged")?)
}

fn restore_database(
    entry: &mut Entry<'_, ArchiveFile>,
    head: &ArchiveHead,
    target: &EmptyFolder,
) -> Result<(), CommandError> {
    if name_of(entry)? != DATABASE {
        return Err("the archive does not contain the database".into());
    }
    const DAMAGED: &str = "the database in the archive is truncated or damaged";
    if entry.size() != head.database_bytes {
        return Err(DAMAGED.into());
    }
    let (bytes, hash) = written(entry, &target.unfinished_database())?;
    if (bytes, &hash) != (head.database_bytes, &head.database_sha256) {
        return Err(DAMAGED.into());
    }
    Ok(())
}

/// Writes and syncs a new file. Returns its size in bytes and its hash.
fn written(from: &mut dyn Read, path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::options().write(true).create_new(true).open(path)?;
    let copied = copy(from, &mut file)?;
    file.flush()?;
    file.sync_all()?;
    Ok(copied)
}

/// Counts of the restored uploaded files.
#[derive(Default)]
struct RestoredFiles {
    files: u64,
    file_bytes: u64,
    /// Names of the files whose hash does not match their name. They are left out.
    wrong: Vec<String>,
}

impl RestoredFiles {
    fn file(
        &mut self,
        entry: &mut Entry<'_, ArchiveFile>,
        name: &str,
        target: &EmptyFolder,
    ) -> Result<(), CommandError> {
        let path = files::stored_path(&target.files(), name);
        let path = path
            .ok_or_else(|| format!("{} is not the name of an uploaded file", inert_line(name)))?;
        let within = path.parent().ok_or("an uploaded file is in a folder")?;
        DirBuilder::new().recursive(true).mode(0o700).create(within)?;
        if path.exists() {
            return Err(format!("the archive contains {FILES}{name} twice").into());
        }
        let (bytes, hash) = written(entry, &path)?;
        if bytes != entry.size() {
            return Err(CUT.into());
        }
        if !name.ends_with(&hash) {
            fs::remove_file(path)?;
            self.wrong.push(format!("{FILES}{name}"));
        }
        self.files += 1;
        self.file_bytes += bytes;
        Ok(())
    }

    /// Checks that all files were restored, and that those with a wrong hash were already damaged
    /// when the archive was written. Syncs the folders.
    fn check(
        &self,
        end: &ArchiveEnd,
        head_sha256: &str,
        target: &EmptyFolder,
    ) -> Result<(), CommandError> {
        if (self.files, self.file_bytes) != (end.files, end.file_bytes) {
            let (here, there) = (self.files, end.files);
            return Err(
                format!("the archive contains only {here} of {there} uploaded files").into()
            );
        }
        if end.head_sha256 != head_sha256 {
            return Err("the start of the archive is damaged".into());
        }
        let damaged: HashSet<&String> = end.damaged.iter().collect();
        if let Some(name) = self.wrong.iter().find(|name| !damaged.contains(name)) {
            return Err(format!("{name} in the archive is damaged").into());
        }
        // Sync the entries of new folders as well.
        if target.files().exists() {
            sync_folders(&target.files())?;
        }
        Ok(())
    }
}

fn sync_folders(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    File::open(folder)?.sync_all()
}
