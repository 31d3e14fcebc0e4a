//! Uploads by unauthenticated clients (design/files).

use std::convert::Infallible;
use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use confab_domain::limits;
use futures_util::stream;
use http_body_util::StreamBody;
use hyper::body::Frame;
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::sdk::uploads::{BORDER, form, part, send, unfinished, upload};
use crate::support::answer::Answer;
use crate::support::caller::{Caller, sent};
use crate::support::client::Client;
use crate::support::process::{Confab, Folder};
use crate::support::test_server::TestServer;
use crate::support::waiting::until_so;

/// Read timeout of a stranger's connection.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

const UPLOADS: usize = 20;
const FILE_BYTES: usize = 25 * 1024 * 1024;
/// Limit on the memory that all uploads take together.
const MEMORY_KIB_MAX: u64 = 64 * 1024;

/// A connection without a token that begins a form and never finishes it.
struct Stranger(TcpStream);

impl Stranger {
    /// Connects from an address of its own.
    fn new(base: &str, number: usize) -> Self {
        let address = base.trim_start_matches("http://");
        let mut line = TcpStream::connect(address).expect("connected");
        let length = FILE_BYTES + 1_000;
        let head = format!(
            "POST /api/v2/sdk/upload HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\
             Content-Type: multipart/form-data; boundary={BORDER}\r\n\
             X-Forwarded-For: 192.0.2.{number}\r\n\r\n"
        );
        line.write_all(head.as_bytes()).expect("written");
        line.set_read_timeout(Some(READ_TIMEOUT)).expect("set");
        Self(line)
    }

    /// Sends these bytes and a file, until the server closes the connection.
    fn send(&mut self, beginning: &[u8]) {
        let piece = vec![b'x'; 1024 * 1024];
        let _ = self.0.write_all(beginning);
        for _ in 0..FILE_BYTES / piece.len() {
            if self.0.write_all(&piece).is_err() {
                return;
            }
        }
    }

    /// Returns the status of the response; `None` if the server closed the connection without one.
    fn status(mut self) -> Option<String> {
        let mut head = [0; 12];
        self.0.read_exact(&mut head).ok()?;
        Some(String::from_utf8_lossy(&head).into_owned())
    }
}

/// Measures the memory for 20 strangers who each send 25 MiB after this beginning.
async fn memory_cost(beginning: Vec<u8>) -> (u64, Vec<Stranger>, Confab, Folder) {
    let folder = Folder::with_app().await;
    let server = folder.serve_with(&["--trusted-proxies", "127.0.0.1"], &[]);
    server.shop().register("ana").await;
    let before = server.memory_kib();
    let senders: Vec<_> = (0..UPLOADS)
        .map(|number| {
            let (base, beginning) = (server.base.clone(), beginning.clone());
            std::thread::spawn(move || {
                let mut stranger = Stranger::new(&base, number);
                stranger.send(&beginning);
                stranger
            })
        })
        .collect();
    let strangers = senders.into_iter().map(|it| it.join().expect("sent")).collect();
    let after = server.memory_kib();
    println!(
        "{UPLOADS} unauthenticated uploads of {FILE_BYTES} bytes: {before} KiB, then {after} KiB"
    );
    (after.saturating_sub(before), strangers, server, folder)
}

