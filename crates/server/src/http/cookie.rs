//! The cookie that a page's sign-in is kept in (D-0111).
//!
//! Scripts cannot read it, other sites do not send it, and it counts only where a request shows
//! that it was made by a page of this server: so no token stands in a page or in an address.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::config::Config;

/// What a page of this server sends with its calls; no form of another site can.
const OWN_HEADER: &str = "x-confab";

const NAME: &str = "confab";
/// Browsers take this one only by https, for the whole host, from the host itself.
const SECURE_NAME: &str = "__Host-confab";

/// The token that a page of this server shows.
pub(super) fn shown<'a>(headers: &'a HeaderMap, config: &Config) -> Option<&'a str> {
    if !is_own_page(headers) {
        return None;
    }
    let name = if is_secure(config) { SECURE_NAME } else { NAME };
    let pairs = headers.get_all(header::COOKIE).into_iter().filter_map(|it| it.to_str().ok());
    let mut pairs =
        pairs.flat_map(|line| line.split(';')).filter_map(|it| it.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, token)| token).filter(|it| !it.is_empty())
}

/// Keeps a token for 30 days, or until the browser ends.
pub(super) fn keeping(token: &str, is_kept: bool, config: &Config) -> Option<HeaderValue> {
    let days = confab_domain::limits::SIGN_IN_DAYS;
    let age = if is_kept { format!("; Max-Age={}", days * 86_400) } else { String::new() };
    set(token, &age, config)
}

/// Takes the cookie away.
pub(super) fn ending(config: &Config) -> Option<HeaderValue> {
    set("", "; Max-Age=0", config)
}

/// Whether a request was made by a page of this server: by the header that only such a page can
/// send, or, where a page cannot send headers, by the origin that the browser names.
pub(super) fn is_own_page(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|it| it.to_str().ok());
    if text(OWN_HEADER) == Some("1") {
        return true;
    }
    let host = text("host").unwrap_or_default();
    let origin = text("origin").and_then(|origin| origin.split_once("://"));
    origin.is_some_and(|(_, from)| !host.is_empty() && from == host)
}

fn set(token: &str, age: &str, config: &Config) -> Option<HeaderValue> {
    let (name, secure) = if is_secure(config) { (SECURE_NAME, "; Secure") } else { (NAME, "") };
    let cookie = format!("{name}={token}; HttpOnly; SameSite=Strict; Path=/{age}{secure}");
    HeaderValue::from_str(&cookie).ok()
}

/// Whether people come by https.
fn is_secure(config: &Config) -> bool {
    config.public_url.starts_with("https:")
}
