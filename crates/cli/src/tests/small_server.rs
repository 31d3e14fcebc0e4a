//! A real HTTP server with scripted replies, one connection after the other.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use url::Url;

/// The reply to a connection.
pub(super) enum Reply {
    /// A status and a body.
    Answer(u16, String),
    /// A status and a body, sent once the test allows it.
    AnswerWhen(oneshot::Receiver<()>, u16, String),
    /// No response, forever.
    Silence,
    /// Closes the connection.
    HangUp,
}

/// A received request.
#[derive(Debug)]
pub(super) struct Seen {
    /// Request line, as `GET /path?query`.
    pub(super) line: String,
    /// Headers by name in lower case.
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

/// A server that listens until its replies are used up or it is dropped.
pub(super) struct SmallServer {
    pub(super) address: SocketAddr,
    seen: mpsc::UnboundedReceiver<Seen>,
    task: JoinHandle<()>,
}

impl Drop for SmallServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl SmallServer {
    pub(super) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (sender, seen) = mpsc::unbounded_channel();
        let task = tokio::spawn(serve(listener, replies.into_iter().collect(), sender));
        Self { address, seen, task }
    }

    pub(super) fn url(&self, path: &str) -> Url {
        format!("http://{}{path}", self.address).parse().expect("a URL")
    }

    /// Returns the next request.
    pub(super) async fn seen(&mut self) -> Seen {
        self.seen.recv().await.expect("a request")
    }
}

/// Returns an address at which nothing listens: the system never assigns this port automatically.
pub(super) fn nobody() -> Url {
    "http://127.0.0.1:1/".parse().expect("a URL")
}

async fn serve(
    listener: TcpListener,
    mut replies: VecDeque<Reply>,
    sender: mpsc::UnboundedSender<Seen>,
) {
    while let Some(reply) = replies.pop_front() {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let seen = read(&mut stream).await;
        sender.send(seen).ok();
        let (status, body) = match reply {
            Reply::Answer(status, body) => (status, body),
            Reply::AnswerWhen(told, status, body) => {
                told.await.ok();
                (status, body)
            }
            Reply::Silence => return std::future::pending().await,
            Reply::HangUp => continue,
        };
        let head = format!("HTTP/1.1 {status} Said\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all((head + &body).as_bytes()).await.ok();
    }
}

async fn read(stream: &mut TcpStream) -> Seen {
    let mut bytes = Vec::new();
    let end = loop {
        let count = stream.read_buf(&mut bytes).await.expect("bytes");
        assert!(count > 0, "the head came to its end");
        if let Some(end) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
            break end;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).expect("a head");
    let mut body = bytes.split_off(end + 4);
    let mut lines = head.lines();
    let line = lines.next().expect("a line").trim_end_matches(" HTTP/1.1").to_owned();
    let header = |line: &str| {
        let (name, value) = line.split_once(": ").expect("a header");
        (name.to_lowercase(), value.to_owned())
    };
    let headers: BTreeMap<_, _> = lines.map(header).collect();
    let length = headers.get("content-length").map_or(0, |it| it.parse().expect("a length"));
    while body.len() < length {
        let count = stream.read_buf(&mut body).await.expect("bytes");
        assert!(count > 0, "the body came to its end");
    }
    Seen { line, headers, body }
}
