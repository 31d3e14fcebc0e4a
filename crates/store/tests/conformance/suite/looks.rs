//! Scans for deliveries: each unfinished one is found despite concurrent writes, and none twice
//! without need.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use confab_domain::decision::change::{Change, WebhookChange};
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{BUCKETS, DeliveryState, Progress};
use confab_domain::webhooks::event_kind::EventKind::Bot;
use confab_store::{LeasedBuckets, ScanMark, ScannedDeliveries};

use crate::world::webhooks::{attempt, recorded};
use crate::world::{World, side_by_side};

fn ids(found: &ScannedDeliveries) -> HashSet<DeliveryId> {
    found.deliveries.iter().map(|pending| pending.id).collect()
}

pub async fn a_scan_returns_deliveries_created_since_the_previous_scan(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    let empty = world.scan(ScanMark::default()).await;
    assert_eq!(ids(&empty), HashSet::new());
    let first = world.notify_in_lane(7, "one", &[Bot]).await.remove(0);
    let found = world.scan(empty.mark).await;
    assert_eq!(ids(&found), HashSet::from([first.id]));
    let pending = found.deliveries[0];
    assert_eq!((pending.app, pending.endpoint), (first.app, first.endpoint));
    assert_eq!((pending.lane, pending.sequence), (first.lane, first.sequence));
    assert_eq!(pending.created_at, first.created_at);
    assert_eq!(pending.progress, Progress::new(first.created_at));
    assert!(found.whole == [first.clone()], "unfinished deliveries are returned with their bodies");
    let second = world.notify_in_lane(7, "two", &[Bot]).await.remove(0);
    assert!(ids(&world.scan(found.mark).await).contains(&second.id));
    world.record(&first, attempt(1, 500), DeliveryState::Waiting).await;
    let both = world.scan(ScanMark::default()).await;
    assert!(both.whole == [second.clone()], "an attempted delivery is read without its body");
    assert_eq!(ids(&world.scan(ScanMark::default()).await), HashSet::from([first.id, second.id]));
}

pub async fn scans_miss_no_delivery_that_is_created_concurrently(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    let (scanner, is_over) = (world.clone(), Arc::new(AtomicBool::new(false)));
    let is_last = is_over.clone();
    let scanning = tokio::spawn(async move {
        let (mut all, mut mark, mut scans) = (HashSet::new(), ScanMark::default(), 0);
        loop {
            // Read before the scan, so that all earlier deliveries are in this scan or a previous
            // one.
            let is_last = is_last.load(Ordering::SeqCst);
            let found = scanner.scan(mark).await;
            all.extend(ids(&found));
            (mark, scans) = (found.mark, scans + 1);
            if is_last {
                return (all, scans);
            }
        }
    });
    let writers = (0..16).map(|task| {
        let world = world.clone();
        async move {
            let mut made = Vec::new();
            for turn in 0..25 {
                let lane = 100 + (task * 7 + turn) % 40;
                made.push(world.notify_in_lane(lane, "hello", &[Bot]).await.remove(0).id);
            }
            made
        }
    });
    let made: HashSet<_> = side_by_side(writers).await.into_iter().flatten().collect();
    is_over.store(true, Ordering::SeqCst);
    let (found, scans) = scanning.await.expect("the scanning task succeeds");
    assert_eq!((made.len(), scans > 1), (400, true));
    assert_eq!(found, made);
}

pub async fn the_first_scan_after_a_crash_returns_all_unfinished_deliveries(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    let mut made = Vec::new();
    for lane in 0..20 {
        made.extend(world.notify_in_lane(lane, "hello", &[Bot]).await);
    }
    world.record(&made[0], attempt(1, 200), DeliveryState::Delivered).await;
    world.record(&made[1], attempt(1, 500), DeliveryState::Failed).await;
    world.record(&made[2], attempt(1, 500), DeliveryState::Parked).await;
    let waiting: HashSet<_> = made[2..].iter().map(|delivery| delivery.id).collect();
    for world in [&world.crashed().await, &world.reopened().await] {
        assert_eq!(ids(&world.scan(ScanMark::default()).await), waiting);
    }
}

pub async fn one_scan_returns_more_deliveries_than_one_read_holds(world: &World) {
    for name in ["a", "b", "c", "d"] {
        let change =
            move |it: &mut confab_domain::webhooks::endpoint::Endpoint| it.name = name.to_owned();
        world.put_endpoint_as(Bot, "https://bot.example/", change).await;
    }
    let writers = (0..40).map(|lane| {
        let world = world.clone();
        async move {
            for _ in 0..40 {
                world.notify_in_lane(lane, "", &[Bot]).await;
            }
        }
    });
    side_by_side(writers).await;
    let found = world.scan(ScanMark::default()).await;
    assert_eq!(found.deliveries.len(), 6_400);
    assert!(found.deliveries.len() > limits::DELIVERIES_PER_READ);
    assert_eq!(ids(&found).len(), 6_400, "each delivery once");
    assert_eq!(found.whole.len(), limits::WHOLE_PER_READ, "only the first deliveries have bodies");
}

