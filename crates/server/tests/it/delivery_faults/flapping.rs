//! F10: receivers that fail intermittently. No delivery is lost or out of order, and a failing
//! receiver gets few requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use confab_test_servers::receiver::{ReceivedRequest, Receiver, Reply};
use serde_json::json;

use crate::support::oracle::Verdict;
use crate::support::test_server::TestServer;

const ROOMS: usize = 20;
const AT_ONCE_MAX: usize = 8;
/// Consecutive failures that open the circuit breaker of an endpoint.
const BREAKS_AFTER: usize = 10;

async fn deliver(server: &TestServer, receiver: &Receiver, each_room: usize) -> Vec<i64> {
    let rooms = server.open_rooms(ROOMS).await;
    server.tell("bot", &receiver.url, &json!({"at_once_max": AT_ONCE_MAX})).await;
    let mut acknowledged = Vec::new();
    for room in rooms.iter().cycle().take(ROOMS * each_room) {
        acknowledged.push(server.trigger("bot", Some(room)).await);
    }
    receiver.takes(&acknowledged).await;
    server.nothing_waits().await;
    acknowledged
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f10_every_room_stays_in_order_if_half_of_the_first_attempts_fail() {
    let count = AtomicUsize::new(0);
    let reply = move |seen: &ReceivedRequest| {
        let is_second = count.fetch_add(1, Ordering::Relaxed) % 2 == 1;
        if seen.attempt == 1 && is_second { 503 } else { 200 }
    };
    let receiver = Receiver::replying(reply).await;
    let server = TestServer::start().await;
    let acknowledged = deliver(&server, &receiver, 3).await;
    let (verdict, seen) = (Verdict::of(&acknowledged, &receiver.seen()), receiver.count());
    let made = acknowledged.len();
    println!("F10: half of the first attempts fail: {made} created, {verdict} ({seen} attempts)");
    assert_eq!(verdict, Verdict::default());
    assert!(seen > made && seen <= 2 * made, "each delivery fails at most once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f10_a_mostly_failing_receiver_gets_few_requests_and_all_deliveries_in_order() {
    // Up for a second and down for three, twice; then up. Time counts from the first request.
    let began = Arc::new(std::sync::OnceLock::new());
    let reply = move |_: &ReceivedRequest| {
        let passed = began.get_or_init(Instant::now).elapsed();
        let is_up = passed > Duration::from_secs(8) || passed.as_millis() % 4000 < 1000;
        // Slow enough for the backlog to outlast the first second.
        Reply::status(if is_up { 200 } else { 503 }).after(Duration::from_millis(20))
    };
    let receiver = Receiver::replying(reply).await;
    let server = TestServer::start().await;
    let acknowledged = deliver(&server, &receiver, 40).await;
    let (verdict, seen) = (Verdict::of(&acknowledged, &receiver.seen()), receiver.seen());
    let failed = seen.iter().filter(|it| !it.is_taken()).count();
    // The receiver is down twice. Each time, consecutive failures and attempts in flight detect it,
    // then probes follow at least five seconds apart. A success resets the count of failures.
    let failed_max = 2 * (BREAKS_AFTER + AT_ONCE_MAX) + 2;
    println!(
        "F10: 1 s up, 3 s down, twice: {} created, {verdict} ({} attempts, {failed} failed, \
         at most {failed_max})",
        acknowledged.len(),
        seen.len(),
    );
    assert_eq!(verdict, Verdict::default());
    assert!(failed <= failed_max);
}
