//! File permissions: all files that Confab writes are accessible only to the user as whom it runs
//! (design/sign-in-and-limits).

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use confab_store::Location;
use rustix::fs::Mode;
use rustix::process::umask;

use crate::config::Config;
use crate::files;

/// Permission bits of the group and of other users.
const OF_OTHERS: u32 = 0o077;
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// Sticky bit: users can replace only their own files in the folder, such as in `/tmp`.
const STICKY: u32 = 0o1000;

/// Sets the umask so that new files are accessible to their owner only, overriding the shell's
/// umask.
pub fn begin() {
    umask(Mode::RWXG | Mode::RWXO);
}

/// Removes the permissions of other users from files of an earlier version or of a manual copy.
///
/// Folders that Confab did not create keep their mode: other users may need the folder of `--data`.
pub fn tighten(config: &Config) {
    let mut ours = files::folders(&config.files_folder);
    if let Location::Folder(folder) = &config.location {
        ours.extend(database_files(folder));
        warn_if_others_write(folder);
    }
    for path in ours {
        match take_from_others(&path) {
            Ok(false) => {}
            Ok(true) => {
                tracing::info!(path = %path.display(), "permissions of other users removed");
            }
            Err(error) => {
                tracing::warn!(
                    path = %path.display(),
                    %error,
                    "failed to remove permissions of other users"
                );
            }
        }
    }
}

/// Returns the paths of the database, its companion files and its copies.
fn database_files(folder: &Path) -> Vec<PathBuf> {
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("confab.db") || name == "confab.lock" || name == "confab.mark"
    };
    let found = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    found.filter(is_ours).collect()
}

/// Removes the permissions of other users from a file. Returns whether there were any. Skips
/// symbolic links, because their target may be any file.
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
        tracing::warn!(
            path = %folder.display(),
            "other users can replace the database: remove their write access with chmod go-w"
        );
    }
}