#[tokio::test(flavor = "multi_thread")]
async fn unauthenticated_uploads_take_little_memory_and_leave_no_files() {
    let head = part("file", Some("film.mp4"), b"");
    let (cost, strangers, server, folder) = memory_cost(head[..head.len() - 2].to_vec()).await;
    assert!(cost < MEMORY_KIB_MAX, "{cost} KiB");
    let files = folder.data().join("files");
    assert_eq!(unfinished(&files), UPLOADS, "unfinished files are on disk");
    drop(strangers);
    until_so("the number of unfinished uploads", async || unfinished(&files) == 0).await;
    drop(server);
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_before_the_file_part_are_not_held_in_memory() {
    let (cost, strangers, _server, _folder) = memory_cost(Vec::new()).await;
    assert!(cost < MEMORY_KIB_MAX, "{cost} KiB");
    for status in strangers.into_iter().filter_map(Stranger::status) {
        assert_eq!(status, "HTTP/1.1 403");
    }
}

/// A form that is sent in pieces.
struct Sending {
    line: mpsc::UnboundedSender<Vec<u8>>,
    answer: JoinHandle<Answer>,
}

impl Sending {
    fn begin(request: RequestBuilder) -> Self {
        let (line, pieces) = mpsc::unbounded_channel::<Vec<u8>>();
        let pieces = stream::unfold(pieces, async |mut pieces| {
            let piece = pieces.recv().await?;
            Some((Ok::<_, Infallible>(Frame::data(Bytes::from(piece))), pieces))
        });
        let kind = format!("multipart/form-data; boundary={BORDER}");
        let body = reqwest::Body::wrap(StreamBody::new(pieces));
        let answer = tokio::spawn(sent(request.header("Content-Type", kind).body(body)));
        Self { line, answer }
    }

    /// Begins a request with the beginning of a file.
    fn begin_file(request: RequestBuilder) -> Self {
        let sending = Self::begin(request);
        let head = part("file", Some("a.txt"), b"hello");
        sending.send(head[..head.len() - 2].to_vec());
        sending
    }

    fn send(&self, bytes: impl Into<Vec<u8>>) {
        self.line.send(bytes.into()).expect("the request is running");
    }

    async fn end(self, rest: &[u8]) -> Answer {
        self.send(rest);
        drop(self.line);
        self.answer.await.expect("an answer")
    }
}

/// Builds an upload request without a token.
fn bare(caller: &Caller) -> RequestBuilder {
    caller.bare(Method::POST, "/api/v2/sdk/upload")
}

fn token(token: &str) -> Vec<u8> {
    part("token", None, token.as_bytes())
}

fn ending() -> Vec<u8> {
    form(&[])
}

#[tokio::test]
async fn uploads_without_a_valid_token_leave_no_files() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    server.create_app("other").await;
    let file = || part("file", Some("a.txt"), &[b'x'; 600_000]);
    let wrong =
        [vec![file()], vec![file(), token("guess")], vec![file(), file(), token(&ana.token)]];
    for parts in wrong {
        send(bare(&server), form(&parts)).await.refused(403, "unauthorized");
    }
    // A valid token of another app than the named one is refused.
    let named = bare(&server).header("SERVICE-SDK-APP-ID", "other");
    send(named, form(&[file(), token(&ana.token)])).await.refused(403, "unauthorized");
    assert_eq!(stored_files(&server), 0);
    send(bare(&server), form(&[file(), token(&ana.token)])).await.results();
    assert_eq!(stored_files(&server), 1);
    assert_eq!(unfinished(&server.files()), 0);
}

/// Returns the number of stored files.
fn stored_files(server: &TestServer) -> usize {
    fn files(folder: &std::path::Path) -> usize {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|it| if it.path().is_dir() { files(&it.path()) } else { 1 }).sum()
    }
    files(&server.files())
}

#[tokio::test]
async fn a_token_that_ends_during_an_upload_is_refused() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    let in_header = Sending::begin_file(ana.request(Method::POST, "upload"));
    let in_form = Sending::begin(bare(&server));
    in_form.send(token(&ana.token));
    let head = part("file", Some("b.txt"), b"hello");
    in_form.send(&head[..head.len() - 2]);
    until_so("the number of unfinished uploads", async || unfinished(&server.files()) == 2).await;
    server.post("reset_user_token", json!({"user_id": "ana"})).await.results();
    for sending in [in_header, in_form] {
        let rest = [b"\r\n".to_vec(), ending()].concat();
        sending.end(&rest).await.refused(403, "unauthorized");
    }
    let ana = Client::of(&server, "ana").await;
    let deactivated = Sending::begin_file(ana.request(Method::POST, "upload"));
    until_so("the number of unfinished uploads", async || unfinished(&server.files()) == 1).await;
    server.delete("deactivate_users", json!({"user_ids": ["ana"]})).await.results();
    let rest = [b"\r\n".to_vec(), ending()].concat();
    deactivated.end(&rest).await.refused(403, "unauthorized");
    assert_eq!(stored_files(&server), 0);
}

