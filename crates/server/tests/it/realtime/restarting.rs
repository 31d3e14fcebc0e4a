//! The realtime task panics: it restarts, no client misses an event, and `/ready` reports repeated
//! failures.
//!
//! These tests run on one thread, whose metrics they make fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::mqtt::client_of;
use super::watcher::Watcher;
use crate::support::test_server::TestServer;

/// A metrics recorder that panics this many times when events are counted as sent.
struct EndpointFailures(Arc<AtomicUsize>);

impl Recorder for EndpointFailures {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        let is_shown = key.name() == "confab_realtime_events_sent_total";
        let less = |left: usize| left.checked_sub(1);
        if is_shown && self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok() {
            panic!("for the test");
        }
        Counter::noop()
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

#[tokio::test]
async fn clients_reconnect_after_a_panic_of_the_feed_and_miss_no_message() {
    let failures = Arc::new(AtomicUsize::new(0));
    let failing = EndpointFailures(failures.clone());
    let _here = metrics::set_default_local_recorder(&failing);
    let server = TestServer::with_support_room().await;
    let mut bob = Watcher::start(&server, "bob").await;
    let (mut by_mqtt, _) = client_of(&server, "bob").await;
    failures.store(1, Ordering::Relaxed);
    server.post_comment("ana", "support", "one").await;
    server.post_comment("ana", "support", "two").await;
    let (mut seen, code) = bob.until_closed().await;
    assert_eq!(code, CloseCode::Again);
    by_mqtt.closed().await;
    let mut bob = Watcher::resume(&server, "bob", &bob.seen).await;
    server.post_comment("ana", "support", "three").await;
    while seen.last().is_none_or(|last| last["data"]["message"] != "three") {
        seen.push(bob.next().await);
    }
    let messages = seen.iter().filter(|frame| frame["type"] == "message");
    let texts: Vec<_> =
        messages.map(|frame| frame["data"]["message"].as_str().expect("text")).collect();
    assert_eq!(texts, ["one", "two", "three"]);
    let ready = server.ready().await;
    assert_eq!(ready.status, 200, "one panic leaves the server ready");
}

#[tokio::test]
async fn a_server_whose_feed_panics_repeatedly_is_not_ready() {
    let failures = Arc::new(AtomicUsize::new(0));
    let failing = EndpointFailures(failures.clone());
    let _here = metrics::set_default_local_recorder(&failing);
    let server = TestServer::with_support_room().await;
    failures.store(usize::MAX, Ordering::Relaxed);
    let mut refused = 0;
    while refused < 3 {
        // At least one client must be connected for an event to be shown.
        let mut bob = Watcher::start(&server, "bob").await;
        server.post_comment("ana", "support", "again").await;
        bob.closed().await;
        refused += 1;
    }
    let ready = server.ready().await;
    ready.refused(503, "not_ready");
}
