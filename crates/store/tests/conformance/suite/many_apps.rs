//! Isolation of apps: nothing of one app is found with the id of another.

use confab_domain::agents::role::Role;
use confab_domain::app::AppCode;
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{AppId, MessageId};
use confab_domain::messages::message::{Message, MessageRef};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_store::NewAgentAccount;

use crate::world::reading::{EVERY_ROOM, EVERY_USER};
use crate::world::{World, draft_by, everywhere, new_app, refusal, room_ref, user_id};

/// Data of the first app that the second one must not find.
struct Theirs {
    room: Room,
    given: Message,
    made: Message,
}

impl Theirs {
    /// Creates the users ana and bob, and the room `support` with two messages.
    async fn of(world: &World) -> Self {
        world.register(&["ana", "bob"]).await;
        let room = world.open_group("support", &["ana", "bob"]).await;
        let once = UniqueId::parse("unique_temp_id", "once").expect("valid");
        let given =
            world.post_once("support", "ana", "given", &once).await.expect("posted").message;
        let made = world.post("support", "ana", "made").await;
        Self { room: (*room).clone(), given, made }
    }

    /// Returns all references to the room.
    fn rooms(&self) -> [RoomRef; 3] {
        let (id, unique_id) = (self.room.id, self.room.unique_id.clone());
        [RoomRef::Id(id), room_ref(&id.to_string()), RoomRef::Unique(unique_id)]
    }

    /// Returns all references to the messages.
    fn messages(&self) -> Vec<MessageRef> {
        let both = [&self.given, &self.made];
        let ids = both.map(|message| MessageRef::Id(message.id));
        let unique_ids = both.map(|message| MessageRef::Unique(message.unique_id()));
        ids.into_iter().chain(unique_ids).collect()
    }
}

pub async fn no_read_returns_data_of_another_app(world: &World) {
    let theirs = Theirs::of(world).await;
    let other = world.another_app("other").await;
    other.register(&["eve"]).await;
    check_reads(&other, &theirs).await;
    check_reads(&other.reopened().await, &theirs).await;
}

async fn check_reads(other: &World, theirs: &Theirs) {
    let (store, app, ana) = (&other.store, other.app, user_id("ana"));
    for room in theirs.rooms() {
        assert_eq!(store.room(app, &room).await.expect("read"), None);
        assert_eq!(store.rooms(app, std::slice::from_ref(&room)).await.expect("read"), []);
        assert_eq!(store.page(app, &room, 0, 20).await.expect("read"), None);
        let ids = (MessageId(0), MessageId(i64::MAX));
        assert_eq!(store.range(app, &room, ids, 20).await.expect("read"), None);
        assert_eq!(store.participants(app, &room, 0, 20).await.expect("read"), None);
        let unread = store.unread(app, &user_id("eve"), &[room]).await.expect("read");
        assert_eq!(unread, Some(vec![]), "eve is a user of this app, but the room is not in it");
    }
    assert_eq!(store.user(app, &ana).await.expect("read"), None);
    assert_eq!(store.token(app, &ana).await.expect("read"), None);
    assert_eq!(store.unread(app, &ana, &theirs.rooms()).await.expect("read"), None);
    assert_eq!(store.users_named(app, &ana).await.expect("read"), []);
    assert_eq!(other.users(EVERY_USER).await, (vec!["eve".into(), "system@other".into()], 2));
    assert_eq!(other.rooms_of("eve", EVERY_ROOM).await, (vec![], 0));
    let rooms = store.user_rooms(app, theirs.given.sender, EVERY_ROOM).await.expect("read");
    assert_eq!(rooms, (vec![], 0), "ana has rooms, but not in this app");
}

pub async fn no_rule_receives_facts_of_another_app(world: &World) {
    let theirs = Theirs::of(world).await;
    let other = world.another_app("other").await;
    let rooms = theirs.rooms().to_vec();
    let users = ["ana", "bob", "system@acme"];
    // The store may have cached the facts that the first app just used.
    let found = world.facts_found(rooms.clone(), &users, theirs.messages()).await;
    assert_eq!(found, (3, 3, 4), "the app itself finds everything");
    let found = other.facts_found(rooms.clone(), &users, theirs.messages()).await;
    assert_eq!(found, (0, 0, 0));
    let found = other.reopened().await.facts_found(rooms, &users, theirs.messages()).await;
    assert_eq!(found, (0, 0, 0));
}

