//! Decisions: atomic, and independent of failures of other decisions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use confab_domain::decision::change::{Change, MessageChange, UserChange};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::refusal::Refusal;
use confab_store::WriteError;

use crate::world::people::blindly;
use crate::world::reading::EVERY_USER;
use crate::world::{World, draft_by, failure, refusal, room_ref, side_by_side};

async fn world_with_a_room(world: &World) {
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana"]).await;
    world.post("support", "ana", "one").await;
}

pub async fn a_refused_decision_changes_nothing(world: &World) {
    world_with_a_room(world).await;
    let (room, users) = (world.room("support").await, world.users(EVERY_USER).await);
    refusal(world.try_post("support", draft_by("bob", "not in the room")).await);
    refusal(world.try_post("support", draft_by("eve", "not in the app")).await);
    refusal(world.try_post("nowhere", draft_by("ana", "no such room")).await);
    refusal(world.add("support", &["bob", "eve"]).await);
    refusal(world.try_open_group("support", &["bob"]).await);
    for world in [&world.crashed().await, &world.reopened().await] {
        assert_eq!(world.texts("support", 1, 20).await, ["one"]);
        assert_eq!(world.participants("support").await, ["ana"]);
        assert_eq!(world.users(EVERY_USER).await, users);
        assert_eq!(world.room("support").await, room);
        let two = world.post("support", "ana", "two").await;
        assert_eq!(two.number, 2, "a refused post uses no number");
    }
}

/// Runs a rule that panics, as a defect might.
async fn decide_badly(world: &World) -> Result<(), WriteError> {
    let question = Question { rooms: vec![room_ref("support")], ..Question::default() };
    let rule = |facts: &Facts, _: &Stamp<'_>| -> Result<Decision<()>, Refusal> {
        // Unlike `panic!`, this prints nothing.
        std::panic::resume_unwind(Box::new(facts.rooms.len()))
    };
    world.store.decide(world.app, question, rule).await
}

pub async fn a_rule_that_panics_fails_only_its_own_caller(world: &World) {
    world_with_a_room(world).await;
    let error = failure(decide_badly(world).await);
    assert!(error.source.to_string().contains("panicked"), "{}", error.source);
    world.post("support", "ana", "two").await;
    let writer = world.hold_writer().await;
    let (before, bad, after, ()) = tokio::join!(
        world.try_post("support", draft_by("ana", "three")),
        decide_badly(world),
        world.try_post("support", draft_by("ana", "four")),
        writer.release(),
    );
    failure(bad);
    assert_eq!(before.expect("posted").message.number, 3);
    assert_eq!(after.expect("posted").message.number, 4);
    check_four_messages(world).await;
}

pub async fn a_decision_that_cannot_be_written_fails_only_its_own_caller(world: &World) {
    world_with_a_room(world).await;
    failure(world.insert_user_blindly("ana").await);
    world.post("support", "ana", "two").await;
    let writer = world.hold_writer().await;
    let (before, bad, after, ()) = tokio::join!(
        world.try_post("support", draft_by("ana", "three")),
        world.insert_user_blindly("ana"),
        world.try_post("support", draft_by("ana", "four")),
        writer.release(),
    );
    failure(bad);
    assert_eq!(before.expect("posted").message.number, 3);
    assert_eq!(after.expect("posted").message.number, 4);
    assert_eq!(world.user("ana").await.username, "ana");
    check_four_messages(world).await;
}

async fn check_four_messages(world: &World) {
    for world in [&world.crashed().await, &world.reopened().await] {
        assert_eq!(world.texts("support", 1, 20).await, ["four", "three", "two", "one"]);
        assert_eq!(world.chain("support").await.len(), 4);
    }
}

/// Posts a message and, in the same decision, inserts a user that exists already.
async fn post_and_fail(world: &World) -> Result<(), WriteError> {
    let question = Question { rooms: vec![room_ref("support")], ..Question::default() };
    let (profile, ana) = (world.profile("ana", "again"), world.user("ana").await);
    let first = world.chain("support").await.remove(0);
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        let last = facts.room(&room_ref("support"))?.last.expect("one message");
        let mut message = first.clone();
        message.id = confab_domain::ids::MessageId(stamp.next_id());
        (message.number, message.before) = (last.number + 1, Some(last.id));
        (message.sender, message.text) = (ana.key, "never".to_owned());
        let room = facts.room(&room_ref("support"))?.room.clone();
        let posted = Arc::new(confab_domain::messages::message::PostedMessage {
            message,
            sender: Arc::new(ana.clone()),
        });
        let changes = vec![
            Change::Message(MessageChange::Insert { posted, room }),
            Change::User(UserChange::Insert(blindly(&profile, stamp))),
        ];
        Ok(Decision::new(changes, ()))
    };
    world.store.decide(world.app, question, rule).await
}

pub async fn a_decision_is_written_completely_or_not_at_all(world: &World) {
    world_with_a_room(world).await;
    failure(post_and_fail(world).await);
    assert_eq!(world.texts("support", 1, 20).await, ["one"]);
    let writer = world.hold_writer().await;
    let (bad, two, ()) = tokio::join!(
        post_and_fail(world),
        world.try_post("support", draft_by("ana", "two")),
        writer.release(),
    );
    failure(bad);
    assert_eq!(two.expect("posted").message.number, 2);
    for world in [&world.crashed().await, &world.reopened().await] {
        assert_eq!(world.texts("support", 1, 20).await, ["two", "one"]);
        world.post("support", "ana", "three").await;
        assert_eq!(world.chain("support").await.len(), 3);
    }
}

