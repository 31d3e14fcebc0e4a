//! Files that belong to somebody else: the usual reason why a server does not start after a copy
//! made as root.

use std::path::Path;

use rustix::fs::{Access, access};
use rustix::io::Errno;
use rustix::process::geteuid;

/// Whether the file is there, or may be, and the system refuses it to this user.
pub(super) fn is_denied(path: &Path, wanted: Access) -> bool {
    access(path, wanted) == Err(Errno::ACCESS)
}

/// What to do about it.
pub(super) fn advice(path: &Path) -> String {
    let (user, path) = (geteuid().as_raw(), path.display());
    format!(
        "doctor must run as the user that serves; if it does (user {user}), give the files to \
         that user: chown -R {user} {path}"
    )
}
