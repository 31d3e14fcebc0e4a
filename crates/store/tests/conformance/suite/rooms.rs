//! Rooms: changes, joining and leaving, visible to the next decision (design/message-api).

use confab_domain::ids::AppId;
use confab_domain::refusal::Refusal;

use crate::world::{World, draft_by, refusal, room_ref, side_by_side};

pub async fn a_room_is_stored_as_it_was_opened(world: &World) {
    world.register(&["ana"]).await;
    let room = world.open_group("support", &["ana"]).await;
    assert_eq!(world.room("support").await, *room);
    assert_eq!(world.room(&room.id.to_string()).await, *room);
    assert_eq!(world.reopened().await.room("support").await, *room);
}

pub async fn the_public_channels_of_an_app_are_listed_newest_first(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    for name in ["one", "two", "three"] {
        world.open_channel(name, &[]).await;
    }
    let listed = async |skipped, size| {
        let found = world.store.channels_of_app(world.app, skipped, size).await.expect("read");
        found.iter().map(|room| room.unique_id.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed(0, 100).await, ["three", "two", "one"]);
    assert_eq!(listed(1, 1).await, ["two"]);
    assert!(listed(3, 100).await.is_empty());
    let other = world.store.channels_of_app(AppId(world.app.0 + 1), 0, 100).await;
    assert!(other.expect("read").is_empty());
}

pub async fn a_unique_id_in_use_opens_no_second_room(world: &World) {
    let room = world.open_group("support", &[]).await;
    let refused = refusal(world.try_open_group("support", &[]).await);
    assert_eq!(refused, Refusal::RoomExists("support".to_owned()));
    let writer = world.hold_writer().await;
    let openings = (0..20).map(|_| {
        let world = world.clone();
        async move { world.open_channel("news", &[]).await }
    });
    let (opened, ()) = tokio::join!(side_by_side(openings), writer.release());
    assert_eq!(opened.iter().filter(|(is_changed, _)| *is_changed).count(), 1);
    assert!(opened.iter().all(|(_, news)| news.id == opened[0].1.id && news.id != room.id));
}

pub async fn a_renamed_room_has_its_new_name_in_reads_and_rules(world: &World) {
    world.register(&["ana"]).await;
    let room = world.open_group("support", &["ana"]).await;
    world.post("support", "ana", "so that the store remembers the room").await;
    world.stamps.advance_seconds(60);
    let (is_changed, renamed) = world.rename_room("support", "Help").await.expect("renamed");
    assert!(is_changed);
    assert_eq!(renamed.name, "Help");
    assert!(renamed.updated_at > room.updated_at);
    assert_eq!((&renamed.options, &renamed.avatar_url), (&room.options, &room.avatar_url));
    assert_eq!(world.room("support").await, *renamed);
    for named in ["support", &room.id.to_string()] {
        let event = world.post_system_event(named, "1").await.message.payload;
        assert_eq!(event.expect("a payload").as_str(), r#"[1,"Help"]"#, "by {named}");
    }
    let (is_changed, same) =
        world.rename_room("support", "Help").await.expect("an unchanged update succeeds");
    assert!(!is_changed);
    assert_eq!(same, renamed);
    assert_eq!(world.reopened().await.room("support").await, *renamed);
}

pub async fn a_removed_participant_cannot_post_until_added_again(world: &World) {
    world.register(&["ana", "bob"]).await;
    let room = world.open_group("support", &["ana", "bob"]).await;
    world.post("support", "bob", "one").await;
    let left = world.remove("support", &["bob"]).await.expect("removed");
    assert_eq!(left.len(), 1);
    let refused = refusal(world.try_post("support", draft_by("bob", "two")).await);
    let (user, id) = ("bob".to_owned(), room.id.to_string());
    assert_eq!(refused, Refusal::NotAParticipant { user, room: id });
    assert!(
        world
            .remove("support", &["bob"])
            .await
            .expect("removing an absent user succeeds")
            .is_empty()
    );
    assert_eq!(world.add("support", &["bob", "ana"]).await.expect("added").len(), 1);
    world.post("support", "bob", "three").await;
    assert_eq!(world.texts("support", 1, 20).await, ["three", "one"]);
}

/// The decisions are queued at once, so caches must include the changes of earlier ones.
pub async fn decisions_of_one_batch_see_each_others_changes(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    world.post("support", "bob", "one").await;
    let writer = world.hold_writer().await;
    let (removed, refused, added, posted, ()) = tokio::join!(
        world.remove("support", &["bob"]),
        world.try_post("support", draft_by("bob", "two")),
        world.add("support", &["bob"]),
        world.try_post("support", draft_by("bob", "three")),
        writer.release(),
    );
    assert_eq!(removed.expect("removed").len(), 1);
    assert!(matches!(refusal(refused), Refusal::NotAParticipant { .. }));
    assert_eq!(added.expect("added").len(), 1);
    assert_eq!(posted.expect("posted").message.number, 2);
    assert_eq!(world.texts("support", 1, 20).await, ["three", "one"]);
}

pub async fn participants_are_listed_in_the_order_of_registration(world: &World) {
    world.register(&["cid", "ana", "bob", "dan"]).await;
    world.open_group("support", &["bob", "cid"]).await;
    world.add("support", &["dan", "ana"]).await.expect("added");
    assert_eq!(world.participants("support").await, ["cid", "ana", "bob", "dan"]);
    let page = world.store.participants(world.app, &room_ref("support"), 1, 2).await;
    let page = page.expect("read").expect("the room exists");
    let names: Vec<_> = page.iter().map(|user| user.user_id.as_str()).collect();
    assert_eq!(names, ["ana", "bob"]);
    let past_the_end = world.store.participants(world.app, &room_ref("support"), u64::MAX, 9).await;
    assert_eq!(past_the_end.expect("read"), Some(vec![]));
    world.remove("support", &["ana"]).await.expect("removed");
    assert_eq!(world.participants("support").await, ["cid", "bob", "dan"]);
}

pub async fn an_unknown_user_prevents_opening_a_room_and_adding_participants(world: &World) {
    world.register(&["ana", "bob"]).await;
    let unknown = Refusal::UsersNotFound(vec!["eve".to_owned()]);
    assert_eq!(refusal(world.try_open_group("support", &["ana", "eve"]).await), unknown);
    let no_room = world.store.room(world.app, &room_ref("support")).await;
    assert_eq!(no_room.expect("read"), None);
    world.open_group("support", &["ana"]).await;
    assert_eq!(refusal(world.add("support", &["bob", "eve"]).await), unknown);
    assert_eq!(world.participants("support").await, ["ana"]);
}

pub async fn a_channel_accepts_posts_of_non_members_and_adds_members_by_name(world: &World) {
    world.register(&["ana", "bob"]).await;
    let (is_changed, room) = world.open_channel("news", &["ana"]).await;
    assert!(is_changed);
    world.post("news", "bob", "from outside").await;
    assert_eq!(world.participants("news").await, ["ana"]);
    let (is_changed, same) = world.open_channel("news", &["ana", "bob"]).await;
    assert_eq!((is_changed, same.id), (true, room.id));
    assert_eq!(world.participants("news").await, ["ana", "bob"]);
    assert!(!world.open_channel("news", &["bob"]).await.0, "every user is in the channel already");
}
