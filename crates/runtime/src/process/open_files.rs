//! The limit on open files. Every connection is an open file, and the default limit is low.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Assumed maximum number of open files if the operating system sets no limit.
const MANY: u64 = 1_048_576;

/// Returns how many files this process may open.
pub fn allowed() -> usize {
    getrlimit(Resource::Nofile).current.unwrap_or(MANY).min(MANY) as usize
}

/// Raises the process's soft limit to its hard limit.
pub fn raise() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum {
        return;
    }
    let shown = |limit: Option<u64>| limit.map_or("unlimited".to_owned(), |it| it.to_string());
    match setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        Ok(()) => tracing::debug!(limit = %shown(maximum), "limit of open files raised"),
        Err(error) => {
            tracing::debug!(limit = %shown(current), %error, "failed to raise the limit of open files");
        }
    }
}
