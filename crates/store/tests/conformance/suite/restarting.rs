//! Restarts: with a clock that went back, after a crash at a bad moment, and repeatedly.

use confab_domain::decision::stamp::Stamps;
use confab_domain::time::Timestamp;

use crate::stamps::MORNING;
use crate::world::{World, side_by_side};

const AN_HOUR_EARLIER: Timestamp = Timestamp(MORNING.0 - 3_600_000_000);

pub async fn message_ids_rise_after_the_clock_was_set_back(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    world.open_group("other", &["ana"]).await;
    let before = world.post("support", "ana", "before").await;
    let world = world.reopened_at(AN_HOUR_EARLIER).await;
    assert_eq!(world.stamps.now(), AN_HOUR_EARLIER);
    let elsewhere = world.post("other", "ana", "first in its room").await;
    let after = world.post("support", "ana", "after").await;
    assert!(before.id < elsewhere.id && elsewhere.id < after.id);
    assert_eq!(after.before, Some(before.id));
    assert!(after.posted_at < before.posted_at, "the time of the message is that of the clock");
    assert_eq!(world.texts("support", 1, 20).await, ["after", "before"]);
    assert_eq!(
        world.rooms_of("ana", crate::world::reading::EVERY_ROOM).await.0,
        ["support", "other"]
    );
}

pub async fn user_keys_rise_after_the_clock_was_set_back(world: &World) {
    world.open_channel("news", &[]).await;
    world.register(&["eve", "dan", "cid"]).await;
    let world = world.reopened_at(AN_HOUR_EARLIER).await;
    world.register(&["bob", "ana"]).await;
    world.open_channel("news", &["ana", "bob", "cid", "dan", "eve"]).await;
    // Keys are in the order of registration.
    assert_eq!(world.participants("news").await, ["eve", "dan", "cid", "bob", "ana"]);
}

pub async fn room_ids_rise_after_the_clock_was_set_back(world: &World) {
    let mut rooms = Vec::new();
    for room in ["one", "two", "three"] {
        rooms.push(world.open_group(room, &[]).await.id);
    }
    let world = world.reopened_at(AN_HOUR_EARLIER).await;
    rooms.push(world.open_group("four", &[]).await.id);
    assert!(rooms.is_sorted(), "{rooms:?}");
}

pub async fn repeated_restarts_and_crashes_lose_no_message(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    let (mut world, mut posted) = (world.clone(), Vec::new());
    for round in 0..6 {
        posted.extend(world.post_many("support", "ana", 33).await);
        world = if round % 2 == 0 { world.crashed().await } else { world.reopened().await };
        assert_eq!(world.chain("support").await, posted);
    }
}

/// More rooms than an engine writes in one commit: the crash happens halfway.
pub async fn a_crash_while_message_positions_are_written_loses_nothing(world: &World) {
    const ROOMS: usize = 300;
    world.register(&["ana", "bob"]).await;
    let openings = (0..ROOMS).map(|room| {
        let world = world.clone();
        async move {
            let room = format!("room-{room}");
            world.open_group(&room, &["ana", "bob"]).await;
            world.post_many(&room, "ana", 2).await;
            world.post(&room, "bob", "three").await;
        }
    });
    side_by_side(openings).await;
    world.write_behind_next().await;
    world.post("room-0", "ana", "four").await;
    let half_done = world.crashed().await;
    world.post("room-0", "ana", "five").await;
    check_rooms(&half_done, ROOMS, 4).await;
    check_rooms(&half_done.reopened().await, ROOMS, 4).await;
    check_rooms(&world.crashed().await, ROOMS, 5).await;
    check_rooms(&world.reopened().await, ROOMS, 5).await;
}

async fn check_rooms(world: &World, rooms: usize, in_first: usize) {
    assert_eq!(world.chain("room-0").await.len(), in_first);
    assert_eq!(world.unread("ana", "room-0").await, Some(0));
    assert_eq!(world.unread("bob", "room-0").await, Some(in_first as u64 - 3));
    for room in 1..rooms {
        let room = format!("room-{room}");
        assert_eq!(world.chain(&room).await.len(), 3);
        assert_eq!(world.unread("ana", &room).await, Some(1));
        assert_eq!(world.unread("bob", &room).await, Some(0));
    }
    assert_eq!(world.unread_in_all("ana").await, rooms as u64 - 1);
}

/// The machine stops during a commit: answered messages exist, and the rest is intact.
pub async fn a_crash_during_posts_loses_no_answered_message(world: &World) {
    world.register(&["ana"]).await;
    world.open_channel("news", &["ana"]).await;
    let answered = world.post_many("news", "ana", 50).await;
    let poster = world.clone();
    let posting = tokio::spawn(async move { poster.post_many("news", "ana", 50).await });
    let writer = world.hold_writer().await;
    let crashed = world.crashed().await;
    writer.release().await;
    posting.await.expect("posted");
    let chain = crashed.chain("news").await;
    assert_eq!(chain[..50], answered);
    let next = crashed.post("news", "ana", "after the crash").await;
    assert_eq!(next.number, chain.len() as u64 + 1);
    assert_eq!(crashed.chain("news").await.len(), chain.len() + 1);
    assert_eq!(world.chain("news").await.len(), 100);
}