pub async fn no_write_changes_another_app(world: &World) {
    let theirs = Theirs::of(world).await;
    let other = world.another_app("other").await;
    other.register(&["eve"]).await;
    let room = theirs.room.id.to_string();
    for room in theirs.rooms() {
        let refused = refusal(other.try_post_into(room.clone(), draft_by("eve", "hi")).await);
        assert_eq!(refused, Refusal::RoomNotFound(room.shown()));
    }
    other.open_group("support", &["eve"]).await;
    let stranger = Refusal::UsersNotFound(vec!["ana".to_owned()]);
    assert_eq!(refusal(other.try_post("support", draft_by("ana", "hi")).await), stranger);
    assert_eq!(refusal(other.add("support", &["ana"]).await), stranger);
    assert_eq!(refusal(other.set_active(&["ana"], false).await), stranger);
    assert_eq!(refusal(other.reset_token("ana", "stolen").await), stranger);
    let no_room = Refusal::RoomNotFound(room.clone());
    assert_eq!(refusal(other.rename_room(&room, "Mine").await), no_room);
    assert_eq!(refusal(other.add(&room, &["eve"]).await), no_room);
    assert_eq!(refusal(other.remove(&room, &["eve"]).await), no_room);
    for message in [&theirs.given, &theirs.made] {
        refusal(other.try_delete(vec![message.unique_id()]).await);
    }
    assert_eq!(world.texts("support", 1, 20).await, ["made", "given"]);
    assert_eq!(world.participants("support").await, ["ana", "bob"]);
    assert_eq!(world.room("support").await, theirs.room);
    assert!(world.user("ana").await.is_active);
    assert_eq!(world.token("ana").await, "token of ana of acme");
}

pub async fn equal_room_and_user_ids_in_two_apps_are_different_rooms_and_users(world: &World) {
    let ours = Theirs::of(world).await;
    let other = world.another_app("other").await;
    let theirs = Theirs::of(&other).await;
    assert_ne!(ours.room.id, theirs.room.id);
    other.post("support", "bob", "only theirs").await;
    other.rename("ana", "Another Ana").await;
    other.rename_room("support", "Another room").await.expect("renamed");
    other.remove("support", &["ana"]).await.expect("removed");
    for (world, other) in [(world, &other), (&world.crashed().await, &other.crashed().await)] {
        assert_eq!(world.texts("support", 1, 20).await, ["made", "given"]);
        assert_eq!(other.texts("support", 1, 20).await, ["only theirs", "made", "given"]);
        assert_eq!(world.user("ana").await.username, "ana");
        assert_eq!(other.user("ana").await.username, "Another Ana");
        assert_eq!(world.room("support").await, ours.room);
        assert_eq!(world.unread("bob", "support").await, Some(2));
        assert_eq!(other.unread("bob", "support").await, Some(0));
        world.post("support", "ana", "still here").await;
        world.delete(&[&world.chain("support").await[2]]).await;
    }
}

/// Digits are a room id first and a unique id second, but only for rooms of the app.
pub async fn a_room_id_of_another_app_can_be_a_unique_id_in_this_app(world: &World) {
    let theirs = Theirs::of(world).await;
    let other = world.another_app("other").await;
    other.register(&["eve"]).await;
    let digits = theirs.room.id.to_string();
    let own = other.open_group(&digits, &["eve"]).await;
    let posted = other.post(&digits, "eve", "mine").await;
    assert_eq!(posted.room, own.id);
    assert_eq!(other.texts(&digits, 1, 20).await, ["mine"]);
    assert_eq!(world.texts(&digits, 1, 20).await, ["made", "given"]);
}

pub async fn an_app_code_is_created_once_and_its_keys_can_be_replaced(world: &World) {
    let mut registry = world.engine.registry(world.stamps.clone()).await;
    assert!(
        !registry.create_app(&new_app("acme"), None).await.expect("the call succeeds"),
        "the app code is in use"
    );
    assert!(registry.create_app(&new_app("later"), None).await.expect("written"));
    let codes: Vec<_> = registry
        .apps()
        .await
        .expect("read")
        .iter()
        .map(|app| app.code.as_str().to_owned())
        .collect();
    assert_eq!(codes, ["acme", "later"]);
    assert!(registry.set_keys(&world.code, "new sdk", "new secret").await.expect("written"));
    let app = world.store.app(&world.code).await.expect("read").expect("exists");
    assert_eq!((app.sdk_secret.as_str(), app.secret_key.as_str()), ("new sdk", "new secret"));
    let nobody = AppCode::parse("nobody").expect("valid");
    assert!(!registry.set_keys(&nobody, "a", "b").await.expect("the call succeeds"));
    assert!(world.store.app(&nobody).await.expect("read").is_none());
}

