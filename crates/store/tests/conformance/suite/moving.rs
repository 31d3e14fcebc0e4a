//! Export and import: an app is read completely in one snapshot, and can be imported elsewhere.

use std::sync::Arc;

use confab_domain::ids::RoomId;
use confab_domain::limits;
use confab_domain::moving::importing::{
    FindImportedMessages, ImportLines, ImportOutcome, ImportRights, MovedLines,
};
use confab_domain::moving::moved::{MovedMessage, MovedParticipant, MovedRoom, MovedUser};
use confab_domain::moving::names::MovedNames;
use confab_store::{AppSnapshot, Taker, WriteError};

use crate::world::{World, everywhere, refusal};

async fn snapshot_of(world: &World) -> AppSnapshot {
    let snapshot = AppSnapshot::open(&world.engine.location(), &world.code).await;
    snapshot.expect("opens").expect("the app exists")
}

/// Collects everything that a read of a snapshot returns.
async fn all<T>(read: impl AsyncFnOnce(Taker<'_, T>)) -> Vec<T> {
    let mut found = Vec::new();
    read(&mut |it| {
        found.push(it);
        Ok(())
    })
    .await;
    found
}

async fn messages(snapshot: &AppSnapshot) -> Vec<MovedMessage> {
    all(async |taker| snapshot.messages(taker).await.expect("read")).await
}

async fn users(snapshot: &AppSnapshot) -> Vec<MovedUser> {
    all(async |taker| snapshot.users(taker).await.expect("read")).await
}

async fn rooms(snapshot: &AppSnapshot) -> Vec<MovedRoom> {
    all(async |taker| snapshot.rooms(taker).await.expect("read")).await
}

async fn participants(snapshot: &AppSnapshot) -> Vec<MovedParticipant> {
    all(async |taker| snapshot.participants(taker).await.expect("read")).await
}

/// Posts in two rooms in turn, and deletes one of the messages.
async fn talk(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("one", &["ana", "bob"]).await;
    world.open_group("two", &["bob"]).await;
    world.post("one", "ana", "first").await;
    world.post("two", "bob", "second").await;
    let gone = world.post("one", "bob", "gone").await;
    world.delete(&[&gone]).await;
    world.post_system_event("one", r#"{"digits":1.50}"#).await;
}

pub async fn an_export_contains_one_whole_app_in_chronological_order(world: &World) {
    talk(world).await;
    let other = world.another_app("other").await;
    other.register(&["eve"]).await;
    other.open_group("one", &["eve"]).await;
    other.post("one", "eve", "theirs").await;
    let world = everywhere(world, async |world| {
        let snapshot = snapshot_of(world).await;
        let posted = messages(&snapshot).await;
        let texts: Vec<_> = posted.iter().map(|it| (it.room.as_str(), &*it.text)).collect();
        let happened = ("one", "something happened");
        assert_eq!(texts, [("one", "first"), ("two", "second"), ("one", ""), happened]);
        assert_eq!(posted.iter().filter(|it| it.is_deleted).count(), 1);
        let chain = world.chain("one").await;
        assert_eq!(posted[0].unique_id, chain[0].unique_id());
        assert_eq!(posted[0].posted_at, chain[0].posted_at);
        assert_eq!((&posted[3].payload, &posted[3].extras), (&chain[2].payload, &chain[2].extras));
        let people = users(&snapshot).await;
        let names: Vec<_> = people.iter().map(|it| it.name.user.as_str()).collect();
        assert_eq!(names, ["system@acme", "ana", "bob"]);
        assert_eq!(people.iter().filter(|it| it.is_system).count(), 1);
        let opened = rooms(&snapshot).await;
        let opened: Vec<_> = opened.iter().map(|it| it.unique_id.as_str()).collect();
        assert_eq!(opened, ["one", "two"]);
        assert_eq!(participants(&snapshot).await.len(), 3);
        let channels = all(async |taker| snapshot.channels(taker).await.expect("read")).await;
        assert!(channels.is_empty());
        let sessions = all(async |taker| snapshot.sessions(taker).await.expect("read")).await;
        assert!(sessions.is_empty());
    })
    .await;
    let code = confab_domain::app::AppCode::parse("nobody").expect("valid");
    let missing = AppSnapshot::open(&world.engine.location(), &code).await.expect("opens");
    assert!(missing.is_none());
}

pub async fn an_export_reads_one_snapshot_despite_later_writes(world: &World) {
    talk(world).await;
    let snapshot = snapshot_of(world).await;
    assert_eq!(users(&snapshot).await.len(), 3);
    world.register(&["cleo"]).await;
    world.open_group("three", &["cleo"]).await;
    world.post("three", "cleo", "too late").await;
    assert_eq!(rooms(&snapshot).await.len(), 2);
    assert_eq!(messages(&snapshot).await.len(), 4);
    assert_eq!(users(&snapshot).await.len(), 3);
    let failed = snapshot.messages(&mut |_| Err(std::io::Error::other("no room"))).await;
    assert!(failed.is_err(), "the error of the receiver is returned");
    drop(snapshot);
    assert_eq!(messages(&snapshot_of(world).await).await.len(), 5);
}

async fn take(world: &World, lines: MovedLines) -> Result<ImportOutcome, WriteError> {
    let mut names = MovedNames::default();
    if let MovedLines::Users(users) = &lines {
        users.iter().for_each(|(_, user)| names.add_user(&world.code, user));
    }
    let secrets = (0..100).map(|n| format!("moved-{n}")).collect();
    let (app, names) = (world.context.app.clone(), Arc::new(names));
    let rights = ImportRights { joins_rooms: true, matches_agents: true };
    let newest_room = RoomId(0);
    let rule = ImportLines { app, names, lines, secrets, rights, newest_room };
    let question = rule.question(false);
    world
        .store
        .decide(world.app, question, move |facts, stamp| rule.decide(facts, stamp, false))
        .await
}

fn numbered<T>(lines: Vec<T>) -> Vec<(u64, T)> {
    (1..).zip(lines).collect()
}

pub async fn an_import_stores_exported_data_once_with_its_ids_times_and_deletions(world: &World) {
    talk(world).await;
    let snapshot = snapshot_of(world).await;
    let (people, opened) = (users(&snapshot).await, rooms(&snapshot).await);
    let (there, posted) = (participants(&snapshot).await, messages(&snapshot).await);
    let elsewhere = world.another().await;
    for new in [4, 0] {
        let taken = async |lines| take(&elsewhere, lines).await.expect("imported").new;
        taken(MovedLines::Users(numbered(people.clone()))).await;
        taken(MovedLines::Rooms(numbered(opened.clone()))).await;
        taken(MovedLines::Participants(numbered(there.clone()))).await;
        assert_eq!(taken(MovedLines::Messages(numbered(posted.clone()))).await, new);
    }
    everywhere(&elsewhere, async |elsewhere| {
        assert_eq!(elsewhere.texts("one", 1, 10).await, ["something happened", "first"]);
        assert_eq!(elsewhere.chain("one").await.len(), 3, "deleted messages are part of the chain");
        let again = snapshot_of(elsewhere).await;
        assert_eq!(messages(&again).await, posted);
        assert_eq!(rooms(&again).await, opened);
    })
    .await;
}

pub async fn an_import_line_with_an_unknown_reference_changes_nothing(world: &World) {
    talk(world).await;
    let posted = messages(&snapshot_of(world).await).await;
    let elsewhere = world.another().await;
    elsewhere.register(&["ana", "bob"]).await;
    elsewhere.open_group("one", &["ana", "bob"]).await;
    let lines = || MovedLines::Messages(numbered(posted.clone()));
    let refused = refusal(take(&elsewhere, lines()).await);
    assert!(refused.to_string().starts_with("line 2 names room two"), "{refused}");
    assert_eq!(elsewhere.chain("one").await, []);
    let find = FindImportedMessages { messages: vec![posted[0].unique_id.clone()] };
    let question = find.question();
    let known = world.store.decide(world.app, question, move |facts, _| Ok(find.decide(facts)));
    assert_eq!(known.await.expect("found").len(), 1);
}

pub async fn nodes_and_commands_can_read_the_newest_room_and_whether_several_apps_exist(
    world: &World,
) {
    let store = &world.store;
    let other = world.another_app("other").await;
    assert!(store.has_several_apps().await.expect("read"));
    world.register(&["ana"]).await;
    world.open_group("one", &["ana"]).await;
    let newest = world.open_group("two", &["ana"]).await;
    assert_eq!(store.newest_room(world.app).await.expect("read"), newest.id);
    assert_eq!(store.newest_room(other.app).await.expect("read"), RoomId(0));
    assert!(store.node().is_none_or(|node| (0..limits::NODES_MAX).contains(&node)));
    let sealer = store.packet_sealer();
    let sealed = sealer.seal(b"hint");
    assert_eq!(sealer.open(&sealed).as_deref(), Some(b"hint".as_slice()));
    let found = store.search(store.newest_room(world.app)).await;
    assert_eq!(found.expect("found"), newest.id);
}
