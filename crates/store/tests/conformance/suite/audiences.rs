//! Data for connected clients: participants of rooms, presence, and new events.

use std::sync::Arc;

use confab_domain::decision::change::{Change, UserChange};
use confab_domain::decision::commit_event::{CommitEvent, CommitListener};
use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::messages::room_event::RoomEventKind;
use confab_domain::time::Timestamp;
use confab_store::Audience;
use parking_lot::Mutex;

use crate::engine::Engine;
use crate::world::{World, draft_by, everywhere, refusal};

async fn audience(world: &World, room: RoomId) -> Audience {
    let mut found = world.store.audience(room).await.expect("read");
    found.users.sort();
    found
}

pub async fn the_audience_of_a_room_follows_its_participants(world: &World) {
    world.register(&["ana", "bob", "cid"]).await;
    let room = world.open_group("support", &["ana"]).await.id;
    world.open_group("elsewhere", &["cid"]).await;
    let key = async |user: &str| world.user(user).await.key;
    let (ana, bob, cid) = (key("ana").await, key("bob").await, key("cid").await);
    let first = audience(world, room).await;
    assert_eq!(first.users, [ana]);
    world.post("support", "ana", "hello").await;
    world.rename_room("support", "another name").await.expect("renamed");
    assert_eq!(audience(world, room).await, first, "the participants are unchanged");
    world.add("support", &["bob"]).await.expect("added");
    let second = audience(world, room).await;
    assert!(second.version > first.version);
    assert_eq!(second.users, [ana, bob]);
    world.remove("support", &["ana"]).await.expect("removed");
    let third = audience(world, room).await;
    assert!(third.version > second.version);
    let world = everywhere(world, async |world| {
        assert_eq!(audience(world, room).await, Audience { users: vec![bob], ..third.clone() });
        assert_eq!(world.room("support").await.audience, third.version);
        for (user, is_in) in [(ana, false), (bob, true), (cid, false), (UserKey(1), false)] {
            let found = world.store.is_participant(room, user).await.expect("read");
            assert_eq!(found, is_in);
        }
        assert!(!world.store.is_participant(RoomId(1), bob).await.expect("read"));
        let nowhere = audience(world, RoomId(1)).await;
        assert_eq!(nowhere, Audience { version: 0, users: vec![] });
    })
    .await;
    world.remove("support", &["bob"]).await.expect("removed");
    let left = audience(&world, room).await;
    assert!(left.version > third.version, "the room exists");
    assert_eq!(left.users, []);
}

/// Records a user's presence as a node reports it.
async fn report_presence(world: &World, node: i64, user: UserKey, is_online: bool, at: i64) {
    let at = Timestamp(at);
    world.change(vec![Change::User(UserChange::SetPresence { user, is_online, at, node })]).await;
}

async fn presences(world: &World, users: &[UserKey]) -> Vec<(UserKey, bool, Timestamp)> {
    let mut found = world.store.presences(users).await.expect("read");
    found.sort();
    found
}

pub async fn a_user_stays_online_until_the_node_that_reported_last_sees_them_offline(
    world: &World,
) {
    world.register(&["ana", "bob", "cid"]).await;
    let key = async |user: &str| world.user(user).await.key;
    let (ana, bob, cid) = (key("ana").await, key("bob").await, key("cid").await);
    let (all, node) = ([cid, ana, bob, UserKey(1)], world.stamps.node());
    let (here, gone) = (|at| (true, Timestamp(at)), |at| (false, Timestamp(at)));
    let shown = |(user, (is_online, at))| (user, is_online, at);
    assert_eq!(presences(world, &all).await, []);
    report_presence(world, node, bob, true, 5).await;
    report_presence(world, node, ana, true, 7).await;
    let both = [(ana, here(7)), (bob, here(5))].map(shown);
    assert_eq!(presences(world, &all).await, both);
    report_presence(world, node + 1, ana, false, 8).await;
    assert_eq!(presences(world, &all).await, both, "the other node did not report ana last");
    report_presence(world, node, bob, false, 9).await;
    assert_eq!(presences(world, &[bob, cid]).await, [shown((bob, gone(9)))]);
    assert_eq!(presences(world, &[]).await, []);
    // A starting node has no connections; the times of last sight stay.
    world.change(vec![Change::User(UserChange::EndPresences { node: node + 1 })]).await;
    assert_eq!(
        presences(world, &[ana]).await,
        both[..1],
        "presences of another node are unchanged"
    );
    world.change(vec![Change::User(UserChange::EndPresences { node })]).await;
    everywhere(world, async |world| {
        let expected = [(ana, gone(7)), (bob, gone(9))].map(shown);
        assert_eq!(presences(world, &all).await, expected);
    })
    .await;
}

pub async fn later_events_have_ids_above_the_newest_event_ids(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    let newest = async |world: &World| {
        let found = world.store.newest_events().await.expect("read");
        found.ids().map(|id| id.0).max().unwrap_or(0)
    };
    let first = newest(world).await;
    let one = world.post("support", "ana", "one").await;
    assert!(first < one.id.0 && newest(world).await >= one.id.0);
    world.edit("ana", &one, "one!").await;
    let edited = world.events_after("bob", 0, 10).await.pop().expect("edited").id.0;
    assert!(edited > one.id.0);
    let world = everywhere(world, async |world| assert!(newest(world).await >= edited)).await;
    let before = newest(&world).await;
    let two = world.post("support", "ana", "two").await;
    assert!(two.id.0 > before);
    assert!(newest(&world).await >= two.id.0);
}

