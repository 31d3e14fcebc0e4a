//! Connections that send nothing, or half of something: given up after ten seconds, and no more of
//! them from one address than its share (D-0076). What each protocol does in detail stands with the
//! code, in `http/idle_timeouts.rs`.

use std::time::Duration;

use confab_domain::limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::support::raw_connection::RawConnection;
use crate::support::test_server::TestServer;

/// The server is in this process, and time passes when nothing else happens.
async fn closed_after(address: &str, bytes: &[u8]) -> Duration {
    let mut stream = TcpStream::connect(address).await.expect("connected");
    stream.write_all(bytes).await.expect("written");
    let begun = Instant::now();
    let mut read = Vec::new();
    // It may be reset.
    let _ = stream.read_to_end(&mut read).await;
    begun.elapsed()
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
/// CONNECT without a password, and without a bound on silence.
const MQTT_CONNECT: &[u8] = &[16, 12, 0, 4, b'M', b'Q', b'T', b'T', 4, 2, 0, 0, 0, 0];

#[tokio::test]
async fn who_sends_nothing_holds_its_connection_for_ten_seconds_by_every_protocol() {
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
async fn one_address_has_its_share_of_the_connections_and_no_more() {
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
async fn a_trusted_proxy_has_as_many_connections_as_it_needs() {
    let settings = [("connections_per_address", "3"), ("trusted_proxies", "127.0.0.0/8")];
    let server = TestServer::start_with(&settings).await;
    let mut held = Vec::new();
    for _ in 0..10 {
        let mut connection = RawConnection::open(&server.base).await;
        assert_eq!(answered(&mut connection).await, 200);
        held.push(connection);
    }
}
