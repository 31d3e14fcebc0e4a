//! What Confab writes is for the user it runs as, and for nobody else on the machine (D-0085).

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use confab_store::Location;
use rustix::fs::Mode;
use rustix::process::umask;

use crate::config::Config;
use crate::files;

/// The rights of the group and of everybody else.
const OF_OTHERS: u32 = 0o077;
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// In such a folder nobody can replace what is another's, as in `/tmp`.
const STICKY: u32 = 0o1000;

/// From now on others have no rights upon what this process makes, whatever the shell's umask is.
pub(crate) fn begin() {
    umask(Mode::RWXG | Mode::RWXO);
}

/// Takes from others what an earlier Confab, or a copy made by hand, left open to them.
///
/// Folders that Confab did not make keep their rights: `--data` may be one that others need.
pub(crate) fn tighten(config: &Config) {
    let mut ours = files::folders(&config.files_folder);
    if let Location::Folder(folder) = &config.location {
        ours.extend(database_files(folder));
        warn_if_others_write(folder);
    }
    for path in ours {
        match take_from_others(&path) {
            Ok(false) => {}
            Ok(true) => tracing::info!("{} was open to others and is not now", path.display()),
            Err(error) => tracing::warn!("{} is open to others: {error}", path.display()),
        }
    }
}

/// The database, what belongs to it, and copies of it.
fn database_files(folder: &Path) -> Vec<PathBuf> {
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("confab.db") || name == "confab.lock" || name == "confab.mark"
    };
    let found = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    found.filter(is_ours).collect()
}

/// Whether others had any rights. A link is left alone: who knows what it leads to.
fn take_from_others(path: &Path) -> io::Result<bool> {
    let found = fs::symlink_metadata(path)?;
    let mode = found.permissions().mode();
    if found.is_symlink() || mode & OF_OTHERS == 0 {
        return Ok(false);
    }
    fs::set_permissions(path, Permissions::from_mode(mode & !OF_OTHERS)).map(|()| true)
}

fn warn_if_others_write(folder: &Path) {
    let mode = fs::metadata(folder).map_or(0, |found| found.permissions().mode());
    if mode & WRITABLE_BY_OTHERS != 0 && mode & STICKY == 0 {
        let folder = folder.display();
        tracing::warn!(
            "others may write to {folder} and replace the database: chmod go-w {folder}"
        );
    }
}
