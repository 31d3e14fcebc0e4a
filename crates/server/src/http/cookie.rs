//! The cookies of the dashboard: the token of a sign-in (D-0111), and the proof of a known browser
//! (D-0069).
//!
//! Scripts cannot read them, and other sites do not send them. They count only if the request shows
//! that a page of this server made it. So no page and no URL contains a token.

use axum::http::{HeaderMap, HeaderValue, header};
use confab_domain::limits;

use crate::config::Config;

/// Header that pages of this server send with their calls. Forms of other sites cannot send it.
const OWN_HEADER: &str = "x-confab";

const TOKEN: &str = "confab";
const DEVICE: &str = "confab-device";
/// Prefix of cookies that browsers accept only over HTTPS, from the host itself, for the whole
/// host.
const SECURE_PREFIX: &str = "__Host-";

/// Returns the tokens that a page of this server sent, at most [`limits::COOKIES_TRIED_MAX`].
pub(super) fn tokens<'a>(headers: &'a HeaderMap, config: &Config) -> Vec<&'a str> {
    values(headers, TOKEN, config)
}

/// Returns the proofs of a known device that a page of this server sent.
pub(super) fn device_proofs<'a>(headers: &'a HeaderMap, config: &Config) -> Vec<&'a str> {
    values(headers, DEVICE, config)
}

/// Returns the values of the cookie. Programs on other ports of this host can set cookies of the
/// same name, so there can be several. Browsers send longer paths first, and ours has the shortest,
/// so the last values are preferred.
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

/// Builds the cookie of a token, for 30 days ([`limits::SIGN_IN_DAYS`]) or until the browser
/// closes.
pub(super) fn keeping(token: &str, is_kept: bool, config: &Config) -> Option<HeaderValue> {
    set(TOKEN, token, is_kept.then_some(limits::SIGN_IN_DAYS), config)
}

/// Builds the cookie of a known device, which outlives the sign-in.
pub(super) fn keeping_device(proof: &str, config: &Config) -> Option<HeaderValue> {
    set(DEVICE, proof, Some(limits::KNOWN_DEVICE_DAYS), config)
}

/// Builds the header that removes the token's cookie.
pub(super) fn ending(config: &Config) -> Option<HeaderValue> {
    set(TOKEN, "", Some(0), config)
}

/// Whether a page of this server made the request: it has the header that only such a page can
/// send, or, where pages cannot send headers, the origin of this server.
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

/// Whether the server's public URL is HTTPS.
fn is_secure(config: &Config) -> bool {
    config.public_url.starts_with("https:")
}
