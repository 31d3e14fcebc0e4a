//! Receivers made of bytes: they answer what no HTTP library would.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request as it was written.
pub struct Request {
    head: String,
    pub body: Vec<u8>,
}

impl Request {
    /// A header's value; its absence is an empty text.
    pub fn header(&self, name: &str) -> &str {
        let mut lines = self.head.split("\r\n").skip(1).filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    }
}

/// The next request on a connection; nothing when there is none.
pub async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<Request> {
    let mut bytes = Vec::new();
    let head_end = loop {
        match bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            Some(at) => break at,
            None => read_more(stream, &mut bytes).await?,
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).ok()?;
    let mut request = Request { head, body: bytes.split_off(head_end + 4) };
    let length: usize = request.header("content-length").parse().unwrap_or(0);
    while request.body.len() < length {
        read_more(stream, &mut request.body).await?;
    }
    Some(request)
}

async fn read_more(stream: &mut (impl AsyncRead + Unpin), bytes: &mut Vec<u8>) -> Option<()> {
    let count = stream.read_buf(bytes).await.ok()?;
    (count > 0).then_some(())
}

/// Serves every connection with a function.
pub async fn listen<F, S>(serve: F) -> SocketAddr
where
    F: Fn(TcpStream) -> S + Send + 'static,
    S: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    address
}

/// Answers every request with the same bytes.
pub async fn answering(answer: Vec<u8>) -> SocketAddr {
    let answer: Arc<[u8]> = answer.into();
    listen(move |stream| answer_all(stream, answer.clone())).await
}

pub async fn answer_all(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: Arc<[u8]>) {
    while read_request(&mut stream).await.is_some() {
        if stream.write_all(&answer).await.is_err() {
            return;
        }
    }
}

/// A listener that nobody may connect to.
pub struct Canary {
    pub address: SocketAddr,
    hits: Arc<AtomicUsize>,
}

impl Canary {
    pub async fn start() -> Self {
        let hits = Arc::new(AtomicUsize::new(0));
        let count = hits.clone();
        let address = listen(move |stream| {
            count.fetch_add(1, Ordering::SeqCst);
            answer_all(stream, Arc::from(&b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"[..]))
        })
        .await;
        Self { address, hits }
    }

    /// Connections that were made, not counting the one that proves that the canary lives.
    pub async fn hits(&self) -> usize {
        let mut stream = TcpStream::connect(self.address).await.expect("the canary lives");
        stream.write_all(b"POST / HTTP/1.1\r\n\r\n").await.expect("written");
        stream.read_u8().await.expect("the canary answers");
        self.hits.fetch_sub(1, Ordering::SeqCst) - 1
    }
}