#[tokio::test]
async fn only_unauthenticated_uploads_from_one_address_are_limited() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    let slots = limits::UNPROVEN_UPLOADS_OF_PEER_MAX;
    let mut strangers: Vec<_> = (0..slots).map(|_| Sending::begin_file(bare(&server))).collect();
    until_so("the number of unfinished uploads", async || unfinished(&server.files()) == slots)
        .await;
    let whole = || form(&[part("file", Some("b.txt"), b"b"), token(&ana.token)]);
    let answer = send(bare(&server), whole()).await;
    answer.refused(429, "too_many_at_once").says("token");
    assert_eq!(answer.header("retry-after"), limits::COME_AGAIN_S.to_string());
    upload(&ana, "a.txt", b"a").await.results();
    let first = [token(&ana.token), part("file", Some("c.txt"), b"c")];
    send(bare(&server), form(&first)).await.results();
    // An authenticated upload frees a slot for another stranger.
    let rest = [b"\r\n".to_vec(), token(&ana.token), ending()].concat();
    strangers.pop().expect("an upload").end(&rest).await.results();
    send(bare(&server), whole()).await.results();
}

#[tokio::test]
async fn unauthenticated_uploads_end_after_a_time_limit() {
    let server = TestServer::start_embedded().await;
    let sending = Sending::begin_file(bare(&server));
    until_so("the number of unfinished uploads", async || unfinished(&server.files()) == 1).await;
    let Sending { line, mut answer } = sending;
    let mut seconds = 0;
    while !answer.is_finished() {
        // Fast enough for an authenticated user.
        let _ = line.send(vec![b'x'; 2 * limits::UPLOAD_PROGRESS_BYTES]);
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(10)).await;
        tokio::time::resume();
        seconds += 10;
        assert!(seconds < 4_000, "the upload is ended");
        let _ = tokio::time::timeout(Duration::from_millis(20), &mut answer).await;
    }
    until_so("the number of unfinished uploads", async || unfinished(&server.files()) == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn old_unfinished_uploads_of_a_killed_server_are_removed_after_a_restart() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let head = part("file", Some("film.mp4"), &[b'x'; 10_000]);
    let mut stranger = Stranger::new(&server.base, 1);
    stranger.0.write_all(&head[..head.len() - 2]).expect("written");
    let files = folder.data().join("files");
    until_so("the number of unfinished uploads", async || unfinished(&files) == 1).await;
    server.kill();
    let left = std::fs::read_dir(files.join("unfinished")).expect("a folder").flatten().next();
    let left = File::options().write(true).open(left.expect("a file").path()).expect("opened");
    left.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000)).expect("set");
    let _server = folder.serve();
    until_so("the number of unfinished uploads", async || unfinished(&files) == 0).await;
}

#[tokio::test]
async fn uploads_are_refused_when_too_little_disk_space_is_free() {
    let floor = u64::MAX.to_string();
    let server = TestServer::start_with(&[("free_space_min_bytes", &floor)]).await;
    let ana = Client::new(&server, "ana").await;
    let answer = upload(&ana, "a.txt", b"hello").await;
    answer.refused(503, "free_space_low").says("operator");
    assert_eq!(answer.header("retry-after"), limits::FREE_SPACE_RETRY_S.to_string());
    assert_eq!(stored_files(&server), 0);
    server.furnish().await;
    server.post_comment("ana", "support", "messages go on").await;
}
