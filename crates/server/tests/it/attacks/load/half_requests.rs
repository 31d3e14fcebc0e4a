//! Unfinished requests take no slot among the app's running requests (design/sign-in-and-limits),
//! and no more memory than the limit for all bodies (design/sign-in-and-limits).

use std::time::{Duration, Instant};

use bytes::Bytes;
use confab_domain::limits;
use http_body_util::StreamBody;
use hyper::body::Frame;
use hyper_util::rt::{TokioExecutor, TokioIo};
use reqwest::Method;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use crate::support::caller::{Caller, sent};
use crate::support::client::{Client, log_in};
use crate::support::process::Folder;
use crate::support::raw_connection::RawConnection;
use crate::support::test_server::TestServer;

/// Size just below the limit of a body.
const HALF_BODY_BYTES: usize = 255 * 1024;

/// Number of concurrent unfinished requests, which took 226 MiB without a limit.
const CONNECTIONS: usize = 600;

/// Memory of a connection besides its read buffer and its body: its task, socket and counters.
const CONNECTION_STATE_BYTES: usize = 4 * 1024;

/// Sends three bytes of a registration as a stranger who has only the app's id.
async fn half_registration(caller: &Caller) -> RawConnection {
    let mut connection = RawConnection::open(&caller.base).await;
    let headers = [("SERVICE-SDK-APP-ID", caller.code.as_str())];
    let body = json!({"email": "eve", "password": "x", "username": "Eve"}).to_string();
    connection.begin("POST /api/v2/sdk/login_or_register", &headers, &body).await;
    connection
}

async fn check_app_works(server: &TestServer, ana: &Client) {
    ana.get("my_profile", &[]).await.results();
    server.post_comment("ana", "support", "hello").await;
    log_in(server, "joe", "a password").await.results();
}

#[tokio::test]
async fn unfinished_requests_of_strangers_do_not_block_an_app() {
    let server = TestServer::start_with(&[("app_concurrent_requests", "4")]).await;
    server.furnish().await;
    let ana = Client::of(&server, "ana").await;
    let mut held = Vec::new();
    for _ in 0..20 {
        held.push(half_registration(&server).await);
    }
    check_app_works(&server, &ana).await;
}

#[tokio::test]
async fn unfinished_http2_requests_of_strangers_do_not_block_an_app() {
    let server = TestServer::start_with(&[("app_concurrent_requests", "4")]).await;
    server.furnish().await;
    let ana = Client::of(&server, "ana").await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let stream = TcpStream::connect(server.base.trim_start_matches("http://")).await;
        let io = TokioIo::new(stream.expect("connected"));
        let (mut sender, driven) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await.expect("HTTP/2");
        tokio::spawn(driven);
        for _ in 0..50 {
            let (begun, body) = mpsc::channel::<Result<Frame<Bytes>, std::io::Error>>(1);
            begun.send(Ok(Frame::data(Bytes::from_static(b"ema")))).await.expect("sent");
            let body = futures_util::stream::unfold(body, async |mut body| {
                body.recv().await.map(|frame| (frame, body))
            });
            let request =
                hyper::Request::post(format!("{}/api/v2/sdk/login_or_register", server.base))
                    .header("SERVICE-SDK-APP-ID", &server.code)
                    .body(Box::pin(StreamBody::new(body)))
                    .expect("a request");
            sender.ready().await.expect("the connection accepts requests");
            held.push((begun, tokio::spawn(sender.send_request(request))));
        }
    }
    check_app_works(&server, &ana).await;
    assert!(
        held.iter().all(|(_, answer)| !answer.is_finished()),
        "all unfinished requests are still open"
    );
}

/// Sends all but the last byte of a body, as a stranger from this address.
async fn half_body(base: &str, from: &str, bytes: usize) -> RawConnection {
    let mut connection = RawConnection::open(base).await;
    let length = bytes + 1;
    let head = format!(
        "POST /api/v2/sdk/login_or_register HTTP/1.1\r\nHost: confab\r\n{from}\
         Content-Length: {length}\r\n\r\n"
    );
    connection.write(head).await;
    // The server may refuse the request during the write.
    connection.try_write(&vec![b' '; bytes]).await;
    connection
}

#[tokio::test]
async fn one_address_cannot_take_all_memory_for_bodies() {
    let server = TestServer::start_with(&[("trusted_proxies", "127.0.0.1")]).await;
    let from = "X-Forwarded-For: 203.0.113.7\r\n";
    let mut held = Vec::new();
    for _ in 0..140 {
        held.push(half_body(&server.base, from, HALF_BODY_BYTES).await);
    }
    let refused = held.last_mut().expect("some").answer().await;
    refused.refused(429, "too_many_bodies");
    assert_eq!((refused.header("retry-after"), refused.header("connection")), ("1", "close"));
    let large = json!({"user_id": "ana", "username": "Ana", "extras": {"x": "x".repeat(60_000)}});
    let from_elsewhere = server
        .request(Method::POST, "login_or_register")
        .header("X-Forwarded-For", "198.51.100.1")
        .header("Content-Type", "application/json")
        .body(large.to_string());
    sent(from_elsewhere).await.results();
}

#[tokio::test(flavor = "multi_thread")]
async fn unfinished_bodies_are_bounded_in_memory_and_yield_to_complete_requests() {
    // Besides its body, each connection has a read buffer and its own state.
    check_bodies_bounded(HALF_BODY_BYTES, 2 * limits::HTTP_BUFFER_BYTES_MAX, 1).await;
}

/// Each body fits into the read buffer of its connection.
#[tokio::test(flavor = "multi_thread")]
async fn unfinished_bodies_in_read_buffers_are_bounded_in_memory() {
    let of_connection = limits::HTTP_BUFFER_BYTES_MAX + CONNECTION_STATE_BYTES;
    check_bodies_bounded(60_000, of_connection, 100).await;
}

async fn check_bodies_bounded(bytes: usize, of_connection: usize, samples: usize) {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let shop = server.shop();
    shop.furnish().await;
    let before = server.memory_kib();
    let mut held = Vec::new();
    for _ in 0..CONNECTIONS {
        held.push(half_body(&server.base, "", bytes).await);
    }
    let mut after = 0;
    // The server reads the bodies during these requests.
    for _ in 0..samples {
        shop.ready().await;
        after = server.memory_kib().max(after);
    }
    let bound = limits::BODIES_BYTES_MAX + CONNECTIONS * of_connection;
    println!("{CONNECTIONS} unfinished bodies of {bytes}: {before} KiB before, {after} KiB after");
    assert!(after - before < bound as u64 / 1024, "{before} KiB before, {after} KiB after");
    let started = Instant::now();
    let large = json!({
        "user_id": "ana", "room_id": "support", "message": "hello",
        "extras": {"x": "x".repeat(30_000)},
    });
    while shop.post("post_comment", large.clone()).await.status != 200 {
        assert!(started.elapsed() < Duration::from_secs(10), "unfinished requests yield");
    }
}
