//! F10: receivers that come and go. Nothing is lost or overtaken, and while one is away it is left
//! in peace.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use confab_test_servers::receiver::{Received, Receiver, Reply};
use serde_json::json;

use crate::support::oracle::Verdict;
use crate::support::test_server::TestServer;

const ROOMS: usize = 20;
const AT_ONCE_MAX: usize = 8;
/// Failures in a row after which an endpoint is taken for dead.
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
async fn f10_half_of_the_first_attempts_fail_and_every_room_stays_in_order() {
    let count = AtomicUsize::new(0);
    let reply = move |seen: &Received| {
        let is_second = count.fetch_add(1, Ordering::Relaxed) % 2 == 1;
        if seen.attempt == 1 && is_second { 503 } else { 200 }
    };
    let receiver = Receiver::replying(reply).await;
    let server = TestServer::start().await;
    let acknowledged = deliver(&server, &receiver, 3).await;
    let (verdict, seen) = (Verdict::of(&acknowledged, &receiver.seen()), receiver.count());
    let made = acknowledged.len();
    println!("F10: half of the first attempts fail: {made} made, {verdict} ({seen} attempts)");
    assert_eq!(verdict, Verdict::default());
    assert!(seen > made && seen <= 2 * made, "each fails once at most");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f10_a_receiver_that_is_mostly_away_is_left_in_peace_and_gets_everything_in_order() {
    // Up for a second and down for three, twice; then up. Time counts from the first request.
    let began = Arc::new(std::sync::OnceLock::new());
    let reply = move |_: &Received| {
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
    // Two times down, each found out by failures in a row and what ran beside them, then probes
    // no closer than five seconds; before a row was long enough, each success starts it anew.
    let failed_max = 2 * (BREAKS_AFTER + AT_ONCE_MAX) + 2;
    println!(
        "F10: 1 s up, 3 s down, twice: {} made, {verdict} ({} attempts, {failed} of them failed, \
         at most {failed_max})",
        acknowledged.len(),
        seen.len(),
    );
    assert_eq!(verdict, Verdict::default());
    assert!(failed <= failed_max);
}
