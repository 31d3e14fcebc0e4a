//! What is to be sent. Headers are checked when they are added, so nothing can be smuggled later.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{ACCEPT_ENCODING, HOST, HeaderName, HeaderValue, USER_AGENT};
use hyper::{HeaderMap, Method, Request};

use super::body::{BodyPieces, OutboundBody};
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

/// Something to be sent to a URL.
pub struct OutboundRequest {
    pub(super) url: String,
    pub(super) timeout: Duration,
    pub(super) answer_bytes_max: AnswerBytes,
    method: Method,
    headers: HeaderMap,
    body: OutboundBody,
}

/// How much of an answer is kept, and how much is read at all.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerBytes {
    pub(super) kept: usize,
    pub(super) read: u64,
}

/// The first 16 KiB of what a stranger says are kept.
const OF_STRANGERS: AnswerBytes = AnswerBytes { kept: 16 * 1024, read: 64 * 1024 };

/// Without the URL and the headers: a token may stand in either.
impl fmt::Debug for OutboundRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OutboundRequest({})", self.method)
    }
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

pub(super) type HttpMessage = Request<OutboundBody>;

impl OutboundRequest {
    /// `timeout` covers everything, from resolving the name to the last byte of the answer.
    pub fn new(url: impl Into<String>, body: Bytes, timeout: Duration) -> Self {
        Self {
            url: url.into(),
            timeout: timeout.min(TIMEOUT_MAX),
            answer_bytes_max: OF_STRANGERS,
            method: Method::POST,
            headers: HeaderMap::new(),
            body: OutboundBody::whole(body),
        }
    }

    /// Asks for what is at the URL.
    pub(crate) fn get(url: impl Into<String>, timeout: Duration) -> Self {
        Self { method: Method::GET, ..Self::new(url, Bytes::new(), timeout) }
    }

    /// Posts a stream of so many bytes.
    pub(crate) fn streamed(
        url: impl Into<String>,
        (pieces, left): (BodyPieces, u64),
        timeout: Duration,
    ) -> Self {
        let body = OutboundBody::Streamed { pieces, left };
        Self { body, ..Self::new(url, Bytes::new(), timeout) }
    }

    /// The same by PUT.
    pub(crate) fn putting(self) -> Self {
        Self { method: Method::PUT, ..self }
    }

    /// The answer is kept up to so many bytes; one that is longer is a failure.
    pub(crate) fn keeping(self, bytes_max: usize) -> Self {
        let answer_bytes_max = AnswerBytes { kept: bytes_max, read: bytes_max as u64 };
        Self { answer_bytes_max, ..self }
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
        let mut message = Request::new(self.body);
        *message.method_mut() = self.method;
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
