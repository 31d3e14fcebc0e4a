//! F1: the program is killed repeatedly under load; every acknowledged delivery arrives.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use confab_domain::ids::DeliveryId;
use confab_domain::webhooks::delivery::{DeliveryState, Lane};
use confab_test_servers::receiver::{Receiver, Reply};
use serde_json::json;

use crate::support::caller::Caller;
use crate::support::engine;
use crate::support::oracle::Verdict;
use crate::support::process::Folder;

const ROOMS: usize = 40;
const TRIGGERERS: usize = 8;
/// Number of waiting deliveries at which triggering pauses, because sending resumes late after a
/// kill.
const BACKLOG_MAX: usize = 300;

/// Delay of the receiver's response, so that deliveries are always in flight.
const RESPONSE_DELAY: Duration = Duration::from_millis(3);

struct Load {
    receiver: Receiver,
    rooms: Vec<String>,
    acknowledged: Vec<i64>,
}

/// States of the deliveries at the kills.
#[derive(Default)]
struct Kills {
    /// Number of deliveries that had arrived and were not stored as delivered.
    in_flight: usize,
    /// Number of arrivals of each delivery that was stored as delivered.
    recorded: HashMap<i64, usize>,
}

impl Load {
    /// Triggers deliveries from several tasks until the server is killed.
    async fn run(&mut self, shop: &Caller, kill: impl AsyncFnOnce()) {
        let made = Arc::new(AtomicUsize::new(self.acknowledged.len()));
        let is_over = Arc::new(AtomicBool::new(false));
        let running: Vec<_> = (0..TRIGGERERS)
            .map(|first| {
                let (shop, rooms) = (shop.clone(), self.rooms.clone());
                let state = (made.clone(), is_over.clone());
                tokio::spawn(trigger(shop, rooms, first, state, self.receiver.clone()))
            })
            .collect();
        kill().await;
        is_over.store(true, Ordering::Relaxed);
        for triggerer in running {
            self.acknowledged.extend(triggerer.await.expect("the task ended"));
        }
    }
}

async fn trigger(
    shop: Caller,
    rooms: Vec<String>,
    first: usize,
    (made, is_over): (Arc<AtomicUsize>, Arc<AtomicBool>),
    receiver: Receiver,
) -> Vec<i64> {
    let mut acknowledged = Vec::new();
    let mut poll = tokio::time::interval(Duration::from_millis(10));
    for number in first.. {
        while made.load(Ordering::Relaxed) > receiver.count() + BACKLOG_MAX {
            poll.tick().await;
            if is_over.load(Ordering::Relaxed) {
                return acknowledged;
            }
        }
        let room = &rooms[(number * 7) % rooms.len()];
        let Some(id) = shop.try_trigger("bot", Some(room)).await else { break };
        acknowledged.push(id);
        made.fetch_add(1, Ordering::Relaxed);
    }
    acknowledged
}

/// Returns a number of arrivals from 30 to 279, different in every round and the same in every run.
fn arrivals_before_kill(round: usize) -> usize {
    30 + ((round * 2_654_435_761) >> 7) % 250
}

/// Compares the stored states of the deliveries with their arrivals.
async fn record_states(folder: &Folder, load: &Load, kills: &mut Kills) {
    load.receiver.is_left_alone().await;
    let mut times: HashMap<(i64, Lane), usize> = HashMap::new();
    for seen in load.receiver.seen() {
        let lane = Lane(seen.room.parse().expect("a room"));
        *times.entry((seen.id, lane)).or_default() += 1;
    }
    let ids: Vec<_> = times.keys().map(|(id, lane)| (*lane, DeliveryId(*id))).collect();
    let store = engine::store(&folder.location()).await;
    let mut delivered = HashSet::new();
    for some in ids.chunks(1000) {
        let found = store.deliveries(some).await.expect("read");
        let is_delivered = |standing| standing == DeliveryState::Delivered;
        let found = found.iter().filter(|(_, progress)| is_delivered(progress.standing));
        delivered.extend(found.map(|(delivery, _)| delivery.id.0));
    }
    store.close().await.expect("closed");
    for ((id, _), times) in times {
        match delivered.contains(&id) {
            true => drop(kills.recorded.entry(id).or_insert(times)),
            false => kills.in_flight += 1,
        }
    }
}

async fn kill_repeatedly(rounds: usize, at_most: Duration) {
    let folder = Folder::with_app().await;
    let receiver = Receiver::replying(|_| Reply::status(200).after(RESPONSE_DELAY)).await;
    let server = folder.serve();
    let rooms = server.shop().open_rooms(ROOMS).await;
    server.shop().tell("bot", &receiver.url, &json!({})).await;
    let mut load = Load { receiver, rooms, acknowledged: Vec::new() };
    let (mut kills, mut server, begun, mut round) = (Kills::default(), server, Instant::now(), 0);
    while round < rounds && begun.elapsed() < at_most {
        round += 1;
        let (receiver, enough) =
            (load.receiver.clone(), load.receiver.count() + arrivals_before_kill(round));
        let shop = server.shop();
        load.run(&shop, async || {
            receiver.sees_in_all(enough).await;
            server.kill();
        })
        .await;
        record_states(&folder, &load, &mut kills).await;
        server = folder.serve();
    }
    load.receiver.takes(&load.acknowledged).await;
    server.shop().nothing_waits().await;
    let seen = load.receiver.seen();
    let verdict = Verdict::of(&load.acknowledged, &seen);
    let mut times: HashMap<i64, usize> = HashMap::new();
    seen.iter().for_each(|it| *times.entry(it.id).or_default() += 1);
    let again = kills.recorded.iter().filter(|(id, before)| times[id] > **before).count();
    println!(
        "F1: {round} kills, {} acknowledged, {verdict} (at most {} in flight at the kills), \
         {again} seen again of {} that were stored as delivered",
        load.acknowledged.len(),
        kills.in_flight,
        kills.recorded.len(),
    );
    assert_eq!((verdict.lost, verdict.out_of_order, again), (0, 0, 0));
    assert!(verdict.duplicated <= kills.in_flight);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f1_every_acknowledged_delivery_survives_kills_under_load_in_order() {
    // On PostgreSQL, deliveries of a killed node are sent only after its lease expires.
    let rounds = if engine::is_postgres() { 2 } else { 5 };
    kill_repeatedly(rounds, Duration::from_secs(600)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes up to ten minutes: make test-long"]
async fn f1_every_acknowledged_delivery_survives_200_kills_or_ten_minutes_of_kills() {
    kill_repeatedly(200, Duration::from_secs(600)).await;
}
