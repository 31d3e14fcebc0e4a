//! How many files may be open: every connection is one, and the usual limit is low.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Where the system sets no limit, we count on so many.
const MANY: u64 = 1_048_576;

/// How many files we may have open.
pub fn allowed() -> usize {
    getrlimit(Resource::Nofile).current.unwrap_or(MANY).min(MANY) as usize
}

/// Raises our limit to the one that the system sets us.
pub fn raise() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum {
        return;
    }
    let shown = |limit: Option<u64>| limit.map_or("any number".to_owned(), |it| it.to_string());
    match setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        Ok(()) => tracing::debug!("{} files may be open", shown(maximum)),
        Err(error) => tracing::debug!("only {} files may be open: {error}", shown(current)),
    }
}
