//! Realms: a user id names one person within a realm only (D-0065).

use std::sync::Arc;

use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::ChannelId;
use confab_domain::people::registering::Profile;
use confab_domain::people::user::{Realm, User, UserRef};
use confab_domain::rooms::joining::AddParticipants;

use crate::world::reading::EVERY_USER;
use crate::world::{World, draft_by, room_ref, user_id};

const SMS: Realm = Realm::Channel(ChannelId(501));
const MAIL: Realm = Realm::Channel(ChannelId(502));

/// Registers a user of a realm, or changes their name.
async fn in_realm(world: &World, realm: Realm, user: &str, username: &str) -> Arc<User> {
    let new_token = format!("token of {user} in {}", realm.number());
    world
        .login(Profile { realm, new_token, ..world.profile(user, username) })
        .await
        .expect("registered")
}

/// Posts as exactly this user, and returns the sender.
async fn says(world: &World, room: &str, by: UserRef, text: &str) -> Option<Arc<User>> {
    let draft = confab_domain::messages::message::Draft { sender: by, ..draft_by("x", text) };
    world.try_post(room, draft).await.ok().map(|posted| posted.sender)
}

/// Adds exactly this user to a room.
async fn join(world: &World, room: &str, user: &User) {
    let (room, users) = (room_ref(room), vec![user.itself()]);
    world.decide(AddParticipants { room, users }).await.expect("joined");
}

pub async fn one_user_id_in_several_realms_names_several_users(world: &World) {
    let sms = in_realm(world, SMS, "ana", "Ana by SMS").await;
    world.register(&["ana"]).await;
    let mail = in_realm(world, MAIL, "ana", "Ana by mail").await;
    let own = world.user("ana").await;
    let mut keys = vec![own.key, sms.key, mail.key];
    keys.dedup();
    assert_eq!((keys.len(), own.realm, sms.realm), (3, Realm::App, SMS));
    assert_eq!(world.token("ana").await, format!("token of ana of {}", world.code.as_str()));
    let token = world.store.token_of(sms.key).await.expect("read").expect("it exists");
    let found =
        world.store.user_of_token(&token).await.expect("read").expect("the token has a user");
    assert_eq!((found.key, found.realm), (sms.key, SMS));
    in_realm(world, SMS, "ana", "Renamed").await;
    let names =
        |users: Vec<User>| -> Vec<String> { users.into_iter().map(|user| user.username).collect() };
    let named = world.store.users_named(world.app, &user_id("ana")).await.expect("read");
    assert_eq!(names(named), ["ana", "Renamed", "Ana by mail"]);
    let (listed, total) = world.users(EVERY_USER).await;
    let system = format!("system@{}", world.code.as_str());
    assert_eq!(
        (listed, total),
        (vec!["ana".to_owned(), system], 2),
        "only the app's own users are listed"
    );
    world.set_active(&["ana"], false).await.expect("done");
    let named = world.store.users_named(world.app, &user_id("ana")).await.expect("read");
    assert_eq!(named.iter().map(|it| it.is_active).collect::<Vec<_>>(), [false, true, true]);
}

