//! Nodes share the deliveries: each is sent by one node, in order, even after a node was killed.

use confab_test_servers::receiver::Receiver;
use serde_json::json;

use super::{TwoNodes, check_log};
use crate::support::caller::Caller;
use crate::support::oracle::Verdict;

const ROOMS: usize = 12;

/// Triggers this many deliveries in every room, through both nodes in turns; returns their ids.
async fn trigger_in_rooms(nodes: [&Caller; 2], rooms: &[String], times: usize) -> Vec<i64> {
    let mut triggered = Vec::new();
    for number in 0..times {
        for (at, room) in rooms.iter().enumerate() {
            let node = nodes[(number + at) % 2];
            triggered.push(node.trigger("bot", Some(room)).await);
        }
    }
    triggered
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_send_all_deliveries_in_order_and_one_continues_after_a_kill() {
    let TwoNodes { folder: _folder, one, two } = TwoNodes::start().await;
    let (first, second) = (one.shop(), two.shop());
    let receiver = Receiver::start().await;
    first.tell("bot", &receiver.url, &json!({})).await;
    let rooms = first.open_rooms(ROOMS).await;
    let mut triggered = trigger_in_rooms([&first, &second], &rooms, 20).await;
    receiver.takes(&triggered).await;
    first.nothing_waits().await;
    let shared = Verdict::of(&triggered, &receiver.seen());
    // Both nodes have leased buckets by now or soon will; the second is killed with its leases.
    triggered.extend(trigger_in_rooms([&first, &second], &rooms, 5).await);
    two.kill();
    triggered.extend(trigger_in_rooms([&first, &first], &rooms, 5).await);
    receiver.takes(&triggered).await;
    first.nothing_waits().await;
    let alone = Verdict::of(&triggered, &receiver.seen());
    println!("two nodes, {} triggered: {shared}; after one was killed: {alone}", triggered.len());
    assert_eq!(shared, Verdict::default());
    assert_eq!((alone.lost, alone.out_of_order), (0, 0));
    assert!(alone.duplicated <= ROOMS, "at most one delivery per lane was in flight");
    check_log(&one);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_suspended_node_neither_loses_nor_reorders_deliveries_after_it_resumes() {
    let TwoNodes { folder: _folder, one, two } = TwoNodes::start().await;
    let (first, second) = (one.shop(), two.shop());
    let receiver = Receiver::start().await;
    first.tell("bot", &receiver.url, &json!({})).await;
    let rooms = first.open_rooms(ROOMS).await;
    let mut triggered = trigger_in_rooms([&first, &second], &rooms, 3).await;
    receiver.takes(&triggered).await;
    two.signal("STOP");
    // The first node takes over its buckets once their leases expire.
    triggered.extend(trigger_in_rooms([&first, &first], &rooms, 5).await);
    receiver.takes(&triggered).await;
    two.signal("CONT");
    triggered.extend(trigger_in_rooms([&first, &second], &rooms, 5).await);
    receiver.takes(&triggered).await;
    first.nothing_waits().await;
    let verdict = Verdict::of(&triggered, &receiver.seen());
    println!("a node was suspended, {} triggered: {verdict}", triggered.len());
    assert_eq!((verdict.lost, verdict.out_of_order), (0, 0));
    assert!(verdict.duplicated <= ROOMS, "at most one delivery per lane was in flight");
    check_log(&one);
    check_log(&two);
}
