//! How many files may be open: every connection is one, and the usual limit is low.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

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
