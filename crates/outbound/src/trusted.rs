//! Requests to hosts that the operator configured, such as the file bucket. These hosts need not be
//! public; bodies are streamed in both directions, and each request has its own connection.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Incoming;
use hyper::header::{HOST, HeaderValue};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use url::Url;

use super::target::Host;
use super::tls::OutboundTls;

/// The streamed body of a request.
pub type TrustedBody = UnsyncBoxBody<Bytes, io::Error>;

/// Time limit for connecting, and again for the TLS handshake.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Sends a request to a configured URL. The caller limits the time of the answer.
pub async fn send_trusted(
    tls: &OutboundTls,
    url: &Url,
    mut request: Request<TrustedBody>,
) -> io::Result<Response<Incoming>> {
    let host = url.host_str().ok_or_else(|| io::Error::other("the URL has no host"))?;
    let port = url.port_or_known_default().unwrap_or(443);
    let authority = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let authority = HeaderValue::from_str(&authority).map_err(io::Error::other)?;
    request.headers_mut().insert(HOST, authority);
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    *request.uri_mut() = path.parse().map_err(io::Error::other)?;
    let late = |_| io::Error::from(io::ErrorKind::TimedOut);
    let plain = host.trim_start_matches('[').trim_end_matches(']');
    let connected = tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect((plain, port)));
    let stream = connected.await.map_err(late)??;
    if url.scheme() != "https" {
        return exchange(stream, request).await;
    }
    let name = plain.parse().map_or_else(|_| Host::Name(plain.to_owned()), Host::Address);
    let encrypted = tokio::time::timeout(CONNECT_TIMEOUT, tls.connect(&name, stream));
    exchange(encrypted.await.map_err(late)?.map_err(io::Error::other)?, request).await
}

async fn exchange<S>(stream: S, request: Request<TrustedBody>) -> io::Result<Response<Incoming>>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream));
    let (mut sender, driver) = handshake.await.map_err(io::Error::other)?;
    // The task ends with the answer's body, or when it is dropped.
    tokio::spawn(driver);
    sender.send_request(request).await.map_err(io::Error::other)
}
