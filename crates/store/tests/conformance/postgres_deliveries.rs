//! Deliveries on PostgreSQL with concurrent writers: late commits, senders that share the buckets,
//! and daily partitions (D-0014, D-0031).

use std::collections::HashSet;
use std::time::{Duration, Instant};

use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{BUCKETS, Lane};
use confab_domain::webhooks::event_kind::EventKind::Bot;
use confab_store::{LeasedBuckets, ScanMark};
use confab_test_servers::postgres::{Server, shared};
use tokio_postgres::{Client, NoTls};

use crate::engine::Engine;
use crate::stamps::MORNING;
use crate::world::webhooks::ALL_IDS;
use crate::world::{World, side_by_side};

const DAY_US: i64 = 24 * 3_600 * 1_000_000;

fn url_of(world: &World) -> &str {
    let Engine::Postgres(url) = &world.engine else { panic!("only PostgreSQL is tested here") };
    url
}

/// Runs SQL in the world's schema.
fn psql(world: &World, sql: &str) -> String {
    shared().psql_at(url_of(world), sql)
}

/// Opens a session that belongs to no node.
async fn separate_session(world: &World) -> Client {
    let (client, connection) =
        tokio_postgres::connect(url_of(world), NoTls).await.expect("connects");
    tokio::spawn(connection);
    client
}

async fn world_with_an_endpoint() -> World {
    let world = World::start(Engine::postgres()).await;
    world.put_endpoint(Bot, "https://bot.example/").await;
    world
}

/// Returns the world as served by another node.
async fn another_node(world: &World) -> World {
    let store = world.engine.open(world.stamps.clone()).await.expect("a second store opens");
    World { store, ..world.clone() }
}

/// Returns SQL that inserts a delivery as a node does, in a transaction that the caller ends.
fn inserted(world: &World, lane: Lane, id: i64) -> String {
    let (bucket, app) = (lane.bucket(), world.app.0);
    format!(
        "INSERT INTO deliveries (bucket, id, app, endpoint, kind, lane, sequence, created_at, \
         depth, body, mark, standing, attempts, tries, since, due_at) VALUES ({bucket}, {id}, \
         {app}, 1, 'bot', {}, 1, 0, 1, '', pg_current_xact_id()::text::bigint, 0, 0, 0, 0, 0)",
        lane.0
    )
}

