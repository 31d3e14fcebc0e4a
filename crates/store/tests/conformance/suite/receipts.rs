//! Positions of participants in a room, and the messages after one.

use confab_domain::ids::{MessageId, RoomId, UserKey};
use confab_store::ReadMark;

use crate::world::{World, everywhere};

/// Returns users with their read and received positions, sorted.
async fn marks(world: &World, room: &str, size: usize) -> Vec<(UserKey, u64, u64)> {
    let room = world.room(room).await.id;
    let found = world.store.marks(room, size).await.expect("read");
    let shown = |it: &ReadMark| (it.user, it.read_number, it.received_number);
    let mut found: Vec<_> = found.iter().map(shown).collect();
    found.sort();
    found
}

pub async fn marks_contain_the_positions_of_every_participant(world: &World) {
    world.register(&["cid", "ana", "bob"]).await;
    world.open_group("support", &["ana", "bob", "cid"]).await;
    world.open_group("elsewhere", &["ana", "bob"]).await;
    let posted = world.post_many("support", "ana", 4).await;
    world.post_many("elsewhere", "bob", 9).await;
    world.receive("bob", &posted[2]).await;
    world.read("bob", &posted[0]).await;
    world.read("cid", &posted[1]).await;
    let room = world.room("support").await.id;
    let mut keys = Vec::new();
    for user in ["cid", "ana", "bob"] {
        keys.push(world.user(user).await.key);
    }
    everywhere(world, async |world| {
        // A post marks as read, and a read message counts as received.
        let expected = [(keys[0], 2, 2), (keys[1], 4, 4), (keys[2], 1, 3)];
        assert_eq!(marks(world, "support", 10).await, expected);
        assert_eq!(marks(world, "support", 2).await.len(), 2, "limited to the requested size");
        let people = world.store.marked_people(room, 10).await.expect("read");
        let of_people = people.iter().map(|(user, mark)| {
            assert_eq!(user.key, mark.user);
            (user.user_id.as_str(), mark.read_number, mark.received_number)
        });
        assert_eq!(of_people.collect::<Vec<_>>(), [("cid", 2, 2), ("ana", 4, 4), ("bob", 1, 3)]);
        let some = world.store.marked_people(room, 1).await.expect("read");
        assert_eq!(some.len(), 1, "limited to the requested size");
        assert_eq!(some[0].0.user_id.as_str(), "cid", "in the order of registration");
        assert_eq!(world.store.marks(RoomId(1), 10).await.expect("read"), []);
        assert!(world.store.marked_people(RoomId(1), 10).await.expect("read").is_empty());
    })
    .await;
}

pub async fn the_clear_position_of_a_room_is_stored_per_participant(world: &World) {
    world.register(&["ana", "bob", "cid"]).await;
    let room = world.open_group("support", &["ana", "bob"]).await.id;
    let (ana, bob) = (world.user("ana").await.key, world.user("bob").await.key);
    let cid = world.user("cid").await.key;
    world.post_many("support", "ana", 3).await;
    world.clear("bob", "support").await;
    world.post("support", "ana", "after").await;
    let cleared = async |world: &World, room, user| {
        world.store.cleared_number(room, user).await.expect("read")
    };
    let world = everywhere(world, async |world| {
        assert_eq!(cleared(world, room, bob).await, Some(3));
        assert_eq!(cleared(world, room, ana).await, Some(0));
        assert_eq!(cleared(world, room, cid).await, None, "cid is not in the room");
        assert_eq!(cleared(world, RoomId(1), bob).await, None);
    })
    .await;
    world.remove("support", &["bob"]).await.expect("left");
    assert_eq!(cleared(&world, room, bob).await, None);
}

pub async fn a_message_is_found_only_for_participants_that_may_see_it(world: &World) {
    world.register(&["ana", "bob", "cid"]).await;
    let room = world.open_group("support", &["ana", "bob"]).await.id;
    world.open_group("elsewhere", &["cid"]).await;
    let mut posted = world.post_many("support", "ana", 3).await;
    posted.push(world.post("support", "bob", "four").await);
    world.delete(&[&posted[2]]).await;
    let other = world.another_app("other").await;
    other.register(&["ana"]).await;
    let (ana, bob) = (world.user("ana").await.key, world.user("bob").await.key);
    let strangers = [world.user("cid").await.key, other.user("ana").await.key, UserKey(1)];
    let place =
        async |world: &World, user, id| world.store.place_of_message(user, id).await.expect("read");
    let world = everywhere(world, async |world| {
        assert_eq!(place(world, bob, posted[1].id).await, Some((room, 2, ana)));
        assert_eq!(place(world, ana, posted[3].id).await, Some((room, 4, bob)));
        assert_eq!(place(world, ana, posted[2].id).await, None, "the message is deleted");
        assert_eq!(place(world, ana, MessageId(1)).await, None, "the message does not exist");
        for stranger in strangers {
            assert_eq!(place(world, stranger, posted[1].id).await, None, "not in the room");
        }
    })
    .await;
    world.clear("bob", "support").await;
    let five = world.post("support", "ana", "five").await;
    assert_eq!(place(&world, bob, posted[3].id).await, None, "bob cleared it");
    assert_eq!(place(&world, bob, five.id).await, Some((room, 5, ana)));
    assert_eq!(place(&world, ana, posted[3].id).await, Some((room, 4, bob)));
}

pub async fn messages_after_a_message_are_found_oldest_first_across_rows(world: &World) {
    world.register(&["ana", "bob"]).await;
    let room = world.open_group("support", &["ana", "bob"]).await.id;
    world.open_group("second", &["ana", "bob"]).await;
    let mut posted = Vec::new();
    for text in 1..=150 {
        posted.push(world.post("support", "ana", &text.to_string()).await);
        world.post("second", "ana", "elsewhere").await;
    }
    let (last, all) = (posted[149].id, posted.clone());
    world.delete(&[&posted[10], &posted[11]]).await;
    posted.drain(10..12);
    let ids: Vec<_> = posted.iter().map(|it| (it.id, it.number)).collect();
    everywhere(world, async |world| {
        let found = async |after: MessageId, number, size| {
            let found = world.store.following(room, after, number, size).await.expect("read");
            let found = found.iter().map(|it| {
                assert_eq!(it.key().room, room);
                (it.key().id, it.key().number)
            });
            found.collect::<Vec<_>>()
        };
        assert_eq!(found(MessageId(0), 0, 1000).await, ids);
        assert_eq!(found(MessageId(0), 0, 20).await, ids[..20], "limited to the requested size");
        assert_eq!(found(all[10].id, 0, 2).await, ids[10..12], "also after a deleted message");
        assert_eq!(found(MessageId(all[99].id.0 - 1), 0, 1).await, ids[97..98]);
        assert_eq!(
            found(all[4].id, 100, 5).await,
            ids[98..103],
            "cleared messages are not returned"
        );
        assert_eq!(found(all[120].id, 100, 1).await, ids[119..120]);
        assert_eq!(found(last, 0, 20).await, []);
        assert_eq!(found(MessageId(0), 150, 20).await, []);
        let nowhere = world.store.following(RoomId(1), MessageId(0), 0, 20).await;
        assert_eq!(nowhere.expect("read"), []);
    })
    .await;
}
