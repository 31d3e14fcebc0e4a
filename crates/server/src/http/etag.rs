//! Answers that a client may know already.

use axum::http::{HeaderMap, header};

/// Whether the client says that it has what this tag stands for.
pub(super) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get(header::IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    known.is_some_and(|known| {
        known.split(',').map(str::trim).any(|it| it.trim_start_matches("W/") == tag || it == "*")
    })
}
