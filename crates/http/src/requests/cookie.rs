//! The cookies of the dashboard: the token of a sign-in (D-0111), and the proof of a known browser
//! (D-0069).
//!
//! Scripts cannot read them, and other sites do not send them. They are accepted only in requests
//! that a page of this server made. Pages and URLs therefore need not contain a token.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use confab_app::services::Services;
use confab_domain::limits;
use confab_runtime::config::Config;

/// Header that pages of this server send with their calls. Forms of other sites cannot send it.
const OWN_HEADER: &str = "x-confab";

/// The headers of a request that a page of this server should have made.
pub(crate) struct PageHeaders(pub(crate) HeaderMap);

impl FromRequestParts<Services> for PageHeaders {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Services) -> Result<Self, Infallible> {
        Ok(Self(parts.headers.clone()))
    }
}

const TOKEN: &str = "confab";
const DEVICE: &str = "confab-device";
/// Name prefix of cookies that browsers accept only over HTTPS, from the host itself, and for all
/// of its paths.
const SECURE_PREFIX: &str = "__Host-";

/// Returns the tokens of the sign-in cookies in a request of this server's own pages, at most
/// [`limits::COOKIES_TRIED_MAX`]. Requests of other pages have none.
pub(crate) fn tokens<'a>(headers: &'a HeaderMap, config: &Config) -> Vec<&'a str> {
    values(headers, TOKEN, config)
}

/// Returns the proofs of the known-device cookies in a request of this server's own pages.
pub(crate) fn device_proofs<'a>(headers: &'a HeaderMap, config: &Config) -> Vec<&'a str> {
    values(headers, DEVICE, config)
}

/// Returns the values of all cookies with this name, the most probable first. Programs on other
/// ports of this host can set cookies of the same name. Browsers send cookies with longer paths
/// first, and this server's cookies have the shortest path, so the last one in the header is
/// returned first.
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

/// Builds the cookie that holds the token of a sign-in for [`limits::SIGN_IN_DAYS`] days, or until
/// the browser closes if `is_kept` is false.
pub(crate) fn keeping(token: &str, is_kept: bool, config: &Config) -> Option<HeaderValue> {
    set(TOKEN, token, is_kept.then_some(limits::SIGN_IN_DAYS), config)
}

/// Builds the cookie that marks this browser as a known device of the agent. It outlives the
/// sign-in.
pub(crate) fn keeping_device(proof: &str, config: &Config) -> Option<HeaderValue> {
    set(DEVICE, proof, Some(limits::KNOWN_DEVICE_DAYS), config)
}

/// Builds the cookie that removes the sign-in cookie from the browser.
pub(crate) fn ending(config: &Config) -> Option<HeaderValue> {
    set(TOKEN, "", Some(0), config)
}

/// Whether a page of this server made the request. Such a request has the header [`OWN_HEADER`]. If
/// pages cannot add headers to it, as to a WebSocket request, its `Origin` header names this
/// server.
pub(crate) fn is_own_page(headers: &HeaderMap, config: &Config) -> bool {
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
