//! Lists: a user's rooms, an app's users.

use confab_domain::rooms::room::RoomKind;
use confab_store::{RoomListing, UserColumn, UserListing};

use crate::world::reading::{EVERY_ROOM, EVERY_USER};
use crate::world::{World, named};

pub async fn rooms_are_listed_by_their_last_message_newest_first(world: &World) {
    world.register(&["ana", "bob"]).await;
    for room in ["first", "second", "third", "silent"] {
        world.open_group(room, &["ana", "bob"]).await;
    }
    world.open_group("not ana's", &["bob"]).await;
    for room in ["third", "first", "second", "not ana's"] {
        world.post(room, "bob", "hello").await;
    }
    check_rooms(world, &["second", "first", "third", "silent"]).await;
    let crashed = world.crashed().await;
    check_rooms(&crashed, &["second", "first", "third", "silent"]).await;
    let world = world.reopened().await;
    check_rooms(&world, &["second", "first", "third", "silent"]).await;
    world.post("third", "bob", "again").await;
    check_rooms(&world, &["third", "second", "first", "silent"]).await;
    world.remove("second", &["ana"]).await.expect("removed");
    check_rooms(&world, &["third", "first", "silent"]).await;
}

async fn check_rooms(world: &World, expected: &[&str]) {
    let (rooms, total) = world.rooms_of("ana", EVERY_ROOM).await;
    assert_eq!((rooms, total), (named(expected), expected.len() as u64));
}

pub async fn rooms_are_listed_by_kind_and_page_with_a_total(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("group", &["ana"]).await;
    world.open_channel("channel", &["ana"]).await;
    let single = world.broadcast("bob", &["ana"], "hello").await.remove(0).message.room;
    let single = world.room(&single.to_string()).await.unique_id.as_str().to_owned();
    world.post("channel", "ana", "hello").await;
    world.post("group", "ana", "hello").await;
    let of = async |kind, skipped, size| {
        world.rooms_of("ana", RoomListing { kind, skipped, size }).await
    };
    assert_eq!(of(None, 0, 2).await, (named(&["group", "channel"]), 3));
    assert_eq!(of(None, 2, 2).await, (named(&[&single]), 3));
    assert_eq!(of(None, u64::MAX, 2).await, (vec![], 3));
    assert_eq!(of(Some(RoomKind::Single), 0, 9).await, (named(&[&single]), 1));
    assert_eq!(of(Some(RoomKind::Public), 0, 9).await, (named(&["channel"]), 1));
    assert_eq!(of(Some(RoomKind::Group), 1, 9).await, (vec![], 1));
}

/// The System user is listed like other users; it is registered with the app.
pub async fn users_are_listed_by_each_column_in_both_directions(world: &World) {
    for (user, username) in [("cid", "b"), ("ana", "c"), ("bob", "a")] {
        world.stamps.advance_seconds(1);
        world.login(world.profile(user, username)).await.expect("registered");
    }
    world.stamps.advance_seconds(1);
    world.rename("cid", "d").await;
    for (order, expected) in [
        (UserColumn::CreatedAt, ["system@acme", "cid", "ana", "bob"]),
        (UserColumn::UpdatedAt, ["system@acme", "ana", "bob", "cid"]),
        (UserColumn::Username, ["system@acme", "bob", "ana", "cid"]),
        (UserColumn::UserId, ["ana", "bob", "cid", "system@acme"]),
    ] {
        let mut expected = named(&expected);
        let listing = UserListing { order, ..EVERY_USER };
        assert_eq!(world.users(listing).await, (expected.clone(), 4), "{order:?}");
        expected.reverse();
        let listing = UserListing { is_descending: true, ..listing };
        assert_eq!(world.users(listing).await, (expected, 4), "{order:?}, greatest first");
    }
}

pub async fn users_created_at_the_same_time_are_listed_in_the_order_of_registration(world: &World) {
    world.register(&["cid", "ana", "bob"]).await;
    let listing = UserListing { order: UserColumn::CreatedAt, ..EVERY_USER };
    let (users, _) = world.users(listing).await;
    assert_eq!(users, ["system@acme", "cid", "ana", "bob"]);
}

pub async fn deactivated_users_are_listed_and_counted_only_on_request(world: &World) {
    world.register(&["ana", "bob", "cid"]).await;
    world.set_active(&["bob"], false).await.expect("deactivated");
    assert_eq!(world.users(EVERY_USER).await, (named(&["ana", "cid", "system@acme"]), 3));
    let all = UserListing { shows_all: true, ..EVERY_USER };
    assert_eq!(world.users(all).await, (named(&["ana", "bob", "cid", "system@acme"]), 4));
    let second = UserListing { skipped: 1, size: 2, ..all };
    assert_eq!(world.users(second).await, (named(&["bob", "cid"]), 4));
    assert_eq!(world.users(UserListing { skipped: u64::MAX, ..all }).await, (vec![], 4));
}