pub async fn a_user_id_resolves_to_the_participant_in_a_room_and_to_the_apps_user_elsewhere(
    world: &World,
) {
    world.register(&["ana", "bob"]).await;
    let sms = in_realm(world, SMS, "ana", "Ana by SMS").await;
    world.open_group("one", &["bob"]).await;
    world.open_group("two", &["ana", "bob"]).await;
    join(world, "one", &sms).await;
    let own = world.user("ana").await;
    let named = || UserRef::from(user_id("ana"));
    let posted = says(world, "one", named(), "hello").await.expect("posted");
    assert_eq!(posted.key, sms.key);
    assert_eq!(says(world, "two", named(), "hello").await.expect("posted").key, own.key);
    assert!(
        says(world, "one", own.itself(), "hello").await.is_none(),
        "the sender is not in the room"
    );
    assert!(
        says(world, "two", sms.itself(), "hello").await.is_none(),
        "the sender is not in the room"
    );
    assert!(says(world, "one", sms.itself(), "hello").await.is_some());
    assert_eq!(
        world.add("one", &["ana"]).await.expect("added").len(),
        0,
        "ana is in the room already"
    );
    assert_eq!(world.participants("one").await, ["bob", "ana"]);
    assert_eq!(world.unread("ana", "one").await, Some(0));
    says(world, "one", UserRef::from(user_id("bob")), "hello").await.expect("posted");
    assert_eq!(
        world.unread("ana", "one").await,
        Some(1),
        "counted for the participant of the room"
    );
    assert_eq!(world.unread("ana", "two").await, Some(0));
    let left = world.remove("one", &["ana"]).await.expect("left");
    assert_eq!(left.iter().map(|it| it.key).collect::<Vec<_>>(), [sms.key]);
    assert!(says(world, "one", named(), "hello").await.is_none());
}

pub async fn a_user_id_resolves_to_a_customer_only_for_users_in_a_shared_room(world: &World) {
    world.register(&["bob", "cid"]).await;
    let sms = in_realm(world, SMS, "ana", "Ana by SMS").await;
    world.open_group("one", &["bob"]).await;
    join(world, "one", &sms).await;
    let (bob, cid) = (world.user("bob").await, world.user("cid").await);
    let meant = async |by: &User| {
        let names = [user_id("ana"), user_id("nobody")];
        let meant = world.store.meant_by(by, &names).await.expect("read");
        meant.into_iter().map(|(key, _)| key).collect::<Vec<_>>()
    };
    assert_eq!(meant(&bob).await, [sms.key]);
    assert_eq!(meant(&sms).await, [sms.key]);
    assert_eq!(meant(&cid).await, []);
    world.register(&["ana"]).await;
    let own = world.user("ana").await;
    assert_eq!(meant(&bob).await, [sms.key]);
    assert_eq!(meant(&cid).await, [own.key]);
    assert_eq!(meant(&own).await, [own.key]);
}

pub async fn a_channel_user_is_resolved_despite_a_cached_app_user_with_the_same_id(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("one", &["ana", "bob"]).await;
    let own = world.user("ana").await;
    let named = || UserRef::from(user_id("ana"));
    assert_eq!(says(world, "one", named(), "hello").await.expect("posted").key, own.key);
    let sms = in_realm(world, SMS, "ana", "Ana by SMS").await;
    join(world, "one", &sms).await;
    assert_eq!(says(world, "one", named(), "hello").await.expect("posted").key, own.key);
    world.remove("one", &["ana"]).await.expect("left");
    let posted = says(world, "one", named(), "hello").await.expect("posted");
    assert_eq!((posted.key, &*posted.username), (sms.key, "Ana by SMS"));
    in_realm(world, SMS, "ana", "Renamed").await;
    assert_eq!(says(world, "one", named(), "hello").await.expect("posted").username, "Renamed");
    assert_eq!(world.user("ana").await.username, "ana");
}

pub async fn concurrent_registrations_create_one_user_per_user_id_and_realm(world: &World) {
    world.register(&["ana"]).await;
    let mut running = tokio::task::JoinSet::new();
    for at in 0..20 {
        let realm = if at % 2 == 0 { SMS } else { MAIL };
        let world = world.clone();
        running.spawn(async move { in_realm(&world, realm, "ana", "Ana").await });
    }
    let mut keys: Vec<_> = running.join_all().await.iter().map(|it| it.key).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 2);
    let question = Question { users: vec![user_id("ana")], ..Question::default() };
    let count = world.store.decide(world.app, question, |facts: &Facts, _: &Stamp<'_>| {
        Ok(confab_domain::decision::rule::Decision::nothing(facts.users.len()))
    });
    assert_eq!(count.await.expect("read"), 3);
}
