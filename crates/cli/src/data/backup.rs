//! `confab backup`: copies the database and all uploaded files into one archive while the server
//! runs (design/operations). Uploaded files never change, so the files that are copied after the
//! database include all files that the copied database references.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Arg, ArgAction, ArgMatches, Command};
use confab_runtime::config::{Effective, files_folder, location, secrets_file};
use confab_runtime::counted::counted;
use confab_runtime::{clock, files};
use confab_store::{CopyProgress, KeyFile as _, Location};
use tar::{Builder, Header};

use crate::arguments::location_flags;
use crate::command_error::CommandError;
use crate::data::archive::{
    ArchiveEnd, ArchiveHead, DATABASE, END, FILES, FORMAT, HEAD, HashingReader, copy, hash_of,
};
use crate::inert_text::inert_line;

const IN_POSTGRES: &str = "the data is in PostgreSQL; copy the database with pg_dump \
    --format=custom --file=FILE, and the folder `files` of the data folder with any tool \
    (docs/operating/backup-and-restore.md)";

pub(crate) fn command() -> Command {
    Command::new("backup")
        .about(
            "Copy the database and all uploaded files into one archive; the server may be \
             running",
        )
        .after_help(
            "The archive is a tar file. `confab restore` extracts it into an empty folder and \
             verifies every byte.\n\
             The archive does not contain the keys that decrypt its secrets: keep a copy of the \
             key file (secrets_key_file), in another place than the archives.\n\
             The disk of the archive needs free space for a second, temporary copy of the \
             database.\n\
             Copy files in a bucket (s3_endpoint) with the tools of the bucket, and a PostgreSQL \
             database with pg_dump.",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Archive to create; it must not exist yet"),
        )
        .arg(Arg::new("database_only").long("database-only").action(ArgAction::SetTrue).help(
            "Copy only the database, as a file that can be used as confab.db in a data \
             folder",
        ))
        .args(location_flags())
}

pub(crate) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let file = matches.get_one::<PathBuf>("file").ok_or("name a file")?;
    let Location::Folder(folder) = location(settings)? else {
        return Err(IN_POSTGRES.into());
    };
    if matches.get_flag("database_only") {
        return copy_database(settings, &folder, file);
    }
    if file.exists() {
        return Err(format!("{} exists already; name a new file", file.display()).into());
    }
    let started = Instant::now();
    let database = UnfinishedCopy(with_suffix(file, ".database"));
    // Remove the leftover of an earlier run.
    let _ = fs::remove_file(&database.0);
    confab_store::backup(&folder, &database.0, show)?;
    let in_bucket = settings.given("s3_endpoint").is_some();
    let files_folder = (!in_bucket).then(|| files_folder(settings));
    let end = write(file, &database.0, files_folder.as_deref(), key_names(settings))?;
    let bytes = fs::metadata(file)?.len();
    let (mb, seconds) = (megabytes(bytes), started.elapsed().as_secs_f64());
    say!("{} written: {mb:.1} MB in {seconds:.1} s", file.display());
    say!("It contains {}.", counted(end.files as usize, "uploaded file"));
    if in_bucket {
        say!(
            "Uploaded files are in the bucket of s3_endpoint; copy it with the tools of the bucket."
        );
    }
    print_keys_advice(settings);
    if end.damaged.is_empty() {
        return Ok(());
    }
    for name in &end.damaged {
        say!("WRONG: {name} is damaged: its content is not what was uploaded");
    }
    Err("the archive was written, but contains files that were already damaged; see `confab check`"
        .into())
}

/// Copies only the database, without the uploaded files, as earlier versions of Confab did.
fn copy_database(settings: &Effective, folder: &Path, file: &Path) -> Result<(), CommandError> {
    let started = Instant::now();
    let bytes = confab_store::backup(folder, file, show)?;
    let (mb, seconds) = (megabytes(bytes), started.elapsed().as_secs_f64());
    say!("{} written: {mb:.1} MB in {seconds:.1} s", file.display());
    let files = files_folder(settings);
    if files.exists() {
        say!("It does not contain the uploaded files. Also copy their folder: {}", files.display());
    }
    print_keys_advice(settings);
    Ok(())
}

fn print_keys_advice(settings: &Effective) {
    let keys = secrets_file(settings).shown();
    say!("It does not contain the keys that decrypt its secrets. Keep a copy of {keys} elsewhere.");
}

