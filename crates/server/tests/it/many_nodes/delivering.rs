//! Nodes share the deliveries: each is sent by one of them, in order, also when one is gone.

use confab_test_servers::receiver::Receiver;
use serde_json::json;

use super::{TwoNodes, check_log};
use crate::support::caller::Caller;
use crate::support::oracle::Verdict;

const ROOMS: usize = 12;

/// Tells something in every room so many times, through both nodes in turns.
async fn tell(nodes: [&Caller; 2], rooms: &[String], times: usize) -> Vec<i64> {
    let mut told = Vec::new();
    for number in 0..times {
        for (place, room) in rooms.iter().enumerate() {
            let node = nodes[(number + place) % 2];
            told.push(node.trigger("bot", Some(room)).await);
        }
    }
    told
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_send_everything_once_and_in_order_and_one_goes_on_alone() {
    let TwoNodes { folder: _folder, one, two } = TwoNodes::start().await;
    let (first, second) = (one.shop(), two.shop());
    let receiver = Receiver::start().await;
    first.tell("bot", &receiver.url, &json!({})).await;
    let rooms = first.open_rooms(ROOMS).await;
    let mut told = tell([&first, &second], &rooms, 20).await;
    receiver.takes(&told).await;
    first.nothing_waits().await;
    let shared = Verdict::of(&told, &receiver.seen());
    // Both have a share of the buckets by now, or will have: the second is killed with its own.
    told.extend(tell([&first, &second], &rooms, 5).await);
    two.kill();
    told.extend(tell([&first, &first], &rooms, 5).await);
    receiver.takes(&told).await;
    first.nothing_waits().await;
    let alone = Verdict::of(&told, &receiver.seen());
    println!("two nodes, {} told: {shared}; after one was killed: {alone}", told.len());
    assert_eq!(shared, Verdict::default());
    assert_eq!((alone.lost, alone.out_of_order), (0, 0));
    assert!(alone.duplicated <= ROOMS, "at most one of each lane was under way");
    check_log(&one);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_stood_still_sends_nothing_that_another_one_sent_meanwhile() {
    let TwoNodes { folder: _folder, one, two } = TwoNodes::start().await;
    let (first, second) = (one.shop(), two.shop());
    let receiver = Receiver::start().await;
    first.tell("bot", &receiver.url, &json!({})).await;
    let rooms = first.open_rooms(ROOMS).await;
    let mut told = tell([&first, &second], &rooms, 3).await;
    receiver.takes(&told).await;
    two.signal("STOP");
    // Its buckets are the first node's once its lease is over.
    told.extend(tell([&first, &first], &rooms, 5).await);
    receiver.takes(&told).await;
    two.signal("CONT");
    told.extend(tell([&first, &second], &rooms, 5).await);
    receiver.takes(&told).await;
    first.nothing_waits().await;
    let verdict = Verdict::of(&told, &receiver.seen());
    println!("a node stood still, {} told: {verdict}", told.len());
    assert_eq!((verdict.lost, verdict.out_of_order), (0, 0));
    assert!(verdict.duplicated <= ROOMS, "at most one of each lane was under way");
    check_log(&one);
    check_log(&two);
}
