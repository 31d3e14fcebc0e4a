//! What is to be sent. Headers are checked when they are added, so nothing can be smuggled later.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ACCEPT_ENCODING, HOST, HeaderName, HeaderValue, USER_AGENT};
use hyper::{HeaderMap, Method, Request};

use super::target::Target;

const HEADERS_MAX: usize = 64;
const HEADER_BYTES_MAX: usize = 16 * 1024;
const TIMEOUT_MAX: Duration = Duration::from_secs(300);

/// Headers that say where a message ends, who it is for or what may come back: the client's own.
const OWN_HEADERS: [&str; 13] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "http2-settings",
];

/// Bytes to be posted to a URL.
#[derive(Debug, Clone)]
pub struct OutboundRequest {
    pub(super) url: String,
    pub(super) timeout: Duration,
    headers: HeaderMap,
    body: Bytes,
}

/// A header that cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadHeader {
    /// Not a token.
    #[error("the header name {0:?} holds something else than letters, digits and dashes")]
    Name(String),
    /// A line break, another control character or a character outside of ASCII.
    #[error("the value of the header {0} holds a character that must not stand in a header")]
    Value(String),
    /// A header that the client sets itself.
    #[error("the header {0} is set by the server")]
    Own(String),
    /// More than a receiver takes.
    #[error("there are more than {HEADERS_MAX} headers or {HEADER_BYTES_MAX} bytes of them")]
    TooMuch,
}

pub(super) type HttpMessage = Request<Full<Bytes>>;

impl OutboundRequest {
    /// `timeout` covers everything, from resolving the name to the last byte of the answer.
    pub fn new(url: impl Into<String>, body: Bytes, timeout: Duration) -> Self {
        let timeout = timeout.min(TIMEOUT_MAX);
        Self { url: url.into(), timeout, headers: HeaderMap::new(), body }
    }

    /// Adds a header, in place of one with the same name.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, BadHeader> {
        let parsed: HeaderName = name.parse().map_err(|_| BadHeader::Name(name.to_owned()))?;
        if OWN_HEADERS.contains(&parsed.as_str()) {
            return Err(BadHeader::Own(parsed.to_string()));
        }
        let bad_value = |_| BadHeader::Value(parsed.to_string());
        // The parser lets bytes above ASCII pass, which every receiver reads in its own way.
        let ascii = if value.is_ascii() { value } else { "\0" };
        let value = HeaderValue::from_str(ascii).map_err(bad_value)?;
        self.headers.insert(parsed, value);
        let bytes: usize =
            self.headers.iter().map(|(it, value)| it.as_str().len() + value.len()).sum();
        if self.headers.len() > HEADERS_MAX || bytes > HEADER_BYTES_MAX {
            return Err(BadHeader::TooMuch);
        }
        Ok(self)
    }

    /// The message for a target, or `None` if the URL cannot stand in one.
    pub(super) fn into_message(self, target: &Target) -> Option<HttpMessage> {
        let mut message = Request::new(Full::new(self.body));
        *message.method_mut() = Method::POST;
        *message.uri_mut() = target.path_and_query().parse().ok()?;
        let host = HeaderValue::from_str(&target.authority()).ok()?;
        let headers = message.headers_mut();
        headers.insert(HOST, host);
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers.insert(USER_AGENT, HeaderValue::from_static("Confab"));
        headers.extend(self.headers);
        Some(message)
    }

    /// The same for HTTP/2, where the host is part of the URL.
    pub(super) fn into_http2_message(self, target: &Target) -> Option<HttpMessage> {
        let mut message = self.into_message(target)?;
        let scheme = if target.is_tls() { "https" } else { "http" };
        let url = format!("{scheme}://{}{}", target.authority(), target.path_and_query());
        *message.uri_mut() = url.parse().ok()?;
        message.headers_mut().remove(HOST);
        Some(message)
    }
}
