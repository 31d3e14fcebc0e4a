//! F12: the clock is set while the program runs. Waits keep their length, nothing expires early,
//! and signatures have the time of the clock.
//!
//! The program runs with libfaketime, which reads the offset of the clock from a file.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use confab_test_servers::receiver::{ReceivedRequest, Receiver};
use reqwest::Method;
use serde_json::json;

use crate::support::caller::sent;
use crate::support::oracle::Verdict;
use crate::support::process::{Confab, Folder};
use crate::support::waiting::until;

const HOUR_S: i64 = 3600;
const DAY_S: i64 = 24 * HOUR_S;
/// Shortest first wait of the retry schedule, jitter included.
const FIRST_WAIT_MIN: Duration = Duration::from_secs(4);

/// Returns the path of libfaketime; panics without it, because the test must not be skipped.
fn library() -> PathBuf {
    let folders = [
        "/usr/lib/x86_64-linux-gnu/faketime",
        "/usr/lib/aarch64-linux-gnu/faketime",
        "/usr/lib64/faketime",
        "/usr/lib/faketime",
        "/usr/local/lib/faketime",
    ];
    let paths = folders.map(|folder| PathBuf::from(folder).join("libfaketimeMT.so.1"));
    let given = std::env::var_os("CONFAB_TEST_FAKETIME").map(PathBuf::from);
    let found = given.into_iter().chain(paths).find(|path| path.is_file());
    found.expect(
        "libfaketimeMT.so.1 is needed: apt-get install libfaketime (scripts/install-test-tools \
         does), or set CONFAB_TEST_FAKETIME to its path",
    )
}

fn set_clock(folder: &Folder, by_s: i64) {
    // Atomically, because the program may read the file at any time.
    folder.write("clock.new", &format!("{by_s:+}\n"));
    let path = folder.path().join("clock");
    std::fs::rename(folder.path().join("clock.new"), path).expect("renamed");
}

fn serve(folder: &Folder) -> Confab {
    let (library, clock) = (library(), folder.path().join("clock"));
    let environment = [
        ("LD_PRELOAD", library.to_str().expect("text")),
        ("FAKETIME_TIMESTAMP_FILE", clock.to_str().expect("text")),
        ("FAKETIME_NO_CACHE", "1"),
        // Names of one setting in older and in newer versions.
        ("DONT_FAKE_MONOTONIC", "1"),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
    ];
    folder.serve_with(&[], &environment)
}

fn now_s() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs() as i64
}

/// Starts a receiver that refuses the first attempt of each delivery, except in this room.
async fn refusing_once_except_in(room: String) -> Receiver {
    let reply = move |seen: &ReceivedRequest| {
        let is_refused = seen.room != room && seen.attempt == 1;
        if is_refused { 503 } else { 200 }
    };
    Receiver::replying(reply).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f12_clock_jumps_neither_hasten_nor_delay_nor_expire_deliveries() {
    let folder = Folder::with_app().await;
    set_clock(&folder, 0);
    let server = serve(&folder);
    let shop = server.shop();
    let rooms = shop.open_rooms(3).await;
    let receiver = refusing_once_except_in(rooms[2].clone()).await;
    shop.tell("bot", &receiver.url, &json!({})).await;
    let (mut acknowledged, mut jumps) = (Vec::new(), 0);
    for by_s in [-HOUR_S, HOUR_S, 30 * DAY_S, -30 * DAY_S, 0] {
        let waits = shop.trigger("bot", Some(&rooms[0])).await;
        let first = receiver.sees(waits, 1).await;
        set_clock(&folder, by_s);
        jumps += 1;
        // One delivery is created and refused after the jump, and one is accepted at once.
        let later = shop.trigger("bot", Some(&rooms[1])).await;
        let before_s = now_s() + by_s;
        let immediate = shop.trigger("bot", Some(&rooms[2])).await;
        let signed_s = receiver.sees(immediate, 1).await.timestamp;
        let signed = before_s..=now_s() + by_s;
        assert!(signed.contains(&signed_s), "after a jump of {by_s} s: {signed_s} in {signed:?}");
        for (id, before) in [(waits, first.at), (later, receiver.sees(later, 1).await.at)] {
            let waited = receiver.sees(id, 2).await.at - before;
            assert!(waited >= FIRST_WAIT_MIN, "after a jump of {by_s} s: only {waited:?}");
            let delivery = shop.attempted(id, 2).await;
            assert_eq!(delivery["standing"], "delivered", "after a jump of {by_s} s: {delivery}");
        }
        acknowledged.extend([waits, later, immediate]);
    }
    shop.nothing_waits().await;
    let verdict = Verdict::of(&acknowledged, &receiver.seen());
    println!(
        "F12: {jumps} jumps of the clock, {} created, {verdict}, nothing expired, every signature \
         with the time of the clock",
        acknowledged.len()
    );
    assert_eq!(verdict, Verdict::default());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f12_waiting_deliveries_survive_starts_with_a_clock_31_days_ahead_or_behind() {
    let folder = Folder::with_app().await;
    set_clock(&folder, 0);
    let server = serve(&folder);
    let receiver = Receiver::start().await;
    let shop = server.shop();
    let rooms = shop.open_rooms(5).await;
    shop.tell("bot", &receiver.url, &json!({})).await;
    let paused = shop.webhooks(Method::POST, "/endpoints/bot/pause");
    assert_eq!(sent(paused).await.status, 200);
    let mut acknowledged = Vec::new();
    for room in rooms.iter().cycle().take(25) {
        acknowledged.push(shop.trigger("bot", Some(room)).await);
    }
    server.kill();
    for by_s in [31 * DAY_S, -31 * DAY_S] {
        set_clock(&folder, by_s);
        let server = serve(&folder);
        // The work of the startup on deliveries is done once the server is ready.
        until("the server is ready", async || {
            (server.shop().ready().await.status == 200).then_some(())
        })
        .await;
        server.kill();
    }
    set_clock(&folder, 0);
    let server = serve(&folder);
    let resumed = server.shop().webhooks(Method::POST, "/endpoints/bot/resume");
    assert_eq!(sent(resumed).await.status, 200);
    receiver.takes(&acknowledged).await;
    let verdict = Verdict::of(&acknowledged, &receiver.seen());
    println!("F12: starts 31 days ahead and behind, {} waiting, {verdict}", acknowledged.len());
    assert_eq!(verdict, Verdict::default());
}
