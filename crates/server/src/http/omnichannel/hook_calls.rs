//! Calls of services: what stands around their bodies, and how they are answered.

use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use confab_domain::json_text::JsonText;
use confab_wire::channels::Head;

use crate::http::problem::Problem;

/// What stands around a body.
pub(super) fn head<'a>(parts: &'a Parts, headers: &'a [(&'a str, &'a str)]) -> Head<'a> {
    let (method, query) = (parts.method.as_str(), parts.uri.query().unwrap_or_default());
    Head { method, query, headers }
}

pub(super) fn texts(headers: &HeaderMap) -> Vec<(&str, &str)> {
    let text = headers.iter().map(|(name, value)| (name.as_str(), value.to_str()));
    text.filter_map(|(name, value)| Some((name, value.ok()?))).collect()
}

pub(super) fn plain(text: String) -> Response {
    ([(header::CONTENT_TYPE, "text/plain")], text).into_response()
}

/// A body that was read, once more as it came.
pub(super) fn as_it_came(raw: &[u8]) -> Vec<JsonText> {
    let text = std::str::from_utf8(raw).ok().map(str::to_owned);
    text.map(JsonText::from_checked).into_iter().collect()
}

pub(super) fn forged() -> Problem {
    let message = "This does not come from the service that the channel leads to.";
    Problem::new(StatusCode::FORBIDDEN, "forged", message)
}
