//! The cookie that a page's sign-in is kept in (D-0111), and the one by which its browser is known
//! afterwards (D-0213).
//!
//! Scripts cannot read it, other sites do not send it, and it counts only where a request shows
//! that it was made by a page of this server: so no token stands in a page or in an address.

use axum::http::{HeaderMap, HeaderValue, header};
use confab_domain::limits;

use crate::config::Config;

/// What a page of this server sends with its calls; no form of another site can.
const OWN_HEADER: &str = "x-confab";

const TOKEN: &str = "confab";
const DEVICE: &str = "confab-device";
/// Browsers accept cookies of such names only by https, for the whole host, from the host itself.
const SECURE_PREFIX: &str = "__Host-";

/// The tokens that a page of this server may have sent, at most a few.
pub(super) fn tokens<'a>(headers: &'a HeaderMap, config: &Config) -> Vec<&'a str> {
    values(headers, TOKEN, config)
}

/// The proofs of a known device that it may have sent.
pub(super) fn device_proofs<'a>(headers: &'a HeaderMap, config: &Config) -> Vec<&'a str> {
    values(headers, DEVICE, config)
}

/// The values of our cookie of this name. Programs on other ports of this host can set cookies of
/// the same name, so there can be several. Browsers send those with the longest paths first, and
/// ours has the shortest: the last ones count.
fn values<'a>(headers: &'a HeaderMap, name: &str, config: &Config) -> Vec<&'a str> {
    if !is_own_page(headers, config) {
        return Vec::new();
    }
    let lines = headers.get_all(header::COOKIE).into_iter().filter_map(|it| it.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|it| it.trim().split_once('='));
    let is_ours = |key: &str| match is_secure(config) {
        true => key.strip_prefix(SECURE_PREFIX) == Some(name),
        false => key == name,
    };
    let ours = pairs.rev().filter(|(key, value)| is_ours(key) && !value.is_empty());
    ours.map(|(_, value)| value).take(limits::COOKIES_TRIED_MAX).collect()
}

/// Keeps a token for 30 days, or until the browser ends.
pub(super) fn keeping(token: &str, is_kept: bool, config: &Config) -> Option<HeaderValue> {
    set(TOKEN, token, is_kept.then_some(limits::SIGN_IN_DAYS), config)
}

/// Keeps the proof of a known device, also after the sign-in ends.
pub(super) fn keeping_device(proof: &str, config: &Config) -> Option<HeaderValue> {
    set(DEVICE, proof, Some(limits::KNOWN_DEVICE_DAYS), config)
}

/// Takes the cookie away.
pub(super) fn ending(config: &Config) -> Option<HeaderValue> {
    set(TOKEN, "", Some(0), config)
}

/// Whether a request was made by a page of this server: by the header that only such a page can
/// send, or, where a page cannot send headers, by the origin that the browser names.
pub(super) fn is_own_page(headers: &HeaderMap, config: &Config) -> bool {
    let text = |name: &str| headers.get(name).and_then(|it| it.to_str().ok());
    if text(OWN_HEADER) == Some("1") {
        return true;
    }
    let host = text("host").unwrap_or_default();
    let origin = text("origin").and_then(|origin| origin.split_once("://"));
    origin.is_some_and(|(scheme, from)| {
        // Extensions and apps have origins of other schemes, whose host they may choose.
        let is_own_scheme = match config.pages_scheme() {
            Some(own) => scheme == own,
            None => matches!(scheme, "http" | "https"),
        };
        is_own_scheme && !host.is_empty() && from == host
    })
}

fn set(name: &str, value: &str, days: Option<u32>, config: &Config) -> Option<HeaderValue> {
    let age = days.map_or_else(String::new, |days| format!("; Max-Age={}", days * 86_400));
    let (prefix, secure) = if is_secure(config) { (SECURE_PREFIX, "; Secure") } else { ("", "") };
    let cookie = format!("{prefix}{name}={value}; HttpOnly; SameSite=Strict; Path=/{age}{secure}");
    HeaderValue::from_str(&cookie).ok()
}

/// Whether people come by https.
fn is_secure(config: &Config) -> bool {
    config.public_url.starts_with("https:")
}
