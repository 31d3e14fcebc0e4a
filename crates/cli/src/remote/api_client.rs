//! The HTTP client of the commands, for calls to the running server and to a developer's receiver.
//!
//! `server_api`, `doctor`, `listen` and `import` call it. Its connections bypass the checks of
//! `outbound`, which guard calls on behalf of untrusted parties: here, the operator names the
//! address, mostly on their own machine. Each request uses one connection and has a time limit;
//! redirects are not followed, and the size of responses is limited.

use std::io::ErrorKind;
use std::time::Duration;

use bytes::Bytes;
use confab_outbound::{Host, OutboundTls, TlsRoots};
use confab_runtime::failures::chain;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper::header::{HOST, HeaderMap, HeaderValue};
use hyper::http::response::Parts;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use url::{Position, Url};

/// Time limit for connecting; a reachable machine responds sooner.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// Maximum size of a response body in bytes, far above the size of a page of webhooks with long
/// bodies.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// An HTTP request with its time limit. No `Debug`: its headers may contain a key.
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Time limit for the whole call, up to the last byte of the response.
    pub(crate) limit: Duration,
}

/// A complete HTTP response, of any status.
#[derive(Debug)]
pub(crate) struct ApiResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Time from the start of the connection to the last byte of the response.
    pub(crate) took: Duration,
}

/// The start of a response: status, headers, and the first bytes of the body if they arrived in
/// time.
pub(crate) struct ResponseStart {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) first: Option<Bytes>,
}

/// Reason why there is no response.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoResponse {
    /// Nothing listens at the address.
    #[error("the connection was refused")]
    Refused,
    /// The time limit passed before the response was complete.
    #[error("no response within {} s", .0.as_secs())]
    TooLate(Duration),
    /// Name resolution, connection, TLS or HTTP failed.
    #[error("{0}")]
    Broken(String),
}

/// Parses a URL argument. A URL without a scheme, such as `localhost:3000/hook`, uses http.
pub(crate) fn parse_url(text: &str) -> Result<Url, String> {
    let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let wrong = |why: &str| format!("{text} is not a valid URL: {why}");
    let url = Url::parse(&whole).map_err(|error| wrong(&error.to_string()))?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err(wrong("it must start with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a URL must not contain a user name or a password".to_owned());
    }
    Ok(url)
}

/// Sends a request and reads the whole response.
pub(crate) async fn exchange(call: Call) -> Result<ApiResponse, NoResponse> {
    let (begun, limit) = (Instant::now(), call.limit);
    let answered = timeout(limit, connect_and_send(call)).await;
    let (head, body) = answered.map_err(|_| NoResponse::TooLate(limit))??;
    let (status, headers) = (head.status, head.headers);
    Ok(ApiResponse { status, headers, body, took: begun.elapsed() })
}

/// Sends a request and reads only the start of the response, within the call's time limit. Suitable
/// for responses that never end, and for those that switch protocols.
pub(crate) async fn begin(call: Call) -> Result<ResponseStart, NoResponse> {
    let (until, limit) = (Instant::now() + call.limit, call.limit);
    let beginning = async {
        let stream = open(&call.url).await?;
        let request = request(call)?;
        let (mut sender, driven) =
            http1::handshake::<_, Full<Bytes>>(TokioIo::new(stream)).await.map_err(no_http)?;
        let answered = async {
            let answer = sender.send_request(request).await.map_err(no_http)?;
            let (head, mut body) = answer.into_parts();
            let first = timeout_at(until, body.frame()).await.ok().flatten();
            let first = first.and_then(|frame| frame.ok()?.into_data().ok());
            Ok(ResponseStart { status: head.status, headers: head.headers, first })
        };
        tokio::select! {
            answer = answered => answer,
            never = ended(driven) => never,
        }
    };
    // The wait for the first bytes ends at `until` without an error, so the outer limit is later.
    let patience = until + Duration::from_secs(1);
    timeout_at(patience, beginning).await.map_err(|_| NoResponse::TooLate(limit))?
}

/// A connection with or without TLS.
trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