pub async fn a_scan_returns_all_deliveries_replayed_concurrently(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    let mut made = Vec::new();
    for lane in 0..10 {
        let one = world.notify_in_lane(lane, "hello", &[Bot]).await.remove(0);
        world.record(&one, attempt(1, 500), DeliveryState::Failed).await;
        made.push(one);
    }
    let mark = world.scan(ScanMark::default()).await.mark;
    let writer = world.hold_writer().await;
    let replays = side_by_side(made.clone().into_iter().map(|one| {
        let world = world.clone();
        async move { world.replay(&one).await }
    }));
    tokio::join!(replays, writer.release());
    assert_eq!(ids(&world.scan(mark).await), made.iter().map(|it| it.id).collect());
}

pub async fn a_replayed_delivery_is_in_the_next_scan_and_retains_its_attempts(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    let delivery = world.notify_in_lane(7, "one", &[Bot]).await.remove(0);
    let other = world.notify_in_lane(7, "two", &[Bot]).await.remove(0);
    world.record(&delivery, attempt(1, 500), DeliveryState::Waiting).await;
    world.record(&delivery, attempt(2, 500), DeliveryState::Failed).await;
    world.record(&other, attempt(1, 200), DeliveryState::Delivered).await;
    let before = world.scan(ScanMark::default()).await;
    assert_eq!(ids(&before), HashSet::new());
    world.stamps.advance_seconds(3_600);
    let at = world.replay(&delivery).await;
    assert!(at > delivery.created_at);
    let found = world.scan(before.mark).await;
    assert_eq!(ids(&found), HashSet::from([delivery.id]));
    let again = Progress {
        standing: DeliveryState::Waiting,
        attempts: 2,
        tries: 0,
        since: at,
        due_at: at,
        failed_at: None,
    };
    assert_eq!(found.deliveries[0].progress, again);
    let attempts = vec![attempt(1, 500), attempt(2, 500)];
    assert_eq!(world.progress(&delivery).await, (again, attempts));
    world.record(&delivery, attempt(3, 200), DeliveryState::Delivered).await;
    let (progress, attempts) = world.progress(&delivery).await;
    assert_eq!((progress.standing, attempts.len()), (DeliveryState::Delivered, 3));
}

pub async fn a_replay_is_not_undone_by_an_attempt_recorded_in_the_same_commit(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    let delivery = world.notify_in_lane(7, "one", &[Bot]).await.remove(0);
    let (id, lane, at) = (delivery.id, delivery.lane, delivery.created_at);
    let mark = world.stamps.next_id(0);
    let replay = Change::Webhook(WebhookChange::Replay { delivery: id, lane, at, mark });
    world.change(vec![recorded(&delivery, attempt(1, 500), DeliveryState::Failed), replay]).await;
    let (progress, attempts) = world.progress(&delivery).await;
    assert_eq!((progress.standing, progress.attempts), (DeliveryState::Waiting, 1));
    assert_eq!((progress.tries, attempts.len()), (0, 1));
}

pub async fn scans_return_new_deliveries_after_the_clock_was_set_back(world: &World) {
    world.put_endpoint(Bot, "https://bot.example/").await;
    let delivery = world.notify_in_lane(7, "one", &[Bot]).await.remove(0);
    world.record(&delivery, attempt(1, 500), DeliveryState::Failed).await;
    world.stamps.advance_seconds(3_600);
    world.replay(&delivery).await;
    let earlier = Timestamp(delivery.created_at.0 - 3_600_000_000);
    let world = world.reopened_at(earlier).await;
    let found = world.scan(ScanMark::default()).await;
    assert_eq!(ids(&found), HashSet::from([delivery.id]));
    let next = world.notify_in_lane(7, "two", &[Bot]).await.remove(0);
    assert!(ids(&world.scan(found.mark).await).contains(&next.id));
}

pub async fn a_single_sender_leases_every_bucket_until_it_releases_them(world: &World) {
    let every: Vec<i64> = (0..BUCKETS).collect();
    let alone = LeasedBuckets { buckets: every.clone(), senders: 1 };
    for sender in ["one", "one", "two"] {
        assert_eq!(world.store.hold_buckets(sender, &[]).await.expect("leased"), alone, "{sender}");
        let again = world.store.hold_buckets(sender, &[]).await.expect("leased");
        assert_eq!(again, alone, "{sender} still leases all buckets");
        world.store.give_up_buckets(sender).await.expect("released");
    }
    world.store.give_up_buckets("nobody").await.expect("releasing no bucket succeeds");
    let after = world.reopened().await;
    assert_eq!(after.store.hold_buckets("three", &[]).await.expect("leased"), alone);
}
