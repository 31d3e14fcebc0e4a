//! Events after a gap: complete, only of the user's rooms, in the order of ids.

use confab_domain::ids::{EventId, MessageId};
use confab_domain::messages::room_event::RoomEvent;
use confab_domain::rooms::room::RoomRef;

use crate::world::clients::in_words;
use crate::world::{World, everywhere};

async fn two_in_a_room(world: &World) {
    world.register(&["ana", "bob", "cid"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    world.open_group("elsewhere", &["cid"]).await;
}

pub async fn events_of_a_users_rooms_are_read_in_the_order_of_ids(world: &World) {
    two_in_a_room(world).await;
    let one = world.post("support", "ana", "one").await;
    let two = world.post("support", "ana", "two").await;
    world.post("elsewhere", "cid", "secret").await;
    assert!(world.receive("bob", &one).await);
    assert!(world.read("bob", &two).await);
    world.edit("ana", &two, "two!").await;
    let three = world.post("support", "bob", "three").await;
    world.delete_own("ana", &one).await;
    for world in [world, &world.crashed().await, &world.reopened().await] {
        // A message read and received by the same event is shown once; a post marks as read.
        let all =
            ["ana says two!", "bob read 3", "ana edits two!", "bob says three", "ana deletes 1"];
        assert_eq!(world.happened_after("ana", 0).await, all);
        let after = world.happened_after("bob", three.id.0).await;
        assert_eq!(after, ["ana deletes 1"]);
        assert_eq!(world.happened_after("cid", 0).await, ["cid says secret"]);
    }
}

pub async fn events_read_in_steps_have_no_gap(world: &World) {
    two_in_a_room(world).await;
    world.open_group("second", &["ana", "bob"]).await;
    let mut last = None;
    for text in 1..=40 {
        let room = if text % 3 == 0 { "second" } else { "support" };
        let message = world.post(room, "ana", &text.to_string()).await;
        if text % 5 == 0 {
            world.edit("ana", &message, &format!("{text}!")).await;
        }
        if text % 7 == 0 {
            world.delete(&[&message]).await;
        }
        last = Some(message);
    }
    world.read("bob", &last.expect("posted")).await;
    let all = world.events_after("bob", 0, 1000).await;
    assert!(all.is_sorted_by_key(|event| event.id), "in the order of ids");
    let (mut after, mut steps) = (0, Vec::new());
    loop {
        let some = world.events_after("bob", after, 3).await;
        let Some(last) = some.last() else { break };
        after = last.id.0;
        steps.extend(some);
    }
    assert_eq!(steps, all);
    // One by one, as nodes look them up after a notification.
    for event in &all {
        let found = world.store.event(event.room, event.id).await.expect("read");
        assert_eq!(found.as_ref(), Some(event), "{}", in_words(event));
    }
    let bob = world.user("bob").await.key;
    let changes = world.store.changes_after(bob, EventId(0), 1000).await.expect("read");
    let others: Vec<_> = all.into_iter().filter(|it| !in_words(it).contains("says")).collect();
    assert_eq!(changes, others);
}

pub async fn an_event_is_found_by_room_and_id_until_it_is_deleted_or_replaced(world: &World) {
    two_in_a_room(world).await;
    let one = world.post("support", "ana", "one").await;
    let two = world.post("support", "ana", "two").await;
    let gone = world.post("support", "ana", "gone").await;
    world.edit("ana", &gone, "gone!").await;
    world.read("bob", &one).await;
    let before = world.events_after("bob", 0, 10).await;
    world.delete(&[&gone]).await;
    world.read("bob", &two).await;
    let (room, elsewhere) = (one.room, world.room("elsewhere").await.id);
    let found = async |world: &World, room, id| {
        let found = world.store.event(room, id).await.expect("read");
        found.as_ref().map(in_words)
    };
    everywhere(world, async |world| {
        // Events of the deleted message are gone, and a newer receipt replaces the older one.
        let mut left = Vec::new();
        for event in &before {
            left.extend(found(world, room, event.id).await);
            assert_eq!(
                found(world, elsewhere, event.id).await,
                None,
                "the event is not in that room"
            );
        }
        assert_eq!(left, ["ana says one", "ana says two"]);
        let newest = world.events_after("bob", 0, 10).await.pop().expect("read");
        assert_eq!(found(world, room, newest.id).await.as_deref(), Some("bob read 2"));
        assert_eq!(found(world, room, EventId(1)).await, None);
    })
    .await;
}

pub async fn changes_of_messages_are_read_in_the_order_of_ids_up_to_the_requested_size(
    world: &World,
) {
    two_in_a_room(world).await;
    let one = world.post("support", "ana", "one").await;
    for text in ["a", "b", "c", "d", "e"] {
        world.edit("ana", &one, text).await;
    }
    world.delete_own("ana", &world.post("support", "ana", "two").await).await;
    let bob = world.user("bob").await.key;
    everywhere(world, async |world| {
        let after =
            async |after, size| world.store.changes_after(bob, after, size).await.expect("read");
        let all = after(EventId(0), 100).await;
        assert_eq!(all.len(), 6);
        assert!(all.is_sorted_by_key(|event| event.id), "in the order of ids");
        assert_eq!(in_words(&all[5]), "ana deletes 1");
        assert_eq!(after(EventId(0), 4).await, all[..4]);
        assert_eq!(after(all[1].id, 2).await, all[2..4]);
        assert_eq!(after(all[5].id, 100).await, []);
        let cid = world.user("cid").await.key;
        let others = world.store.changes_after(cid, EventId(0), 100).await.expect("read");
        assert_eq!(others, [], "not in the room");
    })
    .await;
}

pub async fn edited_messages_are_found_in_any_range_of_a_room(world: &World) {
    two_in_a_room(world).await;
    let mut said = Vec::new();
    for text in ["one", "two", "three"] {
        said.push(world.post("support", "ana", text).await);
    }
    for message in [&said[0], &said[2], &said[2]] {
        world.edit("ana", message, "again").await;
    }
    everywhere(world, async |world| {
        let edited = async |first: usize, last: usize| {
            let stretch = (said[first].id, said[last].id);
            world.store.edited(said[0].room, stretch).await.expect("read")
        };
        assert_eq!(edited(0, 2).await, [said[0].id, said[2].id]);
        assert_eq!(edited(1, 1).await, []);
    })
    .await;
}

pub async fn large_events_are_read_in_bounded_parts_without_a_gap(world: &World) {
    two_in_a_room(world).await;
    world.open_group("second", &["ana", "bob"]).await;
    let large = "x".repeat(100_000);
    let mut expected = Vec::new();
    for number in 0..9 {
        let room = if number % 2 == 0 { "second" } else { "support" };
        let message = world.post(room, "ana", &large).await;
        expected.push(message.id.0);
        if number % 3 == 0 {
            world.edit("ana", &message, &large).await;
        }
    }
    let bob = world.user("bob").await.key;
    let (mut found, mut reads) = (Vec::new(), 0);
    loop {
        let after = found.last().map_or(EventId(0), |event: &RoomEvent| event.id);
        let read = world.store.events_after(bob, after, 200).await.expect("read");
        found.extend(read.events);
        reads += 1;
        if !read.has_more {
            break;
        }
    }
    // New messages and changes are bounded separately: at most three of each per read.
    assert!((3..=12).contains(&reads), "1.2 MB in {reads} reads");
    assert!(found.is_sorted_by_key(|event| event.id), "in the order of ids");
    let said = found.iter().filter(|it| in_words(it).contains("says"));
    assert_eq!(said.map(|it| it.id.0).collect::<Vec<_>>(), expected);
    assert_eq!(found.iter().filter(|it| in_words(it).contains("edits")).count(), 3);
    let changes = world.store.changes_after(bob, EventId(0), 100).await.expect("read");
    assert_eq!(changes.len(), 3, "changes are never truncated");
}

pub async fn messages_after_an_id_are_read_across_rooms_oldest_first(world: &World) {
    two_in_a_room(world).await;
    world.open_group("second", &["ana", "bob"]).await;
    let mut posted = Vec::new();
    for text in 1..=150 {
        let room = if text % 2 == 0 { "second" } else { "support" };
        posted.push(world.post(room, "ana", &text.to_string()).await);
    }
    world.delete(&[&posted[10], &posted[11]]).await;
    posted.drain(10..12);
    let bob = world.user("bob").await.key;
    for world in [world, &world.crashed().await, &world.reopened().await] {
        let found = async |after: i64, size| {
            let found = world.store.messages_after(bob, MessageId(after), size).await;
            let found = found.expect("read").into_iter();
            found.map(|it| (it.key().id, it.key().room)).collect::<Vec<_>>()
        };
        let places: Vec<_> = posted.iter().map(|it| (it.id, it.room)).collect();
        assert_eq!(found(0, 1000).await, places);
        assert_eq!(found(posted[70].id.0, 20).await, places[71..91]);
        assert_eq!(found(posted[147].id.0, 20).await, []);
    }
}

pub async fn messages_in_the_room_of_the_last_message_are_never_late(world: &World) {
    two_in_a_room(world).await;
    world.post("support", "ana", "one").await;
    let last = world.post("support", "ana", "two").await;
    let bob = world.user("bob").await.key;
    let late = world.store.late_messages(bob, last.id, last.posted_at).await.expect("read");
    assert!(late.is_empty());
}

pub async fn clearing_a_room_hides_earlier_events_from_that_user_only(world: &World) {
    two_in_a_room(world).await;
    let one = world.post("support", "ana", "one").await;
    world.clear("bob", "support").await;
    world.edit("ana", &one, "one!").await;
    world.post("support", "ana", "two").await;
    assert_eq!(world.unread("bob", "support").await, Some(1), "cleared messages are not unread");
    for world in [world, &world.reopened().await] {
        assert_eq!(world.happened_after("bob", 0).await, ["bob clears 1", "ana says two"]);
        let for_ana = ["ana says one!", "ana edits one!", "ana says two"];
        assert_eq!(world.happened_after("ana", 0).await, for_ana);
    }
}

pub async fn hiding_messages_affects_reads_of_that_user_only(world: &World) {
    two_in_a_room(world).await;
    let mut posted = Vec::new();
    for text in ["one", "two", "three", "four"] {
        posted.push(world.post("support", "ana", text).await);
    }
    for hidden in [0, 2, 3] {
        world.hide("bob", &posted[hidden]).await;
        world.hide("bob", &posted[hidden]).await;
    }
    world.edit("ana", &posted[2], "three!").await;
    world.edit("ana", &posted[1], "two!").await;
    let (ana, bob) = (world.user("ana").await.key, world.user("bob").await.key);
    let room = posted[0].room;
    for world in [world, &world.crashed().await, &world.reopened().await] {
        let mut hidden = world.store.hidden_numbers(room, bob).await.expect("read");
        hidden.sort_unstable();
        assert_eq!(hidden, [1, 3, 4]);
        assert!(world.store.hidden_numbers(room, ana).await.expect("read").is_empty());
        assert_eq!(world.unread("bob", "support").await, Some(1));
        assert_eq!(world.store.unread_in_all(bob).await.expect("read"), 1);
        assert_eq!(world.store.unread_rooms(bob).await.expect("read"), 1);
        assert_eq!(world.happened_after("bob", 0).await, ["ana says two!", "ana edits two!"]);
        assert_eq!(world.happened_after("ana", 0).await.len(), 6);
        let found = world.store.messages_after(bob, MessageId(0), 1).await.expect("read");
        assert_eq!(found.iter().map(|it| it.key().number).collect::<Vec<_>>(), [2]);
        for (user, last) in [(bob, 2), (ana, 4)] {
            let found = world.store.room(world.app, &RoomRef::Id(room)).await;
            let found = found.expect("read").expect("a room");
            let seen = world.store.seen_rooms(user, vec![found], 2).await.expect("read");
            let shown = seen[0].last.as_ref().map(|said| said.message.number);
            assert_eq!(shown, Some(last));
            assert_eq!(seen[0].unread, u64::from(user == bob));
        }
    }
}

pub async fn hidden_messages_are_not_unread_and_deleting_them_lowers_no_count(world: &World) {
    two_in_a_room(world).await;
    let bob = world.user("bob").await.key;
    let mut posted = Vec::new();
    for text in ["one", "two", "three", "four"] {
        posted.push(world.post("support", "ana", text).await);
    }
    world.hide("bob", &posted[3]).await;
    world.read("bob", &posted[1]).await;
    assert_eq!(world.unread("bob", "support").await, Some(1));
    world.hide("bob", &posted[2]).await;
    assert_eq!(world.unread("bob", "support").await, Some(0));
    world.delete(&[&posted[3]]).await;
    assert_eq!(
        world.unread("bob", "support").await,
        Some(0),
        "a deleted message is unread for no user"
    );
    assert_eq!(world.store.unread_rooms(bob).await.expect("read"), 0);
    let five = world.post("support", "ana", "five").await;
    assert_eq!(world.unread("bob", "support").await, Some(1));
    world.hide("bob", &five).await;
    assert_eq!(world.unread("bob", "support").await, Some(0));
}

pub async fn missed_channel_events_are_the_posts_and_edits_of_that_channel(world: &World) {
    two_in_a_room(world).await;
    let channel = world.open_channel("news", &["ana"]).await.1.id;
    let one = world.post("news", "ana", "one").await;
    let two = world.post("news", "ana", "two").await;
    world.post("support", "ana", "elsewhere").await;
    world.read("bob", &world.post("support", "ana", "read").await).await;
    world.edit("ana", &two, "two!").await;
    world.clear("ana", "news").await;
    let three = world.post("news", "ana", "three").await;
    world.delete(&[&three]).await;
    world.post("news", "ana", "four").await;
    for world in [world, &world.crashed().await, &world.reopened().await] {
        let found = async |after: i64, size| {
            let found = world.store.channel_events_after(channel, EventId(after), size).await;
            found.expect("read").events.iter().map(in_words).collect::<Vec<_>>()
        };
        let all = ["ana says one", "ana says two!", "ana edits two!", "ana says four"];
        assert_eq!(found(0, 100).await, all);
        assert_eq!(found(0, 2).await, all[..2]);
        assert_eq!(found(one.id.0, 2).await, all[1..3]);
        assert_eq!(found(two.id.0, 100).await, all[2..]);
    }
}

pub async fn receipts_only_advance_and_lower_the_unread_count(world: &World) {
    two_in_a_room(world).await;
    let posted = world.post_many("support", "ana", 70).await;
    assert_eq!(world.unread("bob", "support").await, Some(70));
    assert!(world.receive("bob", &posted[40]).await);
    assert_eq!(
        world.unread("bob", "support").await,
        Some(70),
        "a received message is still unread"
    );
    assert!(world.read("bob", &posted[59]).await);
    assert!(!world.read("bob", &posted[20]).await);
    assert!(!world.receive("bob", &posted[59]).await, "a read message counts as received");
    for world in [world, &world.crashed().await, &world.reopened().await] {
        assert_eq!(world.unread("bob", "support").await, Some(10));
        assert_eq!(world.unread_in_all("bob").await, 10);
    }
}

pub async fn old_events_are_purged_and_newer_ones_stay(world: &World) {
    two_in_a_room(world).await;
    let one = world.post("support", "ana", "one").await;
    world.edit("ana", &one, "one!").await;
    world.edit("ana", &one, "one!!").await;
    let two = world.post("support", "ana", "two").await;
    world.edit("ana", &two, "two!").await;
    let forgotten = world.store.purge_events(EventId(two.id.0)).await.expect("written");
    assert_eq!(forgotten, 2);
    assert_eq!(world.store.purge_events(EventId(two.id.0)).await.expect("written"), 0);
    let left = ["ana says one!!", "ana says two!", "ana edits two!"];
    assert_eq!(world.happened_after("bob", 0).await, left);
}