/// Returns the ids of the keys in the key file. If the file cannot be read, returns no ids, which
/// does not prevent a backup.
fn key_names(settings: &Effective) -> Vec<String> {
    let keys = secrets_file(settings).keys().ok().flatten();
    keys.iter().flat_map(|keys| keys.all()).map(|key| key.id()).collect()
}

/// Writes the archive under a temporary name and renames it, so that an archive with its final name
/// is complete and synced.
fn write(
    file: &Path,
    database: &Path,
    files_folder: Option<&Path>,
    keys: Vec<String>,
) -> Result<ArchiveEnd, CommandError> {
    let unfinished = UnfinishedCopy(with_suffix(file, ".unfinished"));
    let _ = fs::remove_file(&unfinished.0);
    let out = File::options().write(true).create_new(true).open(&unfinished.0)?;
    let mut archive = Builder::new(BufWriter::new(out));
    let head = head_of(database, keys)?;
    let head = serde_json::to_vec_pretty(&head)?;
    append(&mut archive, HEAD, head.len() as u64, &head[..])?;
    append(&mut archive, DATABASE, fs::metadata(database)?.len(), File::open(database)?)?;
    let mut end =
        ArchiveEnd { files: 0, file_bytes: 0, damaged: Vec::new(), head_sha256: hash_of(&head) };
    if let Some(folder) = files_folder {
        files::each_stored(folder, &mut |path| {
            append_uploaded(&mut archive, folder, path, &mut end)
        })?;
    }
    let text = serde_json::to_vec_pretty(&end)?;
    append(&mut archive, END, text.len() as u64, &text[..])?;
    let out = archive.into_inner()?.into_inner().map_err(io::IntoInnerError::into_error)?;
    out.sync_all()?;
    fs::rename(&unfinished.0, file)?;
    File::open(parent(file))?.sync_all()?;
    Ok(end)
}

fn head_of(database: &Path, keys: Vec<String>) -> Result<ArchiveHead, CommandError> {
    let (database_bytes, database_sha256) = copy(File::open(database)?, &mut io::sink())?;
    Ok(ArchiveHead {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        made_at: jiff::Timestamp::from_microsecond(clock::now().0)?.to_string(),
        keys,
        database_bytes,
        database_sha256,
    })
}

fn append_uploaded(
    archive: &mut Builder<BufWriter<File>>,
    folder: &Path,
    path: &Path,
    end: &mut ArchiveEnd,
) -> io::Result<()> {
    let within = path.strip_prefix(folder).map_err(io::Error::other)?.to_string_lossy();
    if files::stored_path(folder, &within).is_none() {
        say!("Skipped {}, which is not an uploaded file.", inert_line(&path.to_string_lossy()));
        return Ok(());
    }
    let file = match File::open(path) {
        // The file was deleted with its customer after the database was copied.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    let name = format!("{FILES}{within}");
    let bytes = file.metadata()?.len();
    let mut hashing = HashingReader::of(file);
    append(archive, &name, bytes, &mut hashing)?;
    if !name.ends_with(&hashing.hash()) {
        end.damaged.push(name);
    }
    end.files += 1;
    end.file_bytes += bytes;
    if end.files.is_multiple_of(100) && io::stderr().is_terminal() {
        eprint!("\r{} uploaded files, {:.0} MB ", end.files, megabytes(end.file_bytes));
    }
    Ok(())
}

fn append(
    archive: &mut Builder<BufWriter<File>>,
    name: &str,
    bytes: u64,
    from: impl Read,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o600);
    header.set_mtime(clock::now().unix_ms().max(0).unsigned_abs() / 1000);
    // Never more than the header states: a longer copy would shift all following entries.
    archive.append_data(&mut header, name, from.take(bytes))
}

/// A temporary file, removed on drop.
pub(crate) struct UnfinishedCopy(pub(crate) PathBuf);

impl Drop for UnfinishedCopy {
    fn drop(&mut self) {
        // After the rename there is nothing to remove.
        let _ = fs::remove_file(&self.0);
    }
}

/// Returns the path with a suffix appended to its file name.
pub(crate) fn with_suffix(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

pub(crate) fn parent(file: &Path) -> &Path {
    match file.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

fn show(copied: CopyProgress) {
    let mut out = io::stderr();
    if out.is_terminal() {
        let (done, total) = (megabytes(copied.done_bytes), megabytes(copied.total_bytes));
        let _ = write!(out, "\r{done:.0} of about {total:.0} MB ");
    }
}

pub(crate) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1_000_000.0
}
