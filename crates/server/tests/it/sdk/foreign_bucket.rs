//! Uploaded files in a third-party S3 server (s3rver, in Node: crates/server/tests/services),
//! behind a network with faults. s3rver checks access keys but not version 4 signatures;
//! [`super::bucket`] does.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use confab_test_servers::raw::{listen, read_request};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::slow_uploads::seconds_later;
use super::uploads::{fetch, path, unfinished, upload};
use crate::support::client::Client;
use crate::support::installing::node_modules;
use crate::support::test_server::TestServer;

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/services");
/// Access key and secret key that s3rver accepts.
const KEY: &str = "S3RVER";

/// Treatment of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    None,
    /// A response with this status, without forwarding the request.
    Status(u16),
    /// No response.
    Silence,
    /// The connection is closed during the request.
    HangUp,
    /// The first bytes of the response, and nothing more.
    HalfAnAnswer,
}

/// An S3 server behind a network with faults.
pub struct ForeignBucket {
    process: Child,
    folder: TempDir,
    endpoint: String,
    fault: watch::Sender<Fault>,
    /// Number of requests that met a fault.
    faults: watch::Receiver<usize>,
}

impl ForeignBucket {
    pub async fn start() -> Self {
        let modules = || node_modules("services", Path::new(SCRIPTS));
        let modules = tokio::task::spawn_blocking(modules).await.expect("installed");
        let folder = tempfile::tempdir().expect("a folder");
        let mut node = Command::new("node");
        node.arg(Path::new(SCRIPTS).join("s3.js")).arg(folder.path()).env("NODE_PATH", modules);
        node.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = node.spawn().expect("node runs");
        let mut line = String::new();
        let output = process.stdout.take().expect("piped");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let said: Value = serde_json::from_str(&line).expect("JSON");
        let port = said["port"].as_u64().expect("a port") as u16;
        let (fault, orders) = watch::channel(Fault::None);
        let (count, faults) = watch::channel(0);
        let count = Arc::new(count);
        let serve = move |stream| meet(stream, port, *orders.borrow(), count.clone());
        let endpoint = format!("http://{}", listen(serve).await);
        Self { process, folder, endpoint, fault, faults }
    }

    /// Returns the settings of a server that uses this bucket.
    pub fn settings(&self) -> [(&'static str, &str); 4] {
        [
            ("s3_endpoint", &self.endpoint),
            ("s3_bucket", "files"),
            ("s3_access_key", KEY),
            ("s3_secret_key", KEY),
        ]
    }

    /// Returns the settings with one value replaced.
    pub fn settings_but(&self, key: &str, value: &'static str) -> [(&'static str, &str); 4] {
        self.settings().map(|(name, kept)| (name, if name == key { value } else { kept }))
    }

    /// Applies this fault to all following requests.
    pub fn meets(&self, fault: Fault) {
        self.fault.send_replace(fault);
    }

    /// Waits until this many requests met a fault.
    pub async fn met(&mut self, count: usize) {
        self.faults
            .wait_for(|faults| *faults >= count)
            .await
            .expect("the network proxy still runs");
    }

    /// Returns the number of objects in the bucket.
    pub fn objects(&self) -> usize {
        let mut folders = vec![self.folder.path().join("files")];
        let mut count = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                match entry.file_type().expect("a type").is_dir() {
                    true => folders.push(entry.path()),
                    false => count += usize::from(is_object(&entry.file_name())),
                }
            }
        }
        count
    }
}

