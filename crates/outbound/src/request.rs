//! Outgoing requests. Headers are validated when they are added, so that no header injection is
//! possible.

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

/// Headers that only the client sets, because they control framing, routing or encoding.
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

/// A request to a URL.
pub struct OutboundRequest {
    pub(super) url: String,
    pub(super) timeout: Duration,
    pub(super) answer_bytes_max: AnswerBytes,
    method: Method,
    headers: HeaderMap,
    body: OutboundBody,
}

/// Maximum number of body bytes of an answer that are stored, and that are read. More bytes than
/// `read` are a failure.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerBytes {
    pub(super) kept: usize,
    pub(super) read: u64,
}

/// Default limits for answers, whose senders are not trusted: 16 KiB are stored, 64 KiB are read.
const OF_STRANGERS: AnswerBytes = AnswerBytes { kept: 16 * 1024, read: 64 * 1024 };

/// Omits the URL and the headers, because both can contain tokens.
impl fmt::Debug for OutboundRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OutboundRequest({})", self.method)
    }
}

/// A header that cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadHeader {
    /// The name contains a character that is not allowed in header names.
    #[error("the header name {0:?} may contain letters, digits and dashes only")]
    Name(String),
    /// The value contains a line break, another control character or a character outside ASCII.
    #[error("the value of the header {0} contains an invalid character")]
    Value(String),
    /// A header that the client sets itself.
    #[error("the header {0} is set by the server")]
    Own(String),
    /// There are too many headers, or they are too large in total.
    #[error("there are more than {HEADERS_MAX} headers or {HEADER_BYTES_MAX} bytes of headers")]
    TooMuch,
}

pub(super) type HttpMessage = Request<OutboundBody>;

impl OutboundRequest {
    /// Creates a POST request. `timeout` covers everything from name resolution to the last byte of
    /// the answer.
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

    /// Creates a GET request.
    pub fn get(url: impl Into<String>, timeout: Duration) -> Self {
        Self { method: Method::GET, ..Self::new(url, Bytes::new(), timeout) }
    }

    /// Creates a POST request with a streamed body of known length.
    pub fn streamed(
        url: impl Into<String>,
        (pieces, left): (BodyPieces, u64),
        timeout: Duration,
    ) -> Self {
        let body = OutboundBody::Streamed { pieces, left };
        Self { body, ..Self::new(url, Bytes::new(), timeout) }
    }

    /// Changes the method to PUT.
    pub fn putting(self) -> Self {
        Self { method: Method::PUT, ..self }
    }

    /// Stores answers of up to `bytes_max` bytes; a longer one is a failure.
    pub fn keeping(self, bytes_max: usize) -> Self {
        let answer_bytes_max = AnswerBytes { kept: bytes_max, read: bytes_max as u64 };
        Self { answer_bytes_max, ..self }
    }

    /// Sets a header, replacing one of the same name.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, BadHeader> {
        let parsed: HeaderName = name.parse().map_err(|_| BadHeader::Name(name.to_owned()))?;
        if OWN_HEADERS.contains(&parsed.as_str()) {
            return Err(BadHeader::Own(parsed.to_string()));
        }
        let bad_value = |_| BadHeader::Value(parsed.to_string());
        // The parser accepts bytes above ASCII, which receivers interpret differently.
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

    /// Returns the message for a target, or `None` if the URL is invalid in a request.
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

    /// Returns the message for HTTP/2, where the host is part of the URL.
    pub(super) fn into_http2_message(self, target: &Target) -> Option<HttpMessage> {
        let mut message = self.into_message(target)?;
        let scheme = if target.is_tls() { "https" } else { "http" };
        let url = format!("{scheme}://{}{}", target.authority(), target.path_and_query());
        *message.uri_mut() = url.parse().ok()?;
        message.headers_mut().remove(HOST);
        Some(message)
    }
}
