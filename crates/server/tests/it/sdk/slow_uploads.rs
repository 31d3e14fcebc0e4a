//! Uploads over slow connections (design/files). Each test sends pieces, waits until they are
//! written, and advances the clock.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use confab_domain::limits;
use futures_util::stream;
use http_body_util::StreamBody;
use hyper::body::Frame;
use reqwest::Method;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::uploads::{BORDER, fetch, path};
use crate::support::answer::Answer;
use crate::support::caller::sent;
use crate::support::client::Client;
use crate::support::test_server::TestServer;

/// Number of bytes that the server writes to disk at once.
const PIECE: usize = limits::FILE_CHUNK_BYTES;

/// Longest wait for an expected state.
const PATIENCE: Duration = Duration::from_secs(60);

/// An unfinished upload.
struct Upload {
    server: TestServer,
    line: mpsc::UnboundedSender<Vec<u8>>,
    answer: JoinHandle<Answer>,
}

impl Upload {
    async fn begin() -> Self {
        let server = TestServer::start_embedded().await;
        let ana = Client::new(&server, "ana").await;
        let (line, pieces) = mpsc::unbounded_channel::<Vec<u8>>();
        let pieces = stream::unfold(pieces, async |mut pieces| {
            let piece = pieces.recv().await?;
            Some((Ok::<_, Infallible>(Frame::data(Bytes::from(piece))), pieces))
        });
        let kind = format!("multipart/form-data; boundary={BORDER}");
        let request = ana.request(Method::POST, "upload").header("Content-Type", kind);
        let answer = tokio::spawn(sent(request.body(reqwest::Body::wrap(StreamBody::new(pieces)))));
        let upload = Self { server, line, answer };
        let head = "Content-Disposition: form-data; name=\"file\"; filename=\"film.mp4\"";
        upload.send(format!("--{BORDER}\r\n{head}\r\n\r\n").into_bytes());
        upload
    }

    fn send(&self, bytes: Vec<u8>) {
        self.line.send(bytes).expect("the request is still being sent");
    }

    /// Waits until this many bytes are on disk.
    async fn has(&self, bytes: usize) {
        let mut look = tokio::time::interval(Duration::from_millis(5));
        let unfinished = self.server.files().join("unfinished");
        loop {
            let files = std::fs::read_dir(&unfinished).into_iter().flatten().flatten();
            let size: u64 = files.filter_map(|it| it.metadata().ok()).map(|it| it.len()).sum();
            if size >= bytes as u64 {
                return;
            }
            look.tick().await;
        }
    }
}

/// Advances the clock without waiting.
pub async fn seconds_later(seconds: u64) {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(seconds)).await;
    tokio::time::resume();
}

#[tokio::test]
async fn an_upload_that_makes_progress_is_not_timed_out() {
    let upload = Upload::begin().await;
    for pieces in 1..=6 {
        upload.send(vec![b'x'; PIECE + 1_000]);
        upload.has(pieces * PIECE).await;
        seconds_later(25).await;
    }
    upload.send(format!("\r\n--{BORDER}--\r\n").into_bytes());
    let Upload { server, answer, .. } = upload;
    let results = answer.await.expect("an answer").results();
    let size = 6 * (PIECE + 1_000);
    assert_eq!(results["file"]["size"], size);
    assert_eq!(fetch(&server, &path(&results), None).await.1.text.len(), size);
}

#[tokio::test]
async fn an_upload_with_too_little_progress_is_timed_out_and_removed() {
    let mut upload = Upload::begin().await;
    upload.send(vec![b'x'; PIECE + 1_000]);
    upload.has(PIECE).await;
    for _ in 0..4 {
        // Single bytes do not extend the time limit.
        let _ = upload.line.send(vec![b'x']);
        seconds_later(20).await;
    }
    let answer = tokio::time::timeout(PATIENCE, &mut upload.answer).await.expect("the upload ends");
    let answer = answer.expect("an answer");
    answer.refused(408, "request_timeout");
    // The server may still be writing a piece.
    let unfinished = upload.server.files().join("unfinished");
    let mut look = tokio::time::interval(Duration::from_millis(5));
    let gone = async {
        while std::fs::read_dir(&unfinished).expect("a folder").count() > 0 {
            look.tick().await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.expect("the unfinished file is removed");
}
