//! Connections that send nothing or half of a request are closed after ten seconds, and one address
//! can hold only its share of them (design/realtime). When all sockets are taken, they yield to new
//! connections (design/sign-in-and-limits). The timeouts of each protocol are documented in
//! `http/connections/idle_timeouts.rs`.

use std::time::Duration;

use confab_domain::limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::support::process::Folder;
use crate::support::raw_connection::RawConnection;
use crate::support::test_server::TestServer;

/// Returns the time until the server closes a connection that sent only these bytes.
///
/// The server is in this process, so paused time advances when nothing else runs.
async fn closed_after(address: &str, bytes: &[u8]) -> Duration {
    let mut stream = TcpStream::connect(address).await.expect("connected");
    stream.write_all(bytes).await.expect("written");
    let begun = Instant::now();
    let mut read = Vec::new();
    // The connection may be reset.
    let _ = stream.read_to_end(&mut read).await;
    begun.elapsed()
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
/// CONNECT without a password and with keep-alive disabled.
const MQTT_CONNECT: &[u8] = &[16, 12, 0, 4, b'M', b'Q', b'T', b'T', 4, 2, 0, 0, 0, 0];

#[tokio::test]
async fn silent_connections_are_closed_after_ten_seconds_in_every_protocol() {
    let server = TestServer::start_embedded().await;
    let http = server.base.trim_start_matches("http://").to_owned();
    let mqtt = server.mqtt.to_string();
    let settled = [PREFACE, SETTINGS].concat();
    tokio::time::pause();
    for (address, bytes) in [
        (&http, &b""[..]),
        (&http, &PREFACE[..9]),
        (&http, &settled),
        (&http, b"POST /api/v2/sdk/nonce HTTP/1.1\r\n"),
        (&http, b"GET /health HTTP/1.1\r\nHost: confab\r\n\r\n"),
        (&mqtt, b""),
        (&mqtt, &MQTT_CONNECT[..5]),
        (&mqtt, MQTT_CONNECT),
    ] {
        let took = closed_after(address, bytes).await;
        let bound = Duration::from_millis(limits::IDLE_MS + 1_000);
        assert!(took < bound, "{took:?} after {}", String::from_utf8_lossy(bytes));
    }
}

async fn answered(connection: &mut RawConnection) -> u16 {
    connection.try_write("GET /health HTTP/1.1\r\nHost: confab\r\n\r\n").await;
    connection.answer().await.status
}

#[tokio::test]
async fn connections_from_one_address_are_limited() {
    let server = TestServer::start_with(&[("connections_per_address", "3")]).await;
    let mut held = Vec::new();
    for _ in 0..3 {
        let mut connection = RawConnection::open(&server.base).await;
        assert_eq!(answered(&mut connection).await, 200);
        held.push(connection);
    }
    let mut one_more = RawConnection::open(&server.base).await;
    let refused = one_more.answer().await;
    assert_eq!((refused.status, refused.header("connection")), (429, "close"));
    let mut mqtt = TcpStream::connect(server.mqtt).await.expect("connected");
    assert_eq!(mqtt.read(&mut [0]).await.unwrap_or(0), 0, "closed");
}

#[tokio::test]
async fn connections_from_a_trusted_proxy_are_not_limited() {
    let settings = [("connections_per_address", "3"), ("trusted_proxies", "127.0.0.0/8")];
    let server = TestServer::start_with(&settings).await;
    let mut held = Vec::new();
    for _ in 0..10 {
        let mut connection = RawConnection::open(&server.base).await;
        assert_eq!(answered(&mut connection).await, 200);
        held.push(connection);
    }
}

/// Open file limit of the process, and its limit on accepted sockets.
const FILES: usize = 256;
const SOCKETS: usize = 192;

#[tokio::test(flavor = "multi_thread")]
async fn silent_connections_block_neither_health_checks_nor_other_requests() {
    let folder = Folder::with_app().await;
    let server = folder.serve_with_files(FILES);
    let shop = server.shop();
    shop.furnish().await;
    let websocket = "GET /mqtt HTTP/1.1\r\nHost: confab\r\nConnection: Upgrade\r\n\
        Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Key: Y29uZmFiLWRvY3Rvci4uLg==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n";
    let half_body = "POST /api/v2/sdk/login_or_register HTTP/1.1\r\nHost: confab\r\n\
        Content-Length: 100\r\n\r\nabc";
    let settled = [PREFACE, SETTINGS].concat();
    let head = "GET /health HTTP/1.1\r\n";
    for sent in
        [b"", &PREFACE[..9], &settled, head.as_bytes(), half_body.as_bytes(), websocket.as_bytes()]
    {
        let mut held = Vec::new();
        for _ in 0..SOCKETS + 10 {
            let mut connection = RawConnection::open(&server.base).await;
            connection.try_write(sent).await;
            held.push(connection);
        }
        for _ in 0..10 {
            let mut health_check = RawConnection::open(&server.base).await;
            let status = answered(&mut health_check).await;
            assert_eq!(
                status,
                200,
                "next to connections that sent {:?}",
                String::from_utf8_lossy(sent)
            );
        }
        shop.post_comment("ana", "support", "hello").await;
    }
}

#[tokio::test]
async fn concurrent_health_streams_are_limited() {
    let server = TestServer::start_embedded().await;
    let mut held = Vec::new();
    for _ in 0..limits::PROBES_MAX {
        let mut probe = RawConnection::open(&server.base).await;
        probe.write("GET /health/stream HTTP/1.1\r\nHost: confab\r\n\r\n").await;
        probe.expect("HTTP/1.1 200 OK\r\n").await;
        held.push(probe);
    }
    let mut one_more = RawConnection::open(&server.base).await;
    one_more.write("GET /health/stream HTTP/1.1\r\nHost: confab\r\n\r\n").await;
    assert_eq!(one_more.answer().await.status, 429);
}
