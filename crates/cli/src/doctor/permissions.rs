//! Detects files with the wrong owner, the usual reason why a server does not start after root has
//! copied its data.

use std::path::Path;

use rustix::fs::{Access, access};
use rustix::io::Errno;
use rustix::process::geteuid;

/// Whether the operating system denies this user access to the file, or to a folder in its path.
pub(super) fn is_denied(path: &Path, wanted: Access) -> bool {
    access(path, wanted) == Err(Errno::ACCESS)
}

/// Returns advice on how to fix the owner of a file.
pub(super) fn advice(path: &Path) -> String {
    let (user, path) = (geteuid().as_raw(), path.display());
    format!(
        "run doctor as the server's user; if it is this one ({user}), make it the owner of the \
         files: chown -R {user} {path}"
    )
}