fn found(world_found: &confab_store::ScannedDeliveries) -> HashSet<DeliveryId> {
    world_found.deliveries.iter().map(|pending| pending.id).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_returns_a_late_commit_although_newer_deliveries_were_returned_before() {
    let world = world_with_an_endpoint().await;
    let slow = separate_session(&world).await;
    slow.batch_execute(&format!("BEGIN; {}", inserted(&world, Lane(9), 5))).await.expect("written");
    let mut mark = ScanMark::default();
    let mut seen = HashSet::new();
    for turn in 0..5 {
        let newer = world.notify_in_lane(turn, "newer", &[Bot]).await.remove(0);
        let scan = world.scan(mark).await;
        assert!(found(&scan).contains(&newer.id));
        seen.extend(found(&scan));
        mark = scan.mark;
    }
    assert!(!seen.contains(&DeliveryId(5)), "the delivery is not committed yet");
    slow.batch_execute("COMMIT").await.expect("committed");
    let scan = world.scan(mark).await;
    assert!(found(&scan).contains(&DeliveryId(5)));
    let newest = world.notify_in_lane(1, "newest", &[Bot]).await.remove(0);
    // Transactions of other tests may hold the mark back, so others may be returned again.
    assert!(found(&world.scan(scan.mark).await).contains(&newest.id));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_restarts_on_a_database_with_lower_transaction_ids() {
    let world = world_with_an_endpoint().await;
    let burning = "DO $$ BEGIN FOR i IN 1..3000 LOOP \
        PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$";
    psql(&world, burning);
    let mark = world.scan(ScanMark::default()).await.mark;
    let server = Server::start();
    let restored = World::start(Engine::Postgres(server.new_schema().into())).await;
    restored.put_endpoint(Bot, "https://bot.example/").await;
    let made = restored.notify_in_lane(7, "hello", &[Bot]).await.remove(0);
    assert_eq!(found(&restored.scan(mark).await), HashSet::from([made.id]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_returns_deliveries_of_the_given_buckets_only() {
    let world = world_with_an_endpoint().await;
    let made = [Lane(1), Lane(2)];
    assert_ne!(made[0].bucket(), made[1].bucket());
    for lane in made {
        world.notify_in_lane(lane.0, "hello", &[Bot]).await;
    }
    for lane in made {
        let scan = world.store.waiting_deliveries(&[lane.bucket()], ScanMark::default()).await;
        let scan = scan.expect("read").deliveries;
        assert_eq!(scan.iter().map(|it| it.lane).collect::<Vec<_>>(), [lane]);
    }
    let none = world.store.waiting_deliveries(&[], ScanMark::default()).await.expect("read");
    assert_eq!(none.deliveries, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_number_a_lane_without_a_room_without_a_gap() {
    let a = world_with_an_endpoint().await;
    let b = another_node(&a).await;
    let writers = (0..80).map(|task| {
        let world = if task % 2 == 0 { a.clone() } else { b.clone() };
        // Each commit may have both lanes, in any order.
        async move { world.notify_in_lane(12_345 + task / 2 % 2, "hello", &[Bot]).await.remove(0) }
    });
    let made = side_by_side(writers).await;
    for lane in [Lane(12_345), Lane(12_346)] {
        let of_lane = made.iter().filter(|delivery| delivery.lane == lane);
        let mut sequences: Vec<_> = of_lane.map(|delivery| delivery.sequence).collect();
        sequences.sort_unstable();
        assert_eq!(sequences, (1..=40).collect::<Vec<_>>());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_to_a_locked_lane_fail_together_and_other_lanes_are_unaffected() {
    let world = world_with_an_endpoint().await;
    let session = separate_session(&world).await;
    let held = 8_181_818;
    let lock = format!("hashtextextended(current_schema()::text, {held})");
    session.batch_execute(&format!("SELECT pg_advisory_lock({lock})")).await.expect("locked");
    let writer = world.hold_writer().await;
    let started = Instant::now();
    let notify = async |lane| world.notify(vec![], Lane(lane), "hello", &[Bot]).await.is_ok();
    let four = async || tokio::join!(notify(held), notify(held), notify(held), notify(held));
    let (some, more, other, ()) = tokio::join!(four(), four(), notify(7), writer.release());
    let none = (false, false, false, false);
    assert_eq!((some, more, other), (none, none, true));
    // Two seconds in the shared batch and two alone; one after another it would be eighteen.
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    session.batch_execute(&format!("SELECT pg_advisory_unlock({lock})")).await.expect("unlocked");
    assert_eq!(world.notify_in_lane(held, "hello", &[Bot]).await[0].sequence, 1);
}

async fn hold(world: &World, sender: &str, given: &[i64]) -> LeasedBuckets {
    world.store.hold_buckets(sender, given).await.expect("leased")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_single_sender_leases_all_buckets_and_a_second_one_those_given_up() {
    let world = World::start(Engine::postgres()).await;
    let all: Vec<i64> = (0..BUCKETS).collect();
    assert_eq!(hold(&world, "a", &[]).await, LeasedBuckets { buckets: all.clone(), senders: 1 });
    assert_eq!(hold(&world, "a", &[]).await.buckets, all, "the sender keeps its buckets");
    let b = another_node(&world).await;
    assert_eq!(hold(&b, "b", &[]).await, LeasedBuckets { buckets: vec![], senders: 2 });
    let (kept, given) = all.split_at(32);
    assert_eq!(
        hold(&world, "a", given).await,
        LeasedBuckets { buckets: kept.to_vec(), senders: 2 }
    );
    assert_eq!(hold(&b, "b", &[]).await.buckets, given);
    assert_eq!(hold(&world, "a", &[]).await.buckets, kept);
    hold(&b, "b", kept).await;
    assert_eq!(
        hold(&world, "a", &[]).await.buckets,
        kept,
        "a sender gives up only its own buckets"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_bucket_leases_of_a_silent_sender_pass_to_another_sender() {
    let world = World::start(Engine::postgres()).await;
    hold(&world, "a", &[]).await;
    assert_eq!(hold(&world, "b", &[]).await.buckets, [0; 0]);
    let left = "SELECT min(held_until) > now() + interval '5 s', \
        max(held_until) <= now() + interval '15 s' FROM buckets";
    assert_eq!(psql(&world, left), "t|t");
    psql(&world, "UPDATE buckets SET held_until = now() - interval '1 s' WHERE bucket < 10");
    psql(&world, "UPDATE senders SET seen_until = now() - interval '1 s' WHERE holder = 'a'");
    let taken: Vec<i64> = (0..10).collect();
    assert_eq!(hold(&world, "b", &[]).await, LeasedBuckets { buckets: taken, senders: 1 });
    let rest: Vec<i64> = (10..BUCKETS).collect();
    assert_eq!(hold(&world, "a", &[]).await, LeasedBuckets { buckets: rest, senders: 2 });
    psql(&world, "UPDATE buckets SET held_until = now() - interval '1 s'");
    assert_eq!(hold(&world, "b", &[]).await.buckets.len(), BUCKETS as usize);
    assert_eq!(hold(&world, "a", &[]).await.buckets, [0; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn buckets_released_by_a_sender_are_free_at_once() {
    let world = World::start(Engine::postgres()).await;
    hold(&world, "a", &[]).await;
    hold(&world, "b", &[]).await;
    world.store.give_up_buckets("b").await.expect("released");
    assert_eq!(
        hold(&world, "a", &[]).await.buckets.len(),
        BUCKETS as usize,
        "buckets of another sender stay leased"
    );
    world.store.give_up_buckets("a").await.expect("released");
    let held = hold(&world, "c", &[]).await;
    assert_eq!((held.buckets.len(), held.senders), (BUCKETS as usize, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn senders_that_start_together_never_lease_the_same_bucket() {
    let world = World::start(Engine::postgres()).await;
    let nodes = [world.clone(), another_node(&world).await];
    for turn in 0..10 {
        psql(&world, "UPDATE buckets SET holder = 'gone', held_until = '-infinity'");
        let holding = (0..6).map(|sender| {
            let world = nodes[sender % 2].clone();
            async move { hold(&world, &format!("{turn}-{sender}"), &[]).await.buckets }
        });
        let mut held: Vec<_> = side_by_side(holding).await.into_iter().flatten().collect();
        held.sort_unstable();
        assert_eq!(
            held,
            (0..BUCKETS).collect::<Vec<_>>(),
            "each bucket is leased once, in round {turn}"
        );
    }
}

/// Returns the time so many days after `MORNING`.
fn day(days: i64) -> Timestamp {
    Timestamp(MORNING.0 + days * DAY_US)
}

/// Returns the partitions of a table, as days after `MORNING`.
fn parts(world: &World, table: &str) -> Vec<i64> {
    let named = psql(
        world,
        &format!(
            "SELECT substring(inhrelid::regclass::text from '_([0-9]+)$') FROM pg_inherits \
             WHERE inhparent = '{table}'::regclass AND inhrelid <> '{table}_other'::regclass"
        ),
    );
    let today = MORNING.0 / DAY_US;
    let days = named.lines().map(|day| day.parse::<i64>().expect("a day") - today);
    let mut days: Vec<_> = days.collect();
    days.sort_unstable();
    days
}

fn count(world: &World, table: &str) -> String {
    psql(world, &format!("SELECT count(*) FROM {table}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn partitions_are_created_for_coming_days_and_old_ones_are_dropped() {
    let world = world_with_an_endpoint().await;
    for _ in 0..2 {
        world.purge(day(-3), day(0)).await;
        for table in ["deliveries", "attempts"] {
            assert_eq!(parts(&world, table), (0..=7).collect::<Vec<_>>());
        }
    }
    let old = world.notify_in_lane(7, "old", &[Bot]).await.remove(0);
    psql(&world, "UPDATE deliveries SET standing = 2");
    let today = MORNING.0 / DAY_US;
    assert_eq!(count(&world, &format!("deliveries_{today}")), "1");
    world.stamps.advance_seconds(2 * 24 * 3_600);
    let new = world.notify_in_lane(7, "new", &[Bot]).await.remove(0);
    assert_eq!(count(&world, "deliveries_other"), "0");
    world.purge(day(0), day(2)).await;
    assert_eq!(
        parts(&world, "deliveries"),
        (0..=9).collect::<Vec<_>>(),
        "the partition of today has newer deliveries"
    );
    world.purge(day(2), day(2)).await;
    for table in ["deliveries", "attempts"] {
        assert_eq!(parts(&world, table), (2..=9).collect::<Vec<_>>());
    }
    assert!(world.delivery(old.id).await.is_none());
    assert!(world.delivery(new.id).await.is_some());
    assert_eq!(new.sequence, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_nodes_can_maintain_partitions_during_concurrent_writes() {
    let a = world_with_an_endpoint().await;
    let nodes = [a.clone(), another_node(&a).await, another_node(&a).await];
    for turn in 0..4 {
        let mut tasks = Vec::new();
        for node in &nodes {
            let (purger, notifier) = (node.clone(), node.clone());
            tasks.push(tokio::spawn(async move {
                purger.purge(day(turn * 3), day(turn * 3)).await;
            }));
            tasks.push(tokio::spawn(async move {
                for lane in 0..10 {
                    notifier.notify_in_lane(lane, "meanwhile", &[Bot]).await;
                }
            }));
        }
        for task in tasks {
            task.await.expect("the task succeeds");
        }
    }
    // Unfinished deliveries stay, in the partition of their day if it existed when they were
    // created.
    psql(&a, "UPDATE deliveries SET standing = 2");
    // A locked partition was left to the next call; autovacuum takes some locks too.
    let kept = async {
        for table in ["deliveries", "attempts"] {
            while parts(&a, table) != (9..=16).collect::<Vec<_>>() {
                a.purge(day(9), day(9)).await;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), kept)
        .await
        .expect("only the partitions of these days are left");
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_without_a_daily_partition_are_purged_in_slices() {
    let world = world_with_an_endpoint().await;
    let ago = DeliveryId::first_at(day(-20)).0;
    let many = 2 * limits::PURGED_PER_COMMIT + 7;
    psql(
        &world,
        &format!(
            "INSERT INTO deliveries SELECT id % 64, {ago} + id, 1, 1, 7, id, 0, 1, 1, 0, 0, NULL, \
             2, 1, 1, 'bot', '' FROM generate_series(1, {many}) id; \
             INSERT INTO attempts (bucket, delivery, number, at, answer) \
             SELECT bucket, id, 1, 0, '' FROM deliveries"
        ),
    );
    let kept = world.notify_in_lane(7, "kept", &[Bot]).await.remove(0);
    assert_eq!(count(&world, "deliveries_other"), (many + 1).to_string());
    let step = || async { world.store.purge_deliveries(day(-1), day(0)).await.expect("purged") };
    let steps = [step().await, step().await, step().await, step().await];
    let slice = limits::PURGED_PER_COMMIT;
    assert_eq!(steps, [slice, slice, 7, 0]);
    assert_eq!((count(&world, "deliveries"), count(&world, "attempts")), ("1".into(), "0".into()));
    assert!(world.delivery(kept.id).await.is_some());
    assert_eq!(
        parts(&world, "deliveries"),
        (1..=7).collect::<Vec<_>>(),
        "the default partition has a delivery of today"
    );
    assert_eq!(world.listed(ALL_IDS, confab_store::ListEnd::Newest, 5).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_partition_is_dropped_later_and_blocks_no_writer_for_long() {
    let world = world_with_an_endpoint().await;
    world.purge(day(-3), day(0)).await;
    let session = separate_session(&world).await;
    // A long read, such as a dump.
    session.batch_execute("BEGIN; SELECT count(*) FROM deliveries").await.expect("reads");
    let purging = world.purge(day(5), day(5));
    let notifying = async {
        for _ in 0..50 {
            world.notify_in_lane(7, "meanwhile", &[Bot]).await;
        }
    };
    // The reader continues until all of this is done.
    let both = async { tokio::join!(purging, notifying) };
    tokio::time::timeout(Duration::from_secs(60), both)
        .await
        .expect("neither task waits for the reader");
    assert_eq!(
        parts(&world, "deliveries"),
        (0..=7).collect::<Vec<_>>(),
        "no partition was dropped"
    );
    session.batch_execute("COMMIT").await.expect("ends");
    psql(&world, "UPDATE deliveries SET standing = 2");
    world.purge(day(5), day(5)).await;
    assert_eq!(parts(&world, "deliveries"), (5..=12).collect::<Vec<_>>());
}
