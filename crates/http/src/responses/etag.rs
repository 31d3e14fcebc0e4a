//! Entity tags of answers that a client may have cached.

use axum::http::{HeaderMap, header};

/// Whether the request's `If-None-Match` header contains this tag, so that the client already has
/// the content.
pub(crate) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get(header::IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    known.is_some_and(|known| {
        known.split(',').map(str::trim).any(|it| it.trim_start_matches("W/") == tag || it == "*")
    })
}
