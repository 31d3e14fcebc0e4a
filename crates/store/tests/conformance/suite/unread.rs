//! Unread counts (design/message-api).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::world::{World, everywhere, room_ref, side_by_side, user_id};

pub async fn messages_of_others_count_as_unread_and_own_messages_do_not(world: &World) {
    world.register(&["ana", "bob", "cid"]).await;
    world.open_group("support", &["ana", "bob", "cid"]).await;
    assert_eq!(world.unread("ana", "support").await, Some(0), "an empty room");
    world.post("support", "ana", "one").await;
    world.post("support", "ana", "two").await;
    world.post("support", "bob", "three").await;
    everywhere(world, async |world| {
        assert_eq!(world.unread("ana", "support").await, Some(1));
        assert_eq!(world.unread("bob", "support").await, Some(0));
        assert_eq!(world.unread("cid", "support").await, Some(3));
    })
    .await;
}

pub async fn posting_marks_all_earlier_messages_as_read(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    world.post_many("support", "ana", 70).await;
    assert_eq!(world.unread("bob", "support").await, Some(70));
    world.post("support", "bob", "I am here").await;
    assert_eq!(world.unread("bob", "support").await, Some(0));
    world.post_many("support", "ana", 3).await;
    let world = everywhere(world, async |world| {
        assert_eq!(world.unread("bob", "support").await, Some(3));
        assert_eq!(world.unread("ana", "support").await, Some(0));
    })
    .await;
    // After the restart positions are on disk; new posts move them on.
    world.post("support", "bob", "still here").await;
    world.post("support", "ana", "good").await;
    everywhere(&world, async |world| {
        assert_eq!(world.unread("bob", "support").await, Some(1));
        assert_eq!(world.unread("ana", "support").await, Some(0));
    })
    .await;
}

pub async fn system_events_count_as_unread(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    world.post_system_event("support", "{}").await;
    everywhere(world, async |world| {
        assert_eq!(world.unread("ana", "support").await, Some(1));
    })
    .await;
}

pub async fn a_new_participant_has_no_unread_messages(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana"]).await;
    world.post_many("support", "ana", 5).await;
    assert_eq!(world.unread("bob", "support").await, None, "not in the room");
    world.add("support", &["bob"]).await.expect("added");
    assert_eq!(world.unread("bob", "support").await, Some(0));
    world.post("support", "ana", "welcome").await;
    everywhere(world, async |world| {
        assert_eq!(world.unread("bob", "support").await, Some(1));
    })
    .await;
}

pub async fn leaving_and_rejoining_a_room_resets_the_unread_count(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    world.post("support", "bob", "one").await;
    world.post_many("support", "ana", 4).await;
    assert_eq!(world.unread("bob", "support").await, Some(4));
    world.remove("support", &["bob"]).await.expect("removed");
    assert_eq!(world.unread("bob", "support").await, None);
    world.post("support", "ana", "missed").await;
    world.add("support", &["bob"]).await.expect("added");
    everywhere(world, async |world| {
        assert_eq!(world.unread("bob", "support").await, Some(0));
    })
    .await;
}

pub async fn joining_a_channel_after_posting_from_outside_counts_only_later_messages(
    world: &World,
) {
    world.register(&["ana", "bob"]).await;
    world.open_channel("news", &["ana"]).await;
    world.post("news", "bob", "from outside").await;
    assert_eq!(world.unread("bob", "news").await, None, "posting does not join");
    world.post("news", "ana", "join us").await;
    world.open_channel("news", &["bob"]).await;
    world.post("news", "ana", "welcome").await;
    everywhere(world, async |world| {
        assert_eq!(world.unread("bob", "news").await, Some(1));
        assert_eq!(world.unread("ana", "news").await, Some(0));
    })
    .await;
}

pub async fn deleting_a_message_lowers_the_unread_count_only_if_it_was_unread(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    let read = world.post("support", "ana", "read").await;
    let own = world.post("support", "bob", "own").await;
    let unread = world.post_many("support", "ana", 5).await;
    assert_eq!(world.unread("bob", "support").await, Some(5));
    world.delete(&[&read, &own]).await;
    assert_eq!(world.unread("bob", "support").await, Some(5));
    world.delete(&[&unread[0], &unread[4]]).await;
    let world = everywhere(world, async |world| {
        assert_eq!(world.unread("bob", "support").await, Some(3));
        assert_eq!(world.unread_in_all("bob").await, 3);
    })
    .await;
    world.delete(&[&unread[1], &unread[2], &unread[3]]).await;
    assert_eq!(world.unread("bob", "support").await, Some(0));
}

pub async fn the_total_unread_count_is_the_sum_over_the_users_rooms(world: &World) {
    world.register(&["ana", "bob"]).await;
    for room in ["one", "two", "empty"] {
        world.open_group(room, &["ana", "bob"]).await;
    }
    world.open_group("without bob", &["ana"]).await;
    world.open_channel("news", &["ana"]).await;
    for (room, count) in [("one", 2), ("two", 3), ("without bob", 4), ("news", 5)] {
        world.post_many(room, "ana", count).await;
    }
    let ids = [world.room("two").await.id, world.room("one").await.id];
    everywhere(world, async |world| {
        assert_eq!(world.unread_in_all("bob").await, 5);
        assert_eq!(world.unread_in_all("ana").await, 0);
        let asked = ["two", "news", "nowhere", "one", "two"].map(room_ref);
        let counts = world.store.unread(world.app, &user_id("bob"), &asked).await;
        let counts = counts.expect("read").expect("bob exists");
        assert_eq!(counts, [(ids[0], 3), (ids[1], 2)], "only the user's rooms, each once");
    })
    .await;
}

/// Only bob posts, so he never has unread messages.
pub async fn own_posts_are_never_unread_during_concurrent_reads(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    let is_done = Arc::new(AtomicBool::new(false));
    let readers = (0..4).map(|_| {
        let (world, is_done) = (world.clone(), is_done.clone());
        async move {
            while !is_done.load(Ordering::Relaxed) {
                assert_eq!(world.unread("bob", "support").await, Some(0));
                assert_eq!(world.unread_in_all("bob").await, 0);
            }
        }
    });
    let posts = async {
        for _ in 0..200 {
            world.post("support", "bob", "me again").await;
            world.write_behind_next().await;
        }
        is_done.store(true, Ordering::Relaxed);
    };
    tokio::join!(side_by_side(readers), posts);
}
