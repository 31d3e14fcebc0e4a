//! Receivers made of bytes, which send responses that no HTTP library would.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The response of a well-behaved receiver.
pub const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// A request as it arrived.
pub struct Request {
    head: String,
    pub body: Vec<u8>,
}

impl Request {
    /// Returns the path with its query.
    pub fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    /// Returns names and values as they arrived.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.head.split("\r\n").skip(1).filter_map(|line| line.split_once(": "))
    }

    /// Returns a header, in any case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers();
        headers.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns head and body as text.
    pub fn text(&self) -> String {
        format!("{}\r\n\r\n{}", self.head, String::from_utf8_lossy(&self.body))
    }
}

/// Reads the next request from a connection; `None` if the connection ends.
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
    let length: usize =
        request.header("content-length").map_or(0, |it| it.parse().expect("a length"));
    while request.body.len() < length {
        read_more(stream, &mut request.body).await?;
    }
    Some(request)
}

async fn read_more(stream: &mut (impl AsyncRead + Unpin), bytes: &mut Vec<u8>) -> Option<()> {
    let count = stream.read_buf(bytes).await.ok()?;
    (count > 0).then_some(())
}

/// Serves every connection to a free port with a function. Returns the address.
pub async fn listen<F, S>(serve: F) -> SocketAddr
where
    F: Fn(TcpStream) -> S + Send + 'static,
    S: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(accept(listener, serve));
    address
}

/// Serves every connection of a listener with a function.
pub async fn accept<F, S>(listener: TcpListener, serve: F)
where
    F: Fn(TcpStream) -> S,
    S: Future<Output = ()> + Send + 'static,
{
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream));
    }
}

/// Answers every request of every connection with the same bytes. Returns the address.
pub async fn answering(answer: impl AsRef<[u8]>) -> SocketAddr {
    let answer: Arc<[u8]> = answer.as_ref().into();
    listen(move |stream| answer_all(stream, answer.clone())).await
}

/// Answers every request of one connection with the same bytes.
pub async fn answer_all(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: impl AsRef<[u8]>) {
    while read_request(&mut stream).await.is_some() {
        if stream.write_all(answer.as_ref()).await.is_err() {
            return;
        }
    }
}

/// A listener that must receive no connections.
pub struct Canary {
    /// Address of the listener.
    pub address: SocketAddr,
    hits: Arc<AtomicUsize>,
}

impl Canary {
    /// Starts a canary on a free port.
    pub async fn start() -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").await.expect("a port"))
    }

    /// Starts a canary on this listener.
    pub fn on(listener: TcpListener) -> Self {
        let address = listener.local_addr().expect("an address");
        let hits = Arc::new(AtomicUsize::new(0));
        let count = hits.clone();
        tokio::spawn(accept(listener, move |stream| {
            count.fetch_add(1, Ordering::SeqCst);
            answer_all(stream, OK)
        }));
        Self { address, hits }
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the number of connections so far.
    pub fn hits(&self) -> usize {
        self.hits.load(Ordering::SeqCst)
    }

    /// Returns the number of connections, without the one that this call opens to prove that the
    /// canary still runs.
    pub async fn hits_when_settled(&self) -> usize {
        let before = self.hits();
        let mut stream =
            TcpStream::connect(self.address).await.expect("the canary accepts connections");
        stream.write_all(b"POST / HTTP/1.1\r\n\r\n").await.expect("written");
        let mut answer = [0; OK.len()];
        stream.read_exact(&mut answer).await.expect("the canary answers");
        assert!(self.hits() > before);
        self.hits() - 1
    }
}
