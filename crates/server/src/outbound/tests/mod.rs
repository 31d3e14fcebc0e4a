//! The client against real sockets, and the guard against every spelling of a forbidden address.

mod allow_list;
mod dns_faults;
mod hostile_answers;
mod http2;
mod keep_alive;
mod many_at_once;
mod rebinding;
mod redirects;
mod request_headers;
mod slow_receivers;
mod ssrf_corpus;
mod target_guard;
mod tls_faults;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{
    AllowList, Attempted, OutboundClient, OutboundRequest, Resolver, Scripted, TargetGuard,
    TlsRoots,
};

/// Long enough for a busy machine.
const PATIENT: Duration = Duration::from_secs(20);
const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// A server that is reachable from outside.
fn public_guard() -> TargetGuard {
    TargetGuard::new(false, AllowList::default())
}

fn loopback_guard() -> TargetGuard {
    TargetGuard::new(true, AllowList::default())
}

fn every_name_is(address: IpAddr) -> Resolver {
    Resolver::scripted(move |_| Scripted::Addresses(vec![address]))
}

fn client(guard: TargetGuard, resolver: Resolver) -> OutboundClient {
    OutboundClient::new(guard, resolver, TlsRoots::Only(Vec::new()))
}

/// One for receivers on this machine.
fn local_client() -> OutboundClient {
    client(loopback_guard(), every_name_is([127, 0, 0, 1].into()))
}

fn request(url: impl Into<String>, timeout: Duration) -> OutboundRequest {
    OutboundRequest::new(url, Bytes::from_static(b"{}"), timeout)
}

async fn post(client: &OutboundClient, url: impl Into<String>) -> Attempted {
    client.post(request(url, PATIENT)).await
}

/// The status, or the class of the failure.
fn word(attempted: &Attempted) -> String {
    match &attempted.outcome {
        Ok(answer) => answer.status.to_string(),
        Err(failed) => failed.class.as_str().to_owned(),
    }
}

/// Serves every connection with a function.
async fn listen<F, S>(serve: F) -> SocketAddr
where
    F: Fn(TcpStream) -> S + Send + 'static,
    S: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(accept(listener, serve));
    address
}

async fn accept<F, S>(listener: TcpListener, serve: F)
where
    F: Fn(TcpStream) -> S,
    S: Future<Output = ()> + Send + 'static,
{
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream));
    }
}

/// Answers every request of every connection with the same bytes.
async fn answering(answer: &'static str) -> SocketAddr {
    listen(move |stream| answer_all(stream, answer)).await
}

async fn answer_all<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, answer: &'static str) {
    while read_request(&mut stream).await.is_some() {
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// The head and the body of the next request. `None` when there is none.
async fn read_request<S: AsyncRead + Unpin>(stream: &mut S) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.map_or(0, |it| it.parse().expect("a length"));
            if body.len() >= length {
                return Some(text);
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

/// A listener that nobody may connect to.
struct Canary {
    address: SocketAddr,
    hits: Arc<AtomicUsize>,
}

impl Canary {
    async fn start() -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").await.expect("a port"))
    }

    fn on(listener: TcpListener) -> Self {
        let address = listener.local_addr().expect("an address");
        let hits = Arc::new(AtomicUsize::new(0));
        let count = hits.clone();
        tokio::spawn(accept(listener, move |stream| {
            count.fetch_add(1, Ordering::SeqCst);
            answer_all(stream, OK)
        }));
        Self { address, hits }
    }

    fn port(&self) -> u16 {
        self.address.port()
    }

    fn hits(&self) -> usize {
        self.hits.load(Ordering::SeqCst)
    }

    /// Connections that were made, not counting the one that proves that the canary lives.
    async fn hits_when_settled(&self) -> usize {
        let before = self.hits();
        let mut stream = TcpStream::connect(self.address).await.expect("the canary lives");
        stream.write_all(b"POST / HTTP/1.1\r\n\r\n").await.expect("written");
        let mut answer = [0; OK.len()];
        stream.read_exact(&mut answer).await.expect("the canary answers");
        assert!(self.hits() > before);
        self.hits() - 1
    }
}
