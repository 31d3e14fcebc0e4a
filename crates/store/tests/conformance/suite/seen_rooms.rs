//! Rooms as clients see them: lists, participants and their positions.

use confab_domain::ids::{RoomId, UserKey};
use confab_domain::messages::message::Message;
use confab_domain::rooms::room::{Room, RoomKind};
use confab_domain::rooms::room_view::{Mark, Participant, RoomForClient};
use confab_store::{ParticipantListing, SeenListing};

use crate::world::{World, everywhere, named};

/// Every room of a user, including rooms without messages.
const EVERY: SeenListing = SeenListing { kind: None, shows_empty: true, skipped: 0, size: 100 };

const FIRST: ParticipantListing = ParticipantListing { is_from_last: false, skipped: 0, size: 100 };

async fn rooms_of(world: &World, user: &str, listing: SeenListing) -> (Vec<String>, u64) {
    let key = world.user(user).await.key;
    let (rooms, total) = world.store.rooms_of_user(key, listing).await.expect("read");
    (rooms.into_iter().map(|room| room.unique_id.as_str().to_owned()).collect(), total)
}

pub async fn rooms_of_a_user_are_listed_with_or_without_empty_ones(world: &World) {
    world.register(&["ana", "bob"]).await;
    for room in ["first", "second", "silent", "silent too"] {
        world.open_group(room, &["ana", "bob"]).await;
    }
    world.open_channel("news", &["ana"]).await;
    world.open_group("not ana's", &["bob"]).await;
    for room in ["second", "news", "first", "not ana's"] {
        world.post(room, "bob", "hello").await;
    }
    everywhere(world, async |world| {
        let spoken = ["first", "news", "second"];
        let all = ["first", "news", "second", "silent too", "silent"];
        assert_eq!(rooms_of(world, "ana", EVERY).await, (named(&all), 5));
        let loud = SeenListing { shows_empty: false, ..EVERY };
        assert_eq!(rooms_of(world, "ana", loud).await, (named(&spoken), 3));
        let second = SeenListing { skipped: 2, size: 2, ..EVERY };
        assert_eq!(rooms_of(world, "ana", second).await, (named(&all[2..4]), 5));
        let past = SeenListing { skipped: 5, ..EVERY };
        assert_eq!(rooms_of(world, "ana", past).await.0, named(&[]));
        let channels = SeenListing { kind: Some(RoomKind::Public), ..EVERY };
        assert_eq!(rooms_of(world, "ana", channels).await, (named(&["news"]), 1));
        assert_eq!(world.store.rooms_of_user(UserKey(1), EVERY).await.expect("read"), (vec![], 0));
    })
    .await;
}

async fn seen(
    world: &World,
    by: &str,
    rooms: &[&str],
    participants_max: usize,
) -> Vec<RoomForClient> {
    let key = world.user(by).await.key;
    let mut found: Vec<Room> = Vec::new();
    for room in rooms {
        found.push(world.room(room).await);
    }
    world.store.seen_rooms(key, found, participants_max).await.expect("read")
}

fn last(room: &RoomForClient) -> Option<&str> {
    room.last.as_ref().map(|said| said.message.text.as_str())
}

fn people(found: &[Participant]) -> Vec<&str> {
    found.iter().map(|it| it.user.user_id.as_str()).collect()
}

pub async fn a_room_is_read_with_its_unread_count_last_message_and_clear_position(world: &World) {
    world.register(&["ana", "bob", "cid"]).await;
    for room in ["one", "two", "cleared", "silent"] {
        world.open_group(room, &["ana", "bob", "cid"]).await;
    }
    world.open_channel("news", &["ana"]).await;
    world.post_many("one", "ana", 2).await;
    world.post("one", "ana", "third").await;
    world.post("two", "bob", "kept").await;
    let gone = world.post("two", "bob", "gone").await;
    world.delete(&[&gone]).await;
    world.post("cleared", "ana", "before").await;
    world.clear("bob", "cleared").await;
    world.post("news", "ana", "heard").await;
    everywhere(world, async |world| {
        let asked = ["two", "one", "cleared", "silent", "news"];
        let found = seen(world, "bob", &asked, 2).await;
        let ids: Vec<_> = found.iter().map(|it| it.room.unique_id.as_str()).collect();
        assert_eq!(ids, asked, "in the requested order");
        assert_eq!(
            found.iter().map(last).collect::<Vec<_>>(),
            [Some("kept"), Some("third"), None, None, Some("heard")]
        );
        let counts = |it: &RoomForClient| (it.is_in, it.unread, it.cleared_number);
        assert_eq!(
            found.iter().map(counts).collect::<Vec<_>>(),
            [(true, 0, 0), (true, 3, 0), (true, 0, 1), (true, 0, 0), (false, 0, 0)]
        );
        let totals: Vec<_> = found.iter().map(|it| it.participants_total).collect();
        assert_eq!(totals, [3, 3, 3, 3, 1], "participants that are not returned count, too");
        assert_eq!(people(&found[0].participants), ["ana", "bob"], "the first registered users");
        let for_ana = seen(world, "ana", &["cleared"], 0).await.remove(0);
        assert_eq!((last(&for_ana), for_ana.unread), (Some("before"), 0));
        assert_eq!(for_ana.participants.len(), 0);
        assert_eq!(seen(world, "bob", &[], 2).await.len(), 0);
    })
    .await;
}

fn at(message: &Message) -> Mark {
    Mark { number: message.number, id: message.id.0 }
}

