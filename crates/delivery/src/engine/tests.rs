//! Tests of the engine with a real store and real receivers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use confab_domain::decision::stamp::Stamps as _;
use confab_domain::ids::EndpointId;
use confab_domain::webhooks::delivery::Lane;
use confab_domain::webhooks::event_kind::EventKind;
use confab_test_servers::receiver::{ReceivedRequest, Receiver};

use super::*;
use crate::tests::world::World;

/// Returns the received bodies in order.
fn bodies(receiver: &Receiver) -> Vec<String> {
    let seen = receiver.seen();
    seen.iter().filter(|it| it.is_taken()).map(|it| it.text().to_owned()).collect()
}

/// Waits until the receiver has received `count` requests.
async fn wait_for(receiver: &Receiver, count: usize) {
    let is_enough =
        |seen: &[ReceivedRequest]| seen.iter().filter(|it| it.is_taken()).count() >= count;
    receiver
        .until(&format!("{count} requests arrived"), |seen| is_enough(seen).then_some(()))
        .await;
}

/// Checks that the bodies (`lane number`) of every lane arrived in order, and returns the number of
/// duplicates.
fn check_order(bodies: &[String]) -> usize {
    let mut last: HashMap<&str, usize> = HashMap::new();
    let mut twice = 0;
    for body in bodies {
        let (lane, number) = body.split_once(' ').expect("a body has two words");
        let number: usize = number.parse().expect("the second word is a number");
        match last.insert(lane, number) {
            Some(before) if before == number => twice += 1,
            Some(before) => assert_eq!(number, before + 1, "lane {lane}"),
            None => assert_eq!(number, 0, "lane {lane}"),
        }
    }
    twice
}

#[tokio::test(flavor = "multi_thread")]
async fn committed_deliveries_arrive_once_and_in_order() {
    let receiver = Receiver::start().await;
    let world = World::with_endpoint(&receiver.url).await;
    let engine = world.start();
    for number in 0..20 {
        for lane in 0..10 {
            world.enqueue(lane, format!("{lane} {number}")).await;
        }
        world.wake.wake();
    }
    wait_for(&receiver, 200).await;
    world.wait_until_nothing_waits().await;
    assert_eq!(check_order(&bodies(&receiver)), 0, "no delivery arrives twice");
    engine.stop(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_deliveries_arrive_after_a_restart() {
    let receiver = Receiver::start().await;
    let mut world = World::with_endpoint(&receiver.url).await;
    for number in 0..30 {
        world.enqueue(number % 3, format!("{} {}", number % 3, number / 3)).await;
    }
    for enough in [5, 15] {
        let engine = world.start();
        wait_for(&receiver, enough).await;
        engine.stop(Duration::ZERO).await;
        world = world.reopened().await;
    }
    let engine = world.start();
    world.wait_until_nothing_waits().await;
    engine.stop(Duration::ZERO).await;
    let twice = check_order(&bodies(&receiver));
    println!("30 committed, 0 lost, {twice} duplicates (at most 6), 0 out of order");
    assert!(twice <= 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_delivery_is_retried_before_later_ones_of_its_lane() {
    let count = AtomicUsize::new(0);
    let is_refused = move || count.fetch_add(1, Ordering::Relaxed).is_multiple_of(4);
    let receiver = Receiver::replying(move |_| if is_refused() { 500 } else { 200 }).await;
    let world = World::with_endpoint(&receiver.url).await;
    let engine = world.start();
    world.enqueue(1, "1 0".to_owned()).await;
    world.enqueue(1, "1 1".to_owned()).await;
    world.wake.wake();
    wait_for(&receiver, 2).await;
    let refused = receiver.seen().iter().filter(|it| !it.is_taken()).count();
    assert_eq!(refused, 1, "only the first request is rejected");
    assert_eq!(check_order(&bodies(&receiver)), 0);
    world.wait_until_nothing_waits().await;
    engine.stop(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_of_one_cause_are_sent_in_order() {
    let receiver = Receiver::start().await;
    let world = World::with_endpoint(&receiver.url).await;
    let new_id = || EndpointId(world.clock.next_id(0));
    let (session, button) = (new_id(), new_id());
    world.put_endpoint(session, EventKind::NewSession, &receiver.url).await;
    world.put_endpoint(button, EventKind::CustomButton, &receiver.url).await;
    let endpoints = [
        (session, EventKind::NewSession),
        (button, EventKind::CustomButton),
        (world.endpoint, EventKind::Bot),
    ];
    let engine = world.start();
    for room in 0..20 {
        let deliveries = world.enqueue_all(room, &endpoints).await;
        world.wake.wake();
        world.wait_until_nothing_waits().await;
        for pair in deliveries.windows(2) {
            let (before, after) = (world.sent(pair[0]).await, world.sent(pair[1]).await);
            // On a very busy machine, the second may start because its wait timed out.
            let waited = before.1.min(limits::WEBHOOK_TURN_MAX_MS as i64 * 1_000);
            assert!(after.0.0 >= before.0.0 + waited, "room {room}: {before:?}, then {after:?}");
        }
    }
    engine.stop(Duration::ZERO).await;
}

#[test]
fn deliveries_created_while_the_clock_is_behind_do_not_expire_early() {
    use confab_domain::webhooks::delivery::Progress;
    let (month_us, now) = (30 * 24 * 3600 * 1_000_000, Timestamp(1_769_853_600_000_000));
    let made_at = Timestamp(now.0 - month_us - 1);
    let pending = |progress| DeliveryHead {
        id: DeliveryId(1),
        app: AppId(1),
        endpoint: EndpointId(1),
        lane: Lane(1),
        sequence: 1,
        created_at: made_at,
        progress,
    };
    let fresh = pending(Progress::new(made_at));
    let found = [0, month_us, month_us + 7].map(|behind_us| waiting(&fresh, now, behind_us).since);
    assert_eq!(found, [made_at, Timestamp(now.0 - 1), Timestamp(now.0 - 1)]);
    let tried = pending(Progress { tries: 1, ..Progress::new(made_at) });
    assert_eq!(waiting(&tried, now, month_us).since, made_at, "the stored time is unchanged");
}