impl Drop for ForeignBucket {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Whether a file contains the bytes of an object; s3rver stores several files per object.
fn is_object(name: &std::ffi::OsStr) -> bool {
    name.to_string_lossy().ends_with("._S3rver_object")
}

async fn meet(mut stream: TcpStream, port: u16, fault: Fault, count: Arc<watch::Sender<usize>>) {
    if fault != Fault::None {
        count.send_modify(|count| *count += 1);
    }
    match fault {
        Fault::None => {
            let mut server =
                TcpStream::connect(("127.0.0.1", port)).await.expect("s3rver accepts connections");
            let _ = copy_bidirectional(&mut stream, &mut server).await;
        }
        Fault::Status(status) => {
            read_request(&mut stream).await;
            let answer = format!("HTTP/1.1 {status} No\r\ncontent-length: 0\r\n\r\n");
            let _ = stream.write_all(answer.as_bytes()).await;
        }
        Fault::Silence => {
            read_request(&mut stream).await;
            std::future::pending::<()>().await;
        }
        Fault::HangUp => {
            let _ = stream.read(&mut [0; 1_000]).await;
        }
        Fault::HalfAnAnswer => {
            let mut server =
                TcpStream::connect(("127.0.0.1", port)).await.expect("s3rver accepts connections");
            let request = read_request(&mut stream).await.expect("a request");
            server.write_all(request.text().as_bytes()).await.expect("written");
            let mut half = vec![0; 10_000];
            server.read_exact(&mut half).await.expect("an answer");
            let _ = stream.write_all(&half).await;
            std::future::pending::<()>().await;
        }
    }
}

fn bytes(count: u32) -> Vec<u8> {
    (0..count).map(|number| b'a' + (number % 26) as u8).collect()
}

/// Returns the path at which a file with these bytes would be served.
fn place_of(bytes: &[u8]) -> String {
    let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("/files/shop/{hash}/film.mp4")
}

#[tokio::test]
async fn a_file_uploaded_to_one_node_is_served_whole_and_in_parts_by_another() {
    let bucket = ForeignBucket::start().await;
    let (one, two) = TestServer::start_two_with(&bucket.settings()).await;
    let ana = Client::new(&one, "ana").await;
    let bytes = bytes(3_000_000);
    let path = path(&upload(&ana, "film.mp4", &bytes).await.results());
    upload(&ana, "again.mp4", &bytes).await.results();
    assert_eq!(bucket.objects(), 1, "equal files are stored once");
    assert_eq!(unfinished(&one.files()), 0);
    let (status, answer) = fetch(&two, &path, None).await;
    assert_eq!((status, answer.text.as_bytes()), (200, bytes.as_slice()));
    for (range, part) in [
        ("bytes=26-29", &bytes[26..30]),
        ("bytes=2999990-", &bytes[2_999_990..]),
        ("bytes=-7", &bytes[2_999_993..]),
        ("bytes=2999999-4000000", &bytes[2_999_999..]),
    ] {
        let (status, answer) = fetch(&two, &path, Some(range)).await;
        assert_eq!((status, answer.text.as_bytes()), (206, part), "{range}");
    }
    assert_eq!(fetch(&two, &path, Some("bytes=3000000-")).await.0, 416);
}

#[tokio::test]
async fn an_unknown_key_or_bucket_makes_only_files_unavailable() {
    let bucket = ForeignBucket::start().await;
    for (key, value) in [("s3_access_key", "nobody"), ("s3_bucket", "elsewhere")] {
        let server = TestServer::start_with(&bucket.settings_but(key, value)).await;
        let ana = Client::new(&server, "ana").await;
        let refused = upload(&ana, "film.mp4", b"hello").await;
        refused.refused(503, "files_unavailable");
        assert!(!refused.header("retry-after").is_empty());
        // A lookup that fails is not reported as a missing file.
        let (_, answer) = fetch(&server, &place_of(b"hello"), None).await;
        answer.refused(503, "files_unavailable");
        assert_eq!(server.ready().await.status, 200, "the server stays ready without the bucket");
        assert_eq!((bucket.objects(), unfinished(&server.files())), (0, 0));
    }
}

#[tokio::test]
async fn a_failing_bucket_stores_nothing_and_accepts_the_file_after_it_recovers() {
    let bucket = ForeignBucket::start().await;
    let server = TestServer::start_with(&bucket.settings()).await;
    let ana = Client::new(&server, "ana").await;
    let bytes = bytes(300_000);
    for fault in [Fault::Status(500), Fault::Status(503), Fault::HangUp] {
        bucket.meets(fault);
        upload(&ana, "film.mp4", &bytes).await.refused(503, "files_unavailable");
        fetch(&server, &place_of(&bytes), None).await.1.refused(503, "files_unavailable");
        bucket.meets(Fault::None);
        fetch(&server, &place_of(&bytes), None).await.1.refused(404, "file_not_found");
        assert_eq!((bucket.objects(), unfinished(&server.files())), (0, 0), "{fault:?}");
    }
    let path = path(&upload(&ana, "film.mp4", &bytes).await.results());
    assert_eq!(fetch(&server, &path, None).await.1.text.as_bytes(), bytes);
}

#[tokio::test]
async fn requests_to_a_silent_bucket_time_out() {
    let mut bucket = ForeignBucket::start().await;
    let server = TestServer::start_embedded_with(&bucket.settings()).await;
    let ana = Client::new(&server, "ana").await;
    bucket.meets(Fault::Silence);
    let sending = async { upload(&ana, "film.mp4", b"hello").await };
    let (answer, ()) = tokio::join!(sending, async {
        bucket.met(1).await;
        seconds_later(26).await;
    });
    answer.refused(503, "files_unavailable");
    let place = place_of(b"hello");
    let ((_, answer), ()) = tokio::join!(fetch(&server, &place, None), async {
        bucket.met(2).await;
        seconds_later(26).await;
    });
    answer.refused(503, "files_unavailable");
    assert_eq!(unfinished(&server.files()), 0);
}

#[tokio::test]
async fn a_download_is_aborted_when_the_bucket_stalls_in_the_middle() {
    let mut bucket = ForeignBucket::start().await;
    let server = TestServer::start_embedded_with(&bucket.settings()).await;
    let ana = Client::new(&server, "ana").await;
    let path = path(&upload(&ana, "film.mp4", &bytes(300_000)).await.results());
    bucket.meets(Fault::HalfAnAnswer);
    let mut response = server.bare(reqwest::Method::GET, &path).send().await.expect("an answer");
    bucket.met(1).await;
    assert!(response.chunk().await.expect("the beginning").is_some());
    let rest = async {
        loop {
            match response.chunk().await {
                Ok(Some(_)) => {}
                ended => return ended.is_err(),
            }
        }
    };
    let (is_cut_off, ()) = tokio::join!(rest, seconds_later(26));
    assert!(is_cut_off);
}