/// A user, a member and a message, decided together with a decision that cannot be written. When
/// they are decided again, no cache may contain anything of the first time.
pub async fn caches_contain_nothing_of_a_rolled_back_batch(world: &World) {
    world_with_a_room(world).await;
    let writer = world.hold_writer().await;
    let (user, added, posted, bad, ()) = tokio::join!(
        world.login(world.profile("cid", "Cid")),
        world.add("support", &["cid", "bob"]),
        world.try_post("support", draft_by("cid", "two")),
        world.insert_user_blindly("ana"),
        writer.release(),
    );
    failure(bad);
    assert_eq!(added.expect("added").len(), 2);
    assert_eq!(world.user("cid").await, *user.expect("registered"));
    assert_eq!(world.participants("support").await, ["ana", "bob", "cid"]);
    assert_eq!(world.page("support", 1, 1).await, [posted.expect("posted")]);
}

pub async fn failing_decisions_lose_or_repeat_no_concurrent_post(world: &World) {
    world_with_a_room(world).await;
    let tasks = (0..60).map(|task| {
        let world = world.clone();
        async move {
            match task % 10 {
                3 => drop(failure(world.insert_user_blindly("ana").await)),
                7 => drop(failure(decide_badly(&world).await)),
                _ => drop(world.post("support", "ana", &format!("{task}")).await),
            }
        }
    });
    side_by_side(tasks).await;
    let chain = world.chain("support").await;
    assert_eq!(chain.len(), 1 + 48);
    let texts: std::collections::HashSet<_> = chain.iter().map(|message| &message.text).collect();
    assert_eq!(texts.len(), chain.len());
    assert_eq!(world.crashed().await.chain("support").await, chain);
    assert_eq!(world.reopened().await.chain("support").await, chain);
}

/// A user, a room and a message that depend on each other, all queued at once.
pub async fn a_decision_sees_the_decisions_queued_before_it(world: &World) {
    let writer = world.hold_writer().await;
    let (user, room, posted, ()) = tokio::join!(
        world.login(world.profile("ana", "Ana")),
        world.try_open_group("support", &["ana"]),
        world.try_post("support", draft_by("ana", "hello")),
        writer.release(),
    );
    let (user, room, posted) =
        (user.expect("created"), room.expect("created"), posted.expect("posted"));
    assert_eq!((posted.sender, posted.message.room), (user, room.id));
    assert_eq!(world.texts("support", 1, 20).await, ["hello"]);
}

pub async fn a_closed_store_rejects_writes_and_can_be_closed_again(world: &World) {
    world_with_a_room(world).await;
    world.store.check().await.expect("an open store passes its check");
    world.store.close().await.expect("closes");
    failure(world.try_post("support", draft_by("ana", "too late")).await);
    world.store.check().await.expect_err("a closed store fails its check");
    world.store.close().await.expect("a closed store can be closed again");
    let reopened = world.reopened().await;
    assert_eq!(reopened.texts("support", 1, 20).await, ["one"]);
}

pub async fn writes_queued_when_the_store_closes_are_committed_or_rejected(world: &World) {
    world_with_a_room(world).await;
    let writer = world.hold_writer().await;
    let posts = Arc::new(world.clone());
    let (waiting, closed, ()) = tokio::join!(
        posts.try_post("support", draft_by("ana", "waiting")),
        world.store.close(),
        writer.release(),
    );
    closed.expect("closes");
    let reopened = world.reopened().await;
    let expected: &[&str] = if waiting.is_ok() { &["waiting", "one"] } else { &["one"] };
    assert_eq!(reopened.texts("support", 1, 20).await, expected);
}

/// Checks all stored data. Returns the problems, and the number of progress reports.
async fn problems(world: &World) -> (Vec<String>, usize) {
    let reports = AtomicUsize::new(0);
    let report = |_| {
        reports.fetch_add(1, Ordering::Relaxed);
    };
    let found = confab_store::check(&world.engine.location(), &report).await.expect("checked");
    (found, reports.into_inner())
}

pub async fn a_check_reports_the_room_with_a_broken_message_chain(world: &World) {
    world_with_a_room(world).await;
    let room = world.open_group("broken", &["ana"]).await.id;
    let posted = world.post_many("broken", "ana", 5).await;
    world.delete(&[&posted[3]]).await;
    let (found, reports) = problems(world).await;
    assert_eq!(found, Vec::<String>::new(), "a deleted message leaves no gap");
    assert!(reports > 0, "the check reports its progress");
    world.store.close().await.expect("closes");
    assert_eq!(problems(world).await.0, Vec::<String>::new(), "an orderly shutdown leaves no gap");
    world.engine.sql(&format!("DELETE FROM messages WHERE id = {}", posted[2].id));
    let (found, _) = problems(world).await;
    assert!(found.iter().any(|it| it.contains(&room.to_string())), "{found:?}");
}
