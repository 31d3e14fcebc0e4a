//! Several nodes on one PostgreSQL: each has its own number and ids, and rooms look as if one node
//! had written everything (D-0025).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::ID_EPOCH_MS;
use confab_domain::json_text::JsonText;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use confab_store::WriteError;
use confab_test_servers::postgres::shared;

use crate::engine::Engine;
use crate::stamps::MORNING;
use crate::world::{World, draft_by, refusal, side_by_side};

const HOUR_S: i64 = 3600;
const NODE_BITS: u32 = 6;
const SEQUENCE_BITS: u32 = 6;

/// A clock that stands still, and ids as the server creates them, with the node's number.
struct NodeStamps {
    now: Timestamp,
    node: AtomicI64,
    last_tick: AtomicI64,
}

impl NodeStamps {
    /// Creates a clock that is so many seconds after `MORNING`.
    fn at(seconds: i64) -> Arc<Self> {
        let now = Timestamp(MORNING.0 + seconds * 1_000_000);
        Arc::new(Self { now, node: AtomicI64::new(-1), last_tick: AtomicI64::new(0) })
    }

    fn node(&self) -> i64 {
        self.node.load(Ordering::Relaxed)
    }
}

impl Stamps for NodeStamps {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn next_id(&self, after: i64) -> i64 {
        let now_tick = (self.now.unix_ms() - ID_EPOCH_MS) << SEQUENCE_BITS;
        let least = now_tick.max((after >> NODE_BITS) + 1);
        let next = |last: i64| least.max(last + 1);
        let update = |last| Some(next(last));
        let last = self.last_tick.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
        (next(last.expect("every value is updated")) << NODE_BITS) | self.node()
    }

    fn serve_as(&self, node: i64) {
        self.node.store(node, Ordering::Relaxed);
    }
}

fn node_of(id: i64) -> i64 {
    id & ((1 << NODE_BITS) - 1)
}

/// Runs SQL in the world's schema.
fn psql(world: &World, sql: &str) -> String {
    let Engine::Postgres(url) = &world.engine else { panic!("only PostgreSQL has nodes") };
    shared().psql_at(url, sql)
}

/// Returns a world whose store is closed, so that no number is in use.
async fn closed_world() -> World {
    let world = World::start(Engine::postgres()).await;
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    world.store.close().await.expect("closes");
    world
}

/// Returns the world as served by another node, with a clock so many seconds after `MORNING`.
async fn node(world: &World, seconds: i64) -> (World, Arc<NodeStamps>) {
    let stamps = NodeStamps::at(seconds);
    let store = world.engine.open(stamps.clone()).await.expect("opens");
    (World { store, ..world.clone() }, stamps)
}

/// One world on two stores. They share a source of ids, so that tests can compare worlds.
async fn two_nodes() -> (World, World) {
    let world = World::start(Engine::postgres()).await;
    let store = world.engine.open(world.stamps.clone()).await.expect("a second store opens");
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    (world.clone(), World { store, ..world })
}

fn unique_id(text: &str) -> UniqueId {
    UniqueId::parse("unique_id", text).expect("valid")
}

#[tokio::test]
async fn each_node_has_its_own_number_which_is_free_once_the_node_closes() {
    let world = closed_world().await;
    let mut nodes = Vec::new();
    for number in 0..5 {
        nodes.push(node(&world, 0).await);
        assert_eq!(nodes[number].1.node(), number as i64);
    }
    nodes[2].0.store.close().await.expect("closes");
    let (_, stamps) = node(&world, 0).await;
    assert_eq!(stamps.node(), 2);
    nodes[4].0.post("support", "ana", "the others are unharmed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_start_together_have_different_numbers() {
    let world = closed_world().await;
    let starts = (0..5).map(|_| {
        let world = world.clone();
        async move { node(&world, 0).await }
    });
    let nodes = side_by_side(starts).await;
    let mut numbers: Vec<_> = nodes.iter().map(|(_, stamps)| stamps.node()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 2, 3, 4]);
}

#[tokio::test]
async fn a_dropped_store_frees_its_node_number() {
    let world = closed_world().await;
    let dropped = node(&world, 0).await.0;
    let serving = "SELECT count(*) FROM nodes WHERE seen_at > '-infinity'";
    assert_eq!(psql(&world, serving), "1");
    drop(dropped);
    let deadline = Instant::now() + Duration::from_secs(60);
    while psql(&world, serving) != "0" {
        assert!(Instant::now() < deadline, "the number of a dropped store becomes free");
    }
}

