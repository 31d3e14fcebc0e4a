//! F8: many receivers accept connections and never respond. Healthy receivers are not delayed.

use confab_test_servers::receiver::{Receiver, Reply};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;

use super::ROOM_KINDS;
use crate::support::answer::items;
use crate::support::caller::{Caller, sent};
use crate::support::engine;
use crate::support::oracle::Verdict;
use crate::support::process::Folder;
use crate::support::test_server::create_app;

/// Longest timeout that an endpoint may have.
const TIMEOUT_MS: u64 = 60_000;
const HEALTHY: usize = 200;
const ROOMS: usize = 20;

/// Registers this many endpoints at a receiver that never responds, and triggers a delivery to
/// each.
async fn hang(apps: &[Caller], count: usize) -> Receiver {
    let hung = Receiver::replying(|_| Reply::never()).await;
    let endpoints = apps.iter().flat_map(|app| ROOM_KINDS.map(|kind| (app, kind))).take(count);
    for (app, kind) in endpoints.clone() {
        let url = format!("{}/{}/{kind}", hung.base, app.code);
        app.tell(kind, &url, &json!({"timeout_ms": TIMEOUT_MS})).await;
    }
    // All at once, so that none times out before the healthy deliveries are done.
    join_all(endpoints.map(|(app, kind)| app.trigger(kind, None))).await;
    hung
}

async fn check_healthy_next_to_hung(count: usize) {
    let folder = Folder::with_app().await;
    let codes: Vec<_> = (0..count.div_ceil(ROOM_KINDS.len())).map(|it| format!("a{it}")).collect();
    let mut registry = engine::registry(&folder.location()).await;
    for code in &codes {
        create_app(&mut registry, code).await;
    }
    let server = folder.serve();
    let apps: Vec<_> = codes.iter().map(|code| server.caller(code, "")).collect();
    let (shop, healthy) = (server.shop(), Receiver::start().await);
    let rooms = shop.open_rooms(ROOMS).await;
    shop.tell("bot", &healthy.url, &json!({})).await;
    let before_kib = server.memory_kib();
    let hung = hang(&apps, count).await;
    hung.sees_in_all(count).await;

    let triggered = join_all(rooms.iter().map(async |room| {
        let mut acknowledged = Vec::new();
        for _ in 0..HEALTHY / ROOMS {
            acknowledged.push(shop.trigger("bot", Some(room)).await);
        }
        acknowledged
    }));
    let acknowledged = triggered.await.concat();
    healthy.takes(&acknowledged).await;
    let with_kib = server.memory_kib();
    let mut ended = 0;
    for app in &apps {
        let answer = sent(app.webhooks(Method::GET, "/deliveries?limit=100")).await.json();
        let deliveries = items(&answer["data"]["deliveries"]);
        ended += deliveries.iter().filter(|it| it["attempts"] != 0).count();
    }
    let verdict = Verdict::of(&acknowledged, &healthy.seen());
    println!(
        "F8: {count} hung receivers, {HEALTHY} healthy deliveries, {verdict}, {ended} hung \
         attempts ended before (memory {} KiB without, {} KiB with them)",
        before_kib, with_kib,
    );
    assert_eq!((verdict, ended), (Verdict::default(), 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f8_a_healthy_receiver_does_not_wait_for_a_hundred_that_hang() {
    check_healthy_next_to_hung(100).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: make test-long"]
async fn f8_a_healthy_receiver_does_not_wait_for_a_thousand_that_hang() {
    check_healthy_next_to_hung(1000).await;
}
