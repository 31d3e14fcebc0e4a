//! Tests of the password queues. Work is blocked until a test releases it, so that the order does
//! not depend on time.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::mpsc;

use tokio::task::JoinHandle;

use super::*;

const SHOP: AppId = AppId(1);
const OTHER: AppId = AppId(2);

fn peer(last: u8) -> Peer {
    Peer::of_socket(IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)))
}

fn log_in(app: AppId, from: u8) -> HashingFor {
    HashingFor::LogIn(app, peer(from))
}

/// Queued or running work. It ends when the gate is dropped.
struct Held {
    _gate: mpsc::Sender<()>,
    working: JoinHandle<Result<(), PasswordError>>,
}

/// Starts work, and returns once it is queued.
async fn hold(hashing: &Arc<HashingQueues>, wanted: HashingFor) -> Held {
    let (gate, opened) = mpsc::channel();
    let length = || hashing.queues.lock().get(&wanted.queue()).map_or(0, |it| it.length);
    let (before, its) = (length(), hashing.clone());
    let work = move || {
        // It fails once the gate is dropped.
        let _ = opened.recv();
    };
    let working = tokio::spawn(async move { its.run(wanted, work).await });
    while length() == before {
        tokio::task::yield_now().await;
    }
    Held { _gate: gate, working }
}

async fn hold_many(hashing: &Arc<HashingQueues>, wanted: HashingFor, count: usize) -> Vec<Held> {
    let mut held = Vec::new();
    for _ in 0..count {
        held.push(hold(hashing, wanted).await);
    }
    held
}

async fn is_answered(hashing: &HashingQueues, wanted: HashingFor) -> bool {
    match hashing.run(wanted, || true).await {
        Ok(is_answered) => is_answered,
        Err(PasswordError::Busy) => false,
        Err(failed) => panic!("{failed}"),
    }
}

#[tokio::test]
async fn a_password_matches_only_its_own_hash() {
    let (hashing, wanted) = (HashingQueues::default(), HashingFor::SignIn(peer(1)));
    let made = hashing.hash(wanted, "right".to_owned()).await.expect("hashed");
    let fits = async |password: &str, hash: Option<&str>| {
        let hash = hash.map(str::to_owned);
        hashing.verify(wanted, password.to_owned(), hash).await.expect("verified")
    };
    assert!(fits("right", Some(&made)).await);
    assert!(!fits("wrong", Some(&made)).await);
    assert!(!fits("right", None).await);
    assert!(!fits("nobody's", None).await);
    assert!(!fits("", Some("")).await, "a deleted account has no hash");
    assert!(hashing.queues.lock().is_empty(), "no queue is left");
}

#[tokio::test]
async fn a_full_queue_rejects_work_and_does_not_delay_other_queues() {
    let hashing = Arc::new(HashingQueues::default());
    // Some of the work runs; the rest of the clients' queue waits for it.
    let mut held = hold_many(&hashing, log_in(SHOP, 1), limits::HASHING_QUEUE_OF_PEER_MAX).await;
    assert!(!is_answered(&hashing, log_in(SHOP, 1)).await, "the limit per address is reached");
    for from in 2..=4 {
        held.extend(
            hold_many(&hashing, log_in(SHOP, from), limits::HASHING_QUEUE_OF_PEER_MAX).await,
        );
    }
    assert_eq!(held.len(), limits::HASHING_QUEUE_MAX);
    assert!(!is_answered(&hashing, log_in(SHOP, 5)).await, "the queue of the app is full");
    // All running work is of clients. A sign-in is next in line, not last.
    let its = hashing.clone();
    let signing_in =
        tokio::spawn(async move { is_answered(&its, HashingFor::SignIn(peer(1))).await });
    let its = hashing.clone();
    let other_app = tokio::spawn(async move { is_answered(&its, log_in(OTHER, 1)).await });
    let its = hashing.clone();
    let command = tokio::spawn(async move { is_answered(&its, HashingFor::Command(SHOP)).await });
    // Enough work finishes for the other queues to run; the rest of this queue still waits.
    let gone_on: Vec<_> = held.drain(..4 * limits::HASHING_MAX).collect();
    for Held { _gate, working } in gone_on {
        drop(_gate);
        working.await.expect("the task is not aborted").expect("worked");
    }
    assert!(signing_in.await.expect("the task is not aborted"));
    assert!(other_app.await.expect("the task is not aborted"));
    assert!(command.await.expect("the task is not aborted"));
    assert!(held.iter().all(|it| !it.working.is_finished()), "the rest of the queue still waits");
}

#[tokio::test]
async fn a_dropped_caller_frees_its_queue_slot_but_running_work_still_counts() {
    let hashing = Arc::new(HashingQueues::default());
    let held = hold_many(&hashing, log_in(SHOP, 1), limits::HASHING_QUEUE_OF_PEER_MAX).await;
    while hashing.running.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    let mut gates = Vec::new();
    for Held { _gate, working } in held {
        working.abort();
        let _ = working.await;
        gates.push(_gate);
    }
    let length = || hashing.queues.lock().get(&log_in(SHOP, 1).queue()).map_or(0, |it| it.length);
    assert_eq!(length(), limits::HASHING_MAX, "running work still counts");
    assert_eq!(hashing.running.available_permits(), 0);
    drop(gates);
    assert!(is_answered(&hashing, log_in(SHOP, 1)).await);
    while length() > 0 {
        tokio::task::yield_now().await;
    }
}