#[tokio::test]
async fn a_node_whose_decisions_write_nothing_keeps_its_number() {
    let world = closed_world().await;
    let (world, _) = node(&world, 0).await;
    psql(&world, "UPDATE nodes SET seen_at = now() - interval '55 s'");
    let mut beat = tokio::time::interval(Duration::from_secs(2));
    for _ in 0..7 {
        beat.tick().await;
        world.register(&["ana"]).await;
    }
    let silent = "SELECT count(*) FROM nodes WHERE seen_at < now() - interval '15 s'";
    assert_eq!(psql(&world, silent), "0", "a serving node keeps its number");
}

#[tokio::test]
async fn the_number_of_a_silent_node_is_free_after_a_minute() {
    let world = closed_world().await;
    psql(&world, "UPDATE nodes SET holder = 'gone', seen_at = now() - interval '50 s'");
    assert_eq!(node(&world, 0).await.1.node(), 1);
    psql(&world, "UPDATE nodes SET seen_at = now() - interval '61 s' WHERE holder = 'gone'");
    assert_eq!(node(&world, 0).await.1.node(), 0);
}

#[tokio::test]
async fn a_node_that_lost_its_number_writes_only_under_a_new_one() {
    let world = closed_world().await;
    let (world, stamps) = node(&world, 0).await;
    assert_eq!(node_of(world.post("support", "ana", "mine").await.id.0), 0);
    let row = "SELECT holder, batch, newest_id, seen_at FROM nodes WHERE node = 0";
    psql(&world, "UPDATE nodes SET holder = 'another', seen_at = now()");
    let before = psql(&world, row);
    let next = world.post("support", "ana", "still mine").await;
    assert_eq!((node_of(next.id.0), stamps.node()), (1, 1));
    assert_eq!(psql(&world, row), before, "the row of the other node is unchanged");
    assert_eq!(world.chain("support").await.len(), 2);
}

#[tokio::test]
async fn a_store_does_not_open_if_no_node_number_is_free() {
    let world = closed_world().await;
    let taken = "INSERT INTO nodes SELECT number, 'somebody', 0, 0, now() \
        FROM generate_series(0, 62) number ON CONFLICT (node) DO UPDATE \
        SET holder = excluded.holder, seen_at = excluded.seen_at";
    psql(&world, taken);
    let refused = world.engine.open(NodeStamps::at(0)).await.err().expect("no node number is free");
    let reason = refused.source.to_string();
    assert!(reason.contains("no node number is free: 63 nodes use"), "{reason}");
    psql(&world, "UPDATE nodes SET seen_at = '-infinity' WHERE node = 62");
    assert_eq!(node(&world, 0).await.1.node(), 62);
}

#[tokio::test]
async fn ids_of_two_nodes_are_unique_and_rise_in_a_room_despite_different_clocks() {
    let world = closed_world().await;
    let ((early, _), (late, _)) = (node(&world, 0).await, node(&world, HOUR_S).await);
    let mut ids = HashSet::new();
    for turn in 0..20 {
        for (number, world) in [(0, &early), (1, &late)] {
            let message = world.post("support", "ana", "mine").await;
            let room = world.open_group(&format!("{number}-{turn}"), &["ana"]).await;
            let user = format!("user-{number}-{turn}");
            world.register(&[&user]).await;
            let made = [message.id.0, room.id.0, world.user(&user).await.key.0];
            assert!(made.iter().all(|id| node_of(*id) == number && ids.insert(*id)), "{made:?}");
        }
    }
    assert_eq!(early.chain("support").await.len(), 40);
}

#[tokio::test]
async fn ids_rise_after_an_orderly_shutdown_although_the_clock_was_set_back() {
    let world = closed_world().await;
    let (first, _) = node(&world, HOUR_S).await;
    let newest = first.post("support", "ana", "newest").await;
    first.store.close().await.expect("closes");
    let (second, _) = node(&world, -HOUR_S).await;
    second.open_group("other", &["ana"]).await;
    assert!(second.post("other", "ana", "newer").await.id > newest.id);
}

