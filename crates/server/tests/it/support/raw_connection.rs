//! A TCP connection for handwritten requests: incomplete ones, or spellings that no client library
//! sends.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::answer::Answer;

/// A URL at which nothing listens. Its port is outside the range of ephemeral ports.
pub const NOBODY: &str = "http://127.0.0.9:1999/";

pub struct RawConnection(TcpStream);

/// The unsent end of a request body.
pub struct HeldBack(String);

impl RawConnection {
    /// Connects to an address such as `http://127.0.0.1:8787`.
    pub async fn open(base: &str) -> Self {
        let address = base.trim_start_matches("http://");
        Self(TcpStream::connect(address).await.expect("connected"))
    }

    pub async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.write_all(bytes.as_ref()).await.expect("written");
    }

    /// Writes as much as the server accepts; it may have closed the connection.
    pub async fn try_write(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.0.write_all(bytes.as_ref()).await;
    }

    /// Reads as many bytes as `text` has, and asserts that they equal `text`.
    pub async fn expect(&mut self, text: &str) {
        let mut bytes = vec![0; text.len()];
        self.0.read_exact(&mut bytes).await.expect("read");
        assert_eq!(String::from_utf8_lossy(&bytes), text);
    }

    /// Sends the headers of a request and the first three bytes of its body. Returns after the
    /// server has read the headers, while it waits for the rest.
    pub async fn begin(&mut self, line: &str, headers: &[(&str, &str)], body: &str) -> HeldBack {
        let headers: String =
            headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        self.write(format!(
            "{line} HTTP/1.1\r\nHost: confab\r\n{headers}Content-Type: application/json\r\n\
             Expect: 100-continue\r\nContent-Length: {length}\r\n\r\n"
        ))
        .await;
        self.expect("HTTP/1.1 100 Continue\r\n\r\n").await;
        self.write(&body[..3]).await;
        HeldBack(body[3..].to_owned())
    }

    /// Sends the end of a body and reads the response.
    pub async fn finish(&mut self, HeldBack(rest): HeldBack) -> Answer {
        self.write(rest).await;
        self.answer().await
    }

    /// Reads until the server closes the connection; returns the bytes before that.
    pub async fn rest(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Bytes before a connection reset count as well.
        let _ = self.0.read_to_end(&mut bytes).await;
        bytes
    }

    /// Reads one response with a `Content-Length`.
    pub async fn answer(&mut self) -> Answer {
        let mut bytes = Vec::new();
        let head_end = loop {
            if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break at;
            }
            self.read_more(&mut bytes).await;
        };
        let head = String::from_utf8(bytes[..head_end].to_vec()).expect("a head of text");
        let (status, headers) = parsed(&head);
        let length = headers.get("content-length").expect("a length").to_str().expect("digits");
        let end = head_end + 4 + length.parse::<usize>().expect("a length");
        while bytes.len() < end {
            self.read_more(&mut bytes).await;
        }
        let text = String::from_utf8(bytes[head_end + 4..end].to_vec()).expect("a body of text");
        Answer { status, headers, text }
    }

    async fn read_more(&mut self, bytes: &mut Vec<u8>) {
        let count = self.0.read_buf(bytes).await.expect("read");
        assert!(count > 0, "the connection ended after {:?}", String::from_utf8_lossy(bytes));
    }
}

fn parsed(head: &str) -> (u16, HeaderMap) {
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status");
    let header = |line: &str| {
        let (name, value) = line.split_once(": ").expect("a header");
        let name: HeaderName = name.parse().expect("a name");
        (name, HeaderValue::from_str(value).expect("a value"))
    };
    (status.parse().expect("a number"), lines.map(header).collect())
}