/// Returns the positions of participants.
fn marks(found: &[Participant]) -> Vec<(&str, Mark, Mark)> {
    found.iter().map(|it| (it.user.user_id.as_str(), it.read, it.received)).collect()
}

async fn who_is_in(world: &World, room: &str, which: ParticipantListing) -> Vec<Participant> {
    let room = world.room(room).await.id;
    world.store.who_is_in(room, which).await.expect("read")
}

pub async fn participants_are_listed_with_their_read_and_received_positions(world: &World) {
    world.register(&["cid", "ana", "bob", "dan"]).await;
    world.open_group("support", &["ana", "bob", "cid", "dan"]).await;
    let posted = world.post_many("support", "ana", 4).await;
    world.read("bob", &posted[1]).await;
    world.receive("bob", &posted[2]).await;
    world.receive("cid", &posted[0]).await;
    let (none, end) = (Mark::default(), at(&posted[3]));
    everywhere(world, async |world| {
        let expected = [
            ("cid", none, at(&posted[0])),
            ("ana", end, end),
            ("bob", at(&posted[1]), at(&posted[2])),
            ("dan", none, none),
        ];
        let found = who_is_in(world, "support", FIRST).await;
        assert_eq!(marks(&found), expected, "in the order of registration; posting marks as read");
        let some = ParticipantListing { skipped: 1, size: 2, ..FIRST };
        assert_eq!(marks(&who_is_in(world, "support", some).await), expected[1..3]);
        let last = ParticipantListing { is_from_last: true, skipped: 1, size: 2 };
        assert_eq!(people(&who_is_in(world, "support", last).await), ["bob", "ana"]);
        let past = ParticipantListing { skipped: 4, ..FIRST };
        assert_eq!(marks(&who_is_in(world, "support", past).await), []);
        let nowhere = world.store.who_is_in(RoomId(1), FIRST).await.expect("read");
        assert_eq!(nowhere.len(), 0);
        let seen = seen(world, "dan", &["support"], 10).await.remove(0);
        assert_eq!(marks(&seen.participants), expected);
    })
    .await;
}

pub async fn a_position_on_a_deleted_message_is_shown_at_the_previous_message(world: &World) {
    world.register(&["ana", "bob", "cid", "dan"]).await;
    world.open_group("support", &["ana", "bob", "cid", "dan"]).await;
    let posted = world.post_many("support", "ana", 6).await;
    for (user, read, received) in [("bob", 1, 3), ("cid", 4, 5), ("dan", 0, 2)] {
        world.read(user, &posted[read]).await;
        world.receive(user, &posted[received]).await;
    }
    world.delete(&[&posted[0], &posted[3], &posted[4]]).await;
    let shown_at = |number: usize, shown: usize| {
        let id = if shown == 0 { 0 } else { posted[shown - 1].id.0 };
        Mark { number: number as u64, id }
    };
    everywhere(world, async |world| {
        let found = who_is_in(world, "support", FIRST).await;
        let expected = [
            ("ana", shown_at(6, 6), shown_at(6, 6)),
            ("bob", shown_at(2, 2), shown_at(4, 3)),
            ("cid", shown_at(5, 3), shown_at(6, 6)),
            ("dan", shown_at(1, 0), shown_at(3, 3)),
        ];
        assert_eq!(marks(&found), expected);
    })
    .await;
}

pub async fn rooms_with_unread_messages_are_counted_once_each(world: &World) {
    world.register(&["ana", "bob"]).await;
    for room in ["one", "two", "read", "deleted", "silent"] {
        world.open_group(room, &["ana", "bob"]).await;
    }
    world.open_group("not bob's", &["ana"]).await;
    world.post_many("one", "ana", 3).await;
    world.post("two", "ana", "hello").await;
    world.read("bob", &world.post("read", "ana", "hello").await).await;
    world.delete(&[&world.post("deleted", "ana", "hello").await]).await;
    world.post("not bob's", "ana", "hello").await;
    let count = async |world: &World, user: &str| {
        let user = world.user(user).await.key;
        world.store.unread_rooms(user).await.expect("counted")
    };
    let world = everywhere(world, async |world| {
        assert_eq!((count(world, "bob").await, count(world, "ana").await), (2, 0));
        assert_eq!(world.store.unread_rooms(UserKey(1)).await.expect("counted"), 0);
    })
    .await;
    world.post("one", "bob", "I am here").await;
    assert_eq!((count(&world, "bob").await, count(&world, "ana").await), (1, 1));
}

pub async fn the_newest_message_across_a_users_rooms_is_found(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("one", &["ana", "bob"]).await;
    world.open_group("two", &["ana", "bob"]).await;
    world.open_group("not bob's", &["ana"]).await;
    let newest = async |world: &World, user: &str| {
        let user = world.user(user).await.key;
        world.store.newest_of_user(user).await.expect("read")
    };
    assert_eq!(newest(world, "bob").await, 0, "no message was posted");
    let two = world.post("two", "ana", "hello").await;
    let one = world.post("one", "ana", "hello").await;
    let other = world.post("not bob's", "ana", "hello").await;
    assert!(two.id < one.id && one.id < other.id);
    everywhere(world, async |world| {
        assert_eq!(newest(world, "bob").await, one.id.0);
        assert_eq!(newest(world, "ana").await, other.id.0);
        assert_eq!(world.store.newest_of_user(UserKey(1)).await.expect("read"), 0);
    })
    .await;
}