/// Collects commit events as short texts.
#[derive(Default)]
struct CommitListeners(Mutex<Vec<(AppId, String)>>);

impl CommitListener for CommitListeners {
    fn receive(&self, app_news: Vec<(AppId, CommitEvent)>) {
        self.0.lock().extend(app_news.into_iter().map(|(app, news)| (app, in_words(&news))));
    }
}

impl CommitListeners {
    fn received(&self) -> Vec<(AppId, String)> {
        std::mem::take(&mut *self.0.lock())
    }
}

fn in_words(news: &CommitEvent) -> String {
    match news {
        CommitEvent::Happened(event) => match &event.what {
            RoomEventKind::Posted { posted, .. } => {
                format!("posted {}", posted.message.text)
            }
            RoomEventKind::Edited { posted, .. } => format!("edited {}", posted.message.text),
            RoomEventKind::Deleted { messages, .. } => format!("deleted {}", messages.len()),
            RoomEventKind::Cleared { number, .. } => format!("cleared {number}"),
            RoomEventKind::Received(it) => format!("received {}", it.number),
            RoomEventKind::Read(it) => format!("read {}", it.number),
        },
        CommitEvent::Audience { user, is_in, .. } => format!("{user} in {is_in}"),
        CommitEvent::Access { user } => format!("access of {user}"),
        CommitEvent::CustomerRoom { room } => format!("inboxes show {room} anew"),
        CommitEvent::Trail(entry) => format!("{} in {}", entry.what.as_str(), entry.room),
        CommitEvent::Note { note, what, .. } => format!("note {note} {}", what.as_str()),
        CommitEvent::ChannelState { room, message } => format!("state of {message} in {room}"),
        CommitEvent::Agent { agent } => format!("agent {agent}"),
        CommitEvent::Tags => "tags".to_owned(),
        CommitEvent::Seen { room, agent } => format!("agent {agent} saw {room}"),
    }
}

pub async fn commit_events_are_published_in_commit_order_before_the_answer(world: &World) {
    world.register(&["ana", "bob"]).await;
    let other = world.another_app("other").await;
    other.register(&["ana"]).await;
    let (ana, bob) = (world.user("ana").await.key, world.user("bob").await.key);
    let listeners = Arc::new(CommitListeners::default());
    world.store.set_commit_listener(listeners.clone());
    let received = || listeners.received().into_iter().map(|(_, words)| words).collect::<Vec<_>>();
    world.open_group("support", &["ana", "bob"]).await;
    assert_eq!(received(), [format!("{ana} in true"), format!("{bob} in true")]);
    let one = world.post("support", "ana", "one").await;
    assert_eq!(received(), ["posted one"], "published before the answer");
    world.edit("ana", &one, "one!").await;
    world.read("bob", &one).await;
    world.read("bob", &one).await;
    world.clear("bob", "support").await;
    world.delete(&[&one]).await;
    assert_eq!(received(), ["edited one!", "read 1", "cleared 1", "deleted 1"]);
    world.remove("support", &["bob"]).await.expect("removed");
    world.reset_token("bob", "another token").await.expect("reset");
    world.set_active(&["bob"], false).await.expect("deactivated");
    let access = format!("access of {bob}");
    assert_eq!(received(), [format!("{bob} in false"), access.clone(), access]);
    refusal(world.try_post("support", draft_by("bob", "not in it")).await);
    world.rename("ana", "Ana").await;
    assert_eq!(received(), Vec::<String>::new(), "refusals and renames publish nothing");
    other.open_group("support", &["ana"]).await;
    assert_eq!(listeners.received().iter().map(|it| it.0).collect::<Vec<_>>(), [other.app]);
}

pub async fn concurrent_posts_are_published_once_each_in_room_order(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    let listeners = Arc::new(CommitListeners::default());
    world.store.set_commit_listener(listeners.clone());
    let posted = world.post_many("support", "ana", 50).await;
    let expected: Vec<_> = posted.iter().map(|it| format!("posted {}", it.text)).collect();
    let received: Vec<_> = listeners.received().into_iter().map(|(_, words)| words).collect();
    assert_eq!(received, expected);
}

pub async fn nodes_of_a_shared_store_receive_each_others_notifications(world: &World) {
    let Some(notices) = world.store.notices() else {
        assert!(matches!(world.engine, Engine::Sqlite(_)), "SQLite has a single process");
        return;
    };
    let (mut one, mut two) =
        (notices.listen().await.expect("listens"), notices.listen().await.expect("listens"));
    let other_store = world.another().await.store.notices().expect("the store can be shared");
    let sent = ["one".to_owned(), "zwei ü".to_owned()];
    let elsewhere = ["of another store".to_owned()];
    other_store.notifier().await.expect("connects").notify(&elsewhere).await.expect("sent");
    notices.notifier().await.expect("connects").notify(&sent).await.expect("sent");
    for listening in [&mut one, &mut two] {
        for text in &sent {
            assert_eq!(
                listening.next().await.as_ref(),
                Some(text),
                "in order, and only of this store"
            );
        }
    }
}