async fn open(url: &Url) -> Result<Box<dyn Duplex>, NoResponse> {
    let (host, stream) = connect(url).await?;
    if url.scheme() == "http" {
        return Ok(Box::new(stream));
    }
    let encrypted = OutboundTls::new(TlsRoots::Platform).connect(&host, stream).await;
    let unencrypted = |error: String| {
        let hint = "the host of the URL must be a name in the server's certificate";
        broken("TLS", &format!("{error}; {hint}"))
    };
    Ok(Box::new(encrypted.map_err(unencrypted)?))
}

async fn connect(url: &Url) -> Result<(Host, TcpStream), NoResponse> {
    let port = url.port_or_known_default().unwrap_or(80);
    let host = match url.host() {
        Some(url::Host::Domain(name)) => Host::Name(name.to_owned()),
        Some(url::Host::Ipv4(address)) => Host::Address(address.into()),
        Some(url::Host::Ipv6(address)) => Host::Address(address.into()),
        None => return Err(NoResponse::Broken("the address has no host".to_owned())),
    };
    let connecting = async {
        match &host {
            Host::Name(name) => TcpStream::connect((name.as_str(), port)).await,
            Host::Address(address) => TcpStream::connect((*address, port)).await,
        }
    };
    let connected = timeout(CONNECT_LIMIT, connecting).await;
    let stream = connected.map_err(|_| NoResponse::TooLate(CONNECT_LIMIT))?;
    let stream = stream.map_err(|error| match error.kind() {
        ErrorKind::ConnectionRefused => NoResponse::Refused,
        _ => broken("failed to connect", &error.to_string()),
    })?;
    // On loopback, a free port can connect to itself.
    if matches!((stream.local_addr(), stream.peer_addr()), (Ok(here), Ok(there)) if here == there) {
        return Err(NoResponse::Refused);
    }
    stream.set_nodelay(true).ok();
    Ok((host, stream))
}

async fn connect_and_send(call: Call) -> Result<(Parts, Bytes), NoResponse> {
    let stream = open(&call.url).await?;
    let request = request(call)?;
    let (mut sender, driven) =
        http1::handshake::<_, Full<Bytes>>(TokioIo::new(stream)).await.map_err(no_http)?;
    let answered = async {
        let (head, body) = sender.send_request(request).await.map_err(no_http)?.into_parts();
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
        let body = body.map_err(|error| broken("the response is incomplete", &chain(&*error)))?;
        Ok((head, body.to_bytes()))
    };
    tokio::select! {
        answer = answered => answer,
        never = ended(driven) => never,
    }
}

/// Drives a connection and never returns: if the connection fails, the pending request reports the
/// error.
async fn ended<T>(driven: impl Future<Output = hyper::Result<()>>) -> T {
    driven.await.ok();
    std::future::pending().await
}

fn no_http(error: hyper::Error) -> NoResponse {
    broken("no HTTP response", &chain(&error))
}

fn request(call: Call) -> Result<Request<Full<Bytes>>, NoResponse> {
    let path_and_query = &call.url[Position::BeforePath..Position::AfterQuery];
    let host = &call.url[Position::BeforeHost..Position::AfterPort];
    let invalid = |error: &dyn std::error::Error| broken("invalid request", &error.to_string());
    let host = HeaderValue::from_str(host).map_err(|error| invalid(&error))?;
    let built = Request::builder().method(call.method).uri(path_and_query);
    let mut request = built.body(Full::new(call.body)).map_err(|error| invalid(&error))?;
    *request.headers_mut() = call.headers;
    request.headers_mut().insert(HOST, host);
    Ok(request)
}

fn broken(what: &str, why: &str) -> NoResponse {
    NoResponse::Broken(format!("{what}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_without_a_scheme_is_read_as_http() {
        for (typed, url) in [
            ("localhost:3000/hook", "http://localhost:3000/hook"),
            ("http://127.0.0.1:8787", "http://127.0.0.1:8787/"),
            ("https://chat.example.com/confab?a=b", "https://chat.example.com/confab?a=b"),
        ] {
            assert_eq!(parse_url(typed).expect("a URL").as_str(), url);
        }
    }

    #[test]
    fn an_invalid_url_is_refused_without_printing_its_password() {
        for typed in ["", "ftp://a/b", "http://", "localhost:port", "http://u:planted@a/b"] {
            let said = parse_url(typed).expect_err("refused");
            assert!(!said.contains("planted"), "{said}");
        }
    }
}
