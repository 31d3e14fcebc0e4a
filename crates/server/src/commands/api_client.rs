//! How commands speak HTTP: to their own running server, and to a developer's receiver.
//!
//! Called by `server_api`, `doctor`, `listen` and `import`. Opens connections outside of
//! `outbound`, as the bus does to the NATS that the operator names: `outbound` guards what the
//! server calls on behalf of strangers, while here the person at the terminal names the address,
//! which is mostly their own machine. One connection a request, a time limit on everything, no
//! redirects, and a bound on what is read of an answer.

use std::io::ErrorKind;
use std::time::Duration;

use bytes::Bytes;
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

use crate::failures::chain;
use crate::outbound::{Host, OutboundTls, TlsRoots};

/// A machine that is there takes a connection sooner.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// A page of webhooks with long bodies stays far below.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// One request. No `Debug`: its headers may hold a key.
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// For everything, to the last byte of the answer.
    pub(super) limit: Duration,
}

/// What was answered, whatever its status.
#[derive(Debug)]
pub(super) struct ApiResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// From the first packet to the last.
    pub(super) took: Duration,
}

/// The beginning of an answer: its head, and the first bytes if they came in time.
pub(super) struct Beginning {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) first: Option<Bytes>,
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unanswered {
    /// Nobody listens at the address.
    #[error("the connection was refused")]
    Refused,
    /// The time was over.
    #[error("no answer within {} s", .0.as_secs())]
    TooLate(Duration),
    /// The name, the connection, its encryption or its HTTP was wrong.
    #[error("{0}")]
    Broken(String),
}

/// Reads an address that somebody typed; `localhost:3000/hook` is taken as http.
pub(super) fn parse_url(text: &str) -> Result<Url, String> {
    let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let wrong = |why: &str| format!("{text} is no address to call: {why}");
    let url = Url::parse(&whole).map_err(|error| wrong(&error.to_string()))?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err(wrong("it must start with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address to call must not hold a user name or a password".to_owned());
    }
    Ok(url)
}

/// Makes the call and reads the whole answer.
pub(super) async fn exchange(call: Call) -> Result<ApiResponse, Unanswered> {
    let (begun, limit) = (Instant::now(), call.limit);
    let answered = timeout(limit, connect_and_send(call)).await;
    let (head, body) = answered.map_err(|_| Unanswered::TooLate(limit))??;
    let (status, headers) = (head.status, head.headers);
    Ok(ApiResponse { status, headers, body, took: begun.elapsed() })
}

/// Makes the call and reads only the beginning of the answer, for at most the time of the call. An
/// answer that does not end, or changes to another protocol, is one, too.
pub(super) async fn begin(call: Call) -> Result<Beginning, Unanswered> {
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
            Ok(Beginning { status: head.status, headers: head.headers, first })
        };
        tokio::select! {
            answer = answered => answer,
            never = ended(driven) => never,
        }
    };
    // The beginning of the body has the same time, and its end is no failure.
    let patience = until + Duration::from_secs(1);
    timeout_at(patience, beginning).await.map_err(|_| Unanswered::TooLate(limit))?
}

/// A connection, encrypted or not.
trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

async fn open(url: &Url) -> Result<Box<dyn Duplex>, Unanswered> {
    let (host, stream) = connect(url).await?;
    if url.scheme() == "http" {
        return Ok(Box::new(stream));
    }
    let encrypted = OutboundTls::new(TlsRoots::Platform).connect(&host, stream).await;
    let unencrypted = |error: String| {
        let hint = "the address must name it as its certificate does";
        broken("TLS", &format!("{error}; {hint}"))
    };
    Ok(Box::new(encrypted.map_err(unencrypted)?))
}

async fn connect(url: &Url) -> Result<(Host, TcpStream), Unanswered> {
    let port = url.port_or_known_default().unwrap_or(80);
    let host = match url.host() {
        Some(url::Host::Domain(name)) => Host::Name(name.to_owned()),
        Some(url::Host::Ipv4(address)) => Host::Address(address.into()),
        Some(url::Host::Ipv6(address)) => Host::Address(address.into()),
        None => return Err(Unanswered::Broken("the address has no host".to_owned())),
    };
    let connecting = async {
        match &host {
            Host::Name(name) => TcpStream::connect((name.as_str(), port)).await,
            Host::Address(address) => TcpStream::connect((*address, port)).await,
        }
    };
    let connected = timeout(CONNECT_LIMIT, connecting).await;
    let stream = connected.map_err(|_| Unanswered::TooLate(CONNECT_LIMIT))?;
    let stream = stream.map_err(|error| match error.kind() {
        ErrorKind::ConnectionRefused => Unanswered::Refused,
        _ => broken("no connection", &error.to_string()),
    })?;
    // On loopback, a free port can connect to itself.
    if matches!((stream.local_addr(), stream.peer_addr()), (Ok(here), Ok(there)) if here == there) {
        return Err(Unanswered::Refused);
    }
    stream.set_nodelay(true).ok();
    Ok((host, stream))
}

async fn connect_and_send(call: Call) -> Result<(Parts, Bytes), Unanswered> {
    let stream = open(&call.url).await?;
    let request = request(call)?;
    let (mut sender, driven) =
        http1::handshake::<_, Full<Bytes>>(TokioIo::new(stream)).await.map_err(no_http)?;
    let answered = async {
        let (head, body) = sender.send_request(request).await.map_err(no_http)?.into_parts();
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
        let body = body.map_err(|error| broken("the answer broke off", &chain(&*error)))?;
        Ok((head, body.to_bytes()))
    };
    tokio::select! {
        answer = answered => answer,
        never = ended(driven) => never,
    }
}

/// How a connection ended is of no interest: what matters of it is in the answer's failure.
async fn ended<T>(driven: impl Future<Output = hyper::Result<()>>) -> T {
    driven.await.ok();
    std::future::pending().await
}

fn no_http(error: hyper::Error) -> Unanswered {
    broken("no HTTP answer", &chain(&error))
}

fn request(call: Call) -> Result<Request<Full<Bytes>>, Unanswered> {
    let path_and_query = &call.url[Position::BeforePath..Position::AfterQuery];
    let host = &call.url[Position::BeforeHost..Position::AfterPort];
    let invalid = |error: &dyn std::error::Error| broken("no valid request", &error.to_string());
    let host = HeaderValue::from_str(host).map_err(|error| invalid(&error))?;
    let built = Request::builder().method(call.method).uri(path_and_query);
    let mut request = built.body(Full::new(call.body)).map_err(|error| invalid(&error))?;
    *request.headers_mut() = call.headers;
    request.headers_mut().insert(HOST, host);
    Ok(request)
}

fn broken(what: &str, why: &str) -> Unanswered {
    Unanswered::Broken(format!("{what}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_be_typed_without_http() {
        for (typed, url) in [
            ("localhost:3000/hook", "http://localhost:3000/hook"),
            ("http://127.0.0.1:8787", "http://127.0.0.1:8787/"),
            ("https://chat.example.com/confab?a=b", "https://chat.example.com/confab?a=b"),
        ] {
            assert_eq!(parse_url(typed).expect("a URL").as_str(), url);
        }
    }

    #[test]
    fn what_cannot_be_called_is_refused_without_repeating_a_password() {
        for typed in ["", "ftp://a/b", "http://", "localhost:port", "http://u:planted@a/b"] {
            let said = parse_url(typed).expect_err("refused");
            assert!(!said.contains("planted"), "{said}");
        }
    }
}