#[tokio::test]
async fn ids_rise_after_a_crash_although_the_clock_was_set_back() {
    let world = closed_world().await;
    let (first, _) = node(&world, 0).await;
    first.open_group("other", &["ana"]).await;
    let newest = first.post_many("support", "ana", 200).await.pop().expect("posted");
    let crashed = World { engine: first.engine.after_crash().await, ..first };
    let (second, _) = node(&crashed, -HOUR_S).await;
    assert!(second.post("other", "ana", "newer").await.id > newest.id);
}

#[tokio::test(flavor = "multi_thread")]
async fn posts_of_two_nodes_into_one_room_leave_an_unbroken_chain() {
    let (a, b) = two_nodes().await;
    let (of_a, of_b) =
        tokio::join!(a.post_many("support", "ana", 150), b.post_many("support", "bob", 150));
    let mut posted = [of_a, of_b].concat();
    posted.sort_by_key(|message| message.number);
    assert_eq!(a.chain("support").await, posted);
    assert_eq!(b.chain("support").await, posted);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_unique_id_posted_through_two_nodes_at_once_is_one_message() {
    let (a, b) = two_nodes().await;
    b.open_group("other", &["ana"]).await;
    for turn in 0..20 {
        let id = unique_id(&format!("post {turn}"));
        let (room, other) = ("support", if turn % 2 == 0 { "support" } else { "other" });
        let (by_a, by_b) =
            tokio::join!(a.post_once(room, "ana", "a", &id), b.post_once(other, "ana", "a", &id));
        match (by_a, by_b) {
            (Ok(by_a), Ok(by_b)) if room == other => assert_eq!(by_a.message, by_b.message),
            (Ok(_), refused @ Err(_)) | (refused @ Err(_), Ok(_)) if room != other => {
                let (unique_id, differs) = (id.to_string(), vec!["room"]);
                assert_eq!(refusal(refused), Refusal::UniqueIdTaken { unique_id, differs });
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(a.chain("support").await.len() + a.chain("other").await.len(), 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_unique_ids_posted_through_three_nodes_in_any_order_are_one_message_each() {
    let (a, b) = two_nodes().await;
    let store = a.engine.open(a.stamps.clone()).await.expect("a third store opens");
    let nodes = [a.clone(), b, World { store, ..a.clone() }];
    for room in ["room-0", "room-1", "room-2"] {
        a.open_group(room, &["ana"]).await;
    }
    // Each node posts the ids in a different order, into rooms of its own.
    let posts = (0..180).map(|post| {
        let (turn, node) = (post / 3, post % 3);
        let id = [turn, 59 - turn, (turn + 30) % 60][node];
        let (world, room) = (nodes[node].clone(), format!("room-{node}"));
        let id = unique_id(&format!("post {id}"));
        async move { (id.clone(), world.post_once(&room, "ana", "hello", &id).await) }
    });
    let mut messages = HashMap::new();
    for (id, posted) in side_by_side(posts).await {
        match posted {
            Ok(said) => assert_eq!(messages.insert(id, said.message), None),
            refused => {
                let (unique_id, differs) = (id.to_string(), vec!["room"]);
                assert_eq!(refusal(refused), Refusal::UniqueIdTaken { unique_id, differs });
            }
        }
    }
    let mut count = 0;
    for room in ["room-0", "room-1", "room-2"] {
        count += a.chain(room).await.len();
    }
    assert_eq!((messages.len(), count), (60, 60));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_user_registered_through_two_nodes_at_once_is_one_user() {
    let (a, b) = two_nodes().await;
    for turn in 0..20 {
        let profile = a.profile(&format!("user-{turn}"), "somebody");
        let (by_a, by_b) = tokio::join!(a.login(profile.clone()), b.login(profile));
        assert_eq!(by_a.expect("registered").key, by_b.expect("registered").key);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profile_changed_through_two_nodes_at_once_keeps_both_changes() {
    let (a, b) = two_nodes().await;
    for turn in 0..20 {
        let avatar_url = Some(format!("https://example.com/{turn}.png"));
        let extras = Some(JsonText::from_checked(turn.to_string()));
        let mut with_avatar = a.profile("ana", "ana");
        with_avatar.avatar_url = avatar_url.clone();
        let mut with_extras = a.profile("ana", "ana");
        with_extras.extras = extras.clone();
        let (by_a, by_b) = tokio::join!(a.login(with_avatar), b.login(with_extras));
        by_a.expect("changed");
        by_b.expect("changed");
        let ana = a.user("ana").await;
        assert_eq!((Some(ana.avatar_url), ana.extras), (avatar_url, extras));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_deleted_through_two_nodes_at_once_is_deleted_by_one() {
    let (a, b) = two_nodes().await;
    for message in a.post_many("support", "ana", 20).await {
        let ids = || vec![message.unique_id()];
        let (by_a, by_b) = tokio::join!(a.try_delete(ids()), b.try_delete(ids()));
        let refused = if by_a.is_ok() { by_b } else { by_a.and(by_b) };
        assert!(matches!(refusal(refused), Refusal::MessagesNotFound(_)));
    }
    a.post("support", "ana", "left").await;
    assert_eq!(b.texts("support", 1, 20).await, ["left"]);
    assert_eq!(b.unread("bob", "support").await, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn deletions_of_the_same_messages_in_opposite_order_succeed_on_one_node_only() {
    let (a, b) = two_nodes().await;
    let messages = a.post_many("support", "ana", 30).await;
    for three in messages.chunks(3) {
        let ids: Vec<_> = three.iter().map(|message| message.unique_id()).collect();
        let reversed: Vec<_> = ids.iter().rev().cloned().collect();
        let (by_a, by_b) = tokio::join!(a.try_delete(ids), b.try_delete(reversed));
        assert!(by_a.is_ok() != by_b.is_ok());
        refusal(if by_a.is_ok() { by_b } else { by_a });
    }
    assert!(b.texts("support", 1, 20).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_opened_through_two_nodes_at_once_is_one_room() {
    let (a, b) = two_nodes().await;
    for turn in 0..20 {
        let name = format!("channel-{turn}");
        let (by_a, by_b) =
            tokio::join!(a.open_channel(&name, &["ana"]), b.open_channel(&name, &["bob"]));
        assert_eq!(by_a.1.id, by_b.1.id);
        assert_eq!(a.participants(&name).await, ["ana", "bob"]);
        let name = format!("group-{turn}");
        let (by_a, by_b) =
            tokio::join!(a.try_open_group(&name, &["ana"]), b.try_open_group(&name, &["ana"]));
        assert!(by_a.is_ok() != by_b.is_ok());
        refusal(if by_a.is_ok() { by_b } else { by_a });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn broadcasts_of_two_nodes_to_the_same_users_in_opposite_order_all_arrive() {
    let (a, b) = two_nodes().await;
    let users: Vec<_> = (0..10).map(|number| format!("user-{number}")).collect();
    let forward: Vec<_> = users.iter().map(String::as_str).collect();
    let backward: Vec<_> = users.iter().rev().map(String::as_str).collect();
    a.register(&forward).await;
    for _ in 0..3 {
        tokio::join!(a.broadcast("ana", &forward, "a"), b.broadcast("ana", &backward, "b"));
    }
    for user in forward {
        let room = a.pair_room("ana", user).room_ref();
        let room = a.store.room(a.app, &room).await.expect("read").expect("opened");
        assert_eq!(a.chain(&room.id.to_string()).await.len(), 6);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_removed_through_one_node_cannot_post_through_another() {
    let (a, b) = two_nodes().await;
    let coming_and_going = async {
        for _ in 0..30 {
            assert_eq!(a.remove("support", &["bob"]).await.expect("removed").len(), 1);
            let refused = b.try_post("support", draft_by("bob", "from outside")).await;
            assert!(matches!(refusal(refused), Refusal::NotAParticipant { .. }));
            assert_eq!(a.add("support", &["bob"]).await.expect("added").len(), 1);
            assert_eq!(b.unread("bob", "support").await.map(|count| count < 100), Some(true));
        }
    };
    let posting = async {
        let mut count = 0;
        for _ in 0..100 {
            match b.try_post("support", draft_by("bob", "from inside")).await {
                Ok(_) => count += 1,
                Err(WriteError::Refused(Refusal::NotAParticipant { .. })) => {}
                Err(other) => panic!("neither posted nor refused: {other}"),
            }
            a.post("support", "ana", "hello").await;
        }
        count
    };
    let ((), of_bob) = tokio::join!(coming_and_going, posting);
    assert_eq!(a.chain("support").await.len(), 100 + of_bob);
    assert_eq!(a.participants("support").await, ["ana", "bob"]);
    b.post("support", "bob", "last").await;
    assert_eq!(a.unread("bob", "support").await, Some(0));
}