pub async fn the_first_app_is_the_oldest_one(world: &World) {
    let place = world.engine.another();
    let empty = place.open(world.stamps.clone()).await.expect("opens");
    assert!(empty.first_app().await.expect("read").is_none());
    world.stamps.advance_seconds(60);
    world.another_app("aardvark").await;
    everywhere(world, async |world| {
        let first = world.store.first_app().await.expect("read").expect("an app exists");
        assert_eq!((first.id, &first.code), (world.app, &world.code));
        assert_eq!(first.secret_key, "acme-secret-key");
        let by_id = world.store.app_by_id(world.app).await.expect("read").expect("the app exists");
        assert_eq!((by_id.code, by_id.system_user), (first.code, world.system_user));
        assert!(world.store.app_by_id(AppId(1)).await.expect("read").is_none());
    })
    .await;
}

pub async fn dashboard_users_are_created_with_their_app_or_not_at_all(world: &World) {
    let mut registry = world.engine.registry(world.stamps.clone()).await;
    let admin = NewAgentAccount {
        email: "admin@example.com".to_owned(),
        name: "Admin".to_owned(),
        role: Role::Admin,
        password_hash: "hash".to_owned(),
        sdk_key: "sdk key".to_owned(),
    };
    assert!(registry.create_app(&new_app("first"), Some(&admin)).await.expect("written"));
    assert!(
        !registry.create_app(&new_app("second"), Some(&admin)).await.expect("the call succeeds"),
        "the email address is in use"
    );
    let second = AppCode::parse("second").expect("valid");
    assert!(
        world.store.app(&second).await.expect("read").is_none(),
        "the second app was not created"
    );
    let found = registry.dashboard_users().await.expect("read");
    let first = world.store.app(&AppCode::parse("first").expect("valid")).await.expect("read");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].email.as_str(), found[0].role), ("admin@example.com", Role::Admin));
    assert_eq!(Some(found[0].app), first.map(|app| app.id));
    let (admin, hash) =
        found_by_email(world, "admin@example.com").await.expect("the account exists");
    assert_eq!((hash.as_str(), admin.profile.sdk_key.as_str()), ("hash", "sdk key"));
    let speaker = world.store.user(admin.profile.user.app, &admin.profile.sdk_user).await;
    assert_eq!(speaker.expect("read").expect("the agent has a user").key.0, found[0].id.0);
    sign_in(world, &admin, "token hash").await;
    let now = world.stamps.now();
    assert!(world.store.signed_in("token hash", now).await.expect("read").is_some());
    assert!(world.store.lapsed_agents(now, 10).await.expect("read").is_empty());
    let set = registry.set_password("admin@example.com", "new hash", "new key").await;
    assert!(set.expect("written"));
    assert!(
        world.store.signed_in("token hash", now).await.expect("read").is_none(),
        "the sign-in has ended"
    );
    let lapsed = world.store.lapsed_agents(now, 10).await.expect("read");
    assert_eq!(
        lapsed,
        [(found[0].app, found[0].id)],
        "the agent is available without a valid sign-in"
    );
    let (admin, hash) =
        found_by_email(world, "admin@example.com").await.expect("the account exists");
    assert_eq!((hash.as_str(), admin.profile.sdk_key.as_str()), ("new hash", "new key"));
    let unknown = registry.set_password("nobody@example.com", "new hash", "new key").await;
    assert!(!unknown.expect("the call succeeds"));
}

async fn found_by_email(world: &World, email: &str) -> Option<(AgentRecord, String)> {
    world.store.agent_by_email(email).await.expect("read")
}

async fn sign_in(world: &World, admin: &AgentRecord, token_hash: &'static str) {
    let its_app = World { app: admin.profile.user.app, ..world.clone() };
    let signed = its_app.sign_in(admin.profile.user.id, token_hash).await;
    assert!(signed.profile.is_available);
}
