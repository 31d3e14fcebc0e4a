//! F7: receivers that are slow or never finish. Each attempt ends by its endpoint's timeout, with
//! its own error class, and delays no other receiver.

use std::net::SocketAddr;
use std::time::Duration;

use confab_test_servers::raw::{listen, read_request};
use confab_test_servers::receiver::Receiver;
use serde_json::json;
use tokio::io::AsyncWriteExt;

use super::ROOM_KINDS;
use crate::support::answer::items;
use crate::support::oracle::Verdict;
use crate::support::test_server::TestServer;
use crate::support::webhook_api::classes;

const BLOCK: &[u8] = &[b'x'; 64 * 1024];
const SECOND: Duration = Duration::from_secs(1);
/// Long enough for a busy machine to read as much as the receiver sends.
const TIMEOUT_MS: u64 = 4000;

/// A slow response: name, beginning, repeated part, interval of the repetition, and error class.
type Manner = (&'static str, &'static str, &'static [u8], Duration, &'static str);

const MANNERS: [Manner; 8] = [
    ("says nothing", "", b"", SECOND, "header_timeout"),
    ("a header of 1 byte/s", "HTTP/1.1 200 OK\r\nx: ", b"x", SECOND, "header_timeout"),
    ("a body of 1 byte/s", "HTTP/1.1 200 OK\r\n\r\n", b"x", SECOND, "body_timeout"),
    ("an endless body", "HTTP/1.1 200 OK\r\n\r\n", BLOCK, Duration::ZERO, "body_too_large"),
    (
        "a body of 100 MB",
        "HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n",
        BLOCK,
        Duration::ZERO,
        "body_too_large",
    ),
    (
        "a chunk that never ends",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffff\r\n",
        BLOCK,
        Duration::ZERO,
        "body_too_large",
    ),
    (
        "a chunk's size that never ends",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;",
        BLOCK,
        Duration::ZERO,
        "body_timeout",
    ),
    ("a header of 10 MB", "HTTP/1.1 200 OK\r\nx: ", BLOCK, Duration::ZERO, "body_too_large"),
];

/// Starts a receiver that sends the beginning at once, and then the repeated part forever.
async fn receiver((_, start, more, every, _): Manner) -> SocketAddr {
    listen(move |mut stream| async move {
        read_request(&mut stream).await;
        stream.write_all(start.as_bytes()).await.ok();
        let mut ticks = tokio::time::interval(every.max(Duration::from_nanos(1)));
        while stream.write_all(more).await.is_ok() {
            if every > Duration::ZERO {
                ticks.tick().await;
            }
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f7_attempts_at_slow_receivers_end_by_timeout_and_delay_no_other_receiver() {
    let server = TestServer::start().await;
    let healthy = Receiver::start().await;
    server.tell("bot", &healthy.url, &json!({})).await;
    let rooms = server.open_rooms(10).await;
    let mut slow = Vec::new();
    for (number, manner) in MANNERS.into_iter().enumerate() {
        // Several kinds of several apps, since an app has one endpoint of a kind.
        let app = server.create_app(&format!("slow{number}")).await;
        let kind = ROOM_KINDS[number % ROOM_KINDS.len()];
        let url = format!("http://{}/", receiver(manner).await);
        app.tell(kind, &url, &json!({"timeout_ms": TIMEOUT_MS})).await;
        let id = app.trigger(kind, None).await;
        slow.push((manner, app, id));
    }
    let mut acknowledged = Vec::new();
    for room in rooms.iter().cycle().take(100) {
        acknowledged.push(server.trigger("bot", Some(room)).await);
    }
    healthy.takes(&acknowledged).await;
    for ((what, .., class), app, id) in &slow {
        let delivery = app.attempted(*id, 1).await;
        assert_eq!(classes(&delivery)[0], *class, "{what}: {delivery}");
        let first = &items(&delivery["attempt_list"])[0];
        let stored = first["answer"].as_str().map_or(0, str::len);
        assert!(stored <= 16 * 1024, "{what}: {stored} bytes are stored");
        let phases = first["phases_us"].as_object().expect("phases");
        let took_us: u64 = phases.values().filter_map(serde_json::Value::as_u64).sum();
        // The margin is for a busy machine; without the timeout, the attempt would never end.
        assert!(took_us < 10 * TIMEOUT_MS * 1000, "{what}: {took_us} us");
    }
    let verdict = Verdict::of(&acknowledged, &healthy.seen());
    println!("F7: {} slow receivers, each with its class; next to them {verdict}", slow.len());
    assert_eq!(verdict, Verdict::default());
}
