//! A real HTTP server that says what a test wants, one connection after the other.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use url::Url;

/// What a connection gets.
pub(super) enum Reply {
    /// A status and a body.
    Answer(u16, String),
    /// The same, once the test says so.
    AnswerWhen(oneshot::Receiver<()>, u16, String),
    /// Nothing, for ever.
    Silence,
    /// The end.
    HangUp,
}

/// What a connection brought.
#[derive(Debug)]
pub(super) struct Seen {
    /// `GET /path?query`.
    pub(super) line: String,
    /// By their names in lower case.
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

/// It listens as long as it has replies, and no longer than it lives.
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

    /// The next request.
    pub(super) async fn seen(&mut self) -> Seen {
        self.seen.recv().await.expect("a request")
    }
}

/// An address where nobody listens: a port that nobody is given, however many ask for any.
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
