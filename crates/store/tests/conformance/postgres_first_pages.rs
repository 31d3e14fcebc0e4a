//! Cached first pages of a node: they are as current as pages from the database, even if another
//! node wrote in the meantime (D-0165).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use confab_domain::agents::role::Role;
use confab_domain::agents::staffing::AgentEdit;
use confab_domain::ids::UserKey;
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::{Draft, Message};
use confab_domain::messages::payload::Payload;
use confab_domain::support::contacts::erasing::{EraseContact, EraseRoom};
use confab_test_servers::postgres::shared;

use crate::engine::Engine;
use crate::world::{World, draft_by, side_by_side};

/// One world on two nodes; ana and bob posted in the group `support`.
async fn two_nodes() -> (World, World, Message) {
    let world = World::start(Engine::postgres()).await;
    let store = world.engine.open(world.stamps.clone()).await.expect("a second store opens");
    let other = World { store, ..world.clone() };
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    other.post("support", "ana", "hello").await;
    let last = other.post("support", "bob", "good morning").await;
    (world, other, last)
}

/// Runs SQL in the world's schema, as no node would.
fn psql(world: &World, sql: &str) {
    let Engine::Postgres(url) = &world.engine else { panic!("a PostgreSQL") };
    shared().psql_at(url, sql);
}

/// Makes the node cache the first page of a room, and checks that it did.
async fn cache_page(world: &World, room: &str) {
    // The node caches no page that it read before its first check.
    world.page(room, 1, 20).await;
    world.page(room, 1, 20).await;
    let kept = world.texts(room, 1, 20).await;
    psql(world, "UPDATE messages SET text = text || '!'");
    assert_eq!(world.texts(room, 1, 20).await, kept, "the page is served from the cache");
    psql(world, "UPDATE messages SET text = substr(text, 1, length(text) - 1)");
}

/// Checks that the page of the node equals the messages in the database.
async fn check_page(world: &World, room: &str, what: &str) {
    let in_database = world.range(room, 0, i64::MAX, 20).await;
    assert_eq!(world.page(room, 1, 20).await, in_database, "{what}");
    assert_eq!(world.page(room, 1, 20).await, in_database, "{what}, read again");
}

#[tokio::test]
async fn an_unchanged_page_is_served_from_the_cache_at_the_requested_size() {
    let (a, ..) = two_nodes().await;
    cache_page(&a, "support").await;
    assert_eq!(a.texts("support", 1, 1).await, ["good morning"]);
    assert_eq!(a.texts("support", 1, 100).await, ["good morning", "hello"]);
    a.post_many("support", "ana", 30).await;
    check_page(&a, "support", "twenty of thirty-two").await;
    assert_eq!(
        a.page("support", 1, 32).await.len(),
        32,
        "the cache has twenty messages, the database all"
    );
}

#[tokio::test]
async fn changes_of_messages_by_another_node_are_on_the_next_page() {
    let (a, b, last) = two_nodes().await;
    cache_page(&a, "support").await;
    b.edit("bob", &last, "good evening").await;
    check_page(&a, "support", "edited").await;
    assert_eq!(a.texts("support", 1, 20).await, ["good evening", "hello"]);
    cache_page(&a, "support").await;
    b.post("support", "ana", "how are you").await;
    check_page(&a, "support", "posted").await;
    cache_page(&a, "support").await;
    b.delete(&[&last]).await;
    check_page(&a, "support", "deleted by the app").await;
    assert_eq!(a.texts("support", 1, 20).await, ["how are you", "hello"]);
    let own = a.post("support", "ana", "a slip").await;
    cache_page(&a, "support").await;
    b.delete_own("ana", &own).await;
    check_page(&a, "support", "deleted by who said it").await;
    cache_page(&a, "support").await;
    b.post_system_event("support", r#"{"done":true}"#).await;
    check_page(&a, "support", "an event of the system").await;
    let json = JsonText::from_checked(r#"{"number": 1.50}"#);
    let draft = Draft { payload: Payload::Custom(json), ..draft_by("bob", "") };
    b.try_post("support", draft).await.expect("posted");
    check_page(&a, "support", "a payload").await;
}

#[tokio::test]
async fn changes_of_users_by_another_node_are_on_the_next_page() {
    let (a, b, _) = two_nodes().await;
    cache_page(&a, "support").await;
    b.rename("ana", "Ana Maria").await;
    check_page(&a, "support", "renamed").await;
    assert_eq!(a.page("support", 1, 20).await[1].sender.username, "Ana Maria");
    cache_page(&a, "support").await;
    b.set_active(&["bob"], false).await.expect("deactivated");
    check_page(&a, "support", "deactivated").await;
    assert!(!a.page("support", 1, 20).await[0].sender.is_active);
    cache_page(&a, "support").await;
    let mut with_extras = b.profile("ana", "Ana Maria");
    with_extras.extras = Some(JsonText::from_checked(r#"{"tall":true}"#));
    b.login(with_extras).await.expect("changed");
    check_page(&a, "support", "with extras").await;
}

#[tokio::test]
async fn changes_of_agents_and_customers_by_another_node_are_on_the_next_page() {
    let (a, b, _) = two_nodes().await;
    let agent = b.create_agent("gil", Role::Agent).await;
    let speaker = b.store.user_by_key(b.app, UserKey(agent.user.id.0)).await.expect("read");
    let speaker = speaker.expect("each agent has a user").user_id;
    b.add("support", &[speaker.as_str()]).await.expect("added");
    b.post("support", speaker.as_str(), "I am Gil").await;
    cache_page(&a, "support").await;
    let name = Some("Gil of the office".to_owned());
    b.change_agent(&agent, AgentEdit { name, ..AgentEdit::default() }).await;
    check_page(&a, "support", "the agent has another name").await;
    assert_eq!(a.page("support", 1, 20).await[0].sender.username, "Gil of the office");

    let channel = a.connect("web").await;
    let customer = a.customer(&channel, "carol").await;
    let room = customer.room.to_string();
    cache_page(&a, &room).await;
    b.customer_posts(&customer, "carol", "are you there").await;
    check_page(&a, &room, "received").await;
    cache_page(&a, &room).await;
    b.decide(EraseRoom { room: customer.room, files: vec![] }).await.expect("erased");
    check_page(&a, &room, "the room is erased").await;
    let found = b.store.customer_of_room(b.app, customer.room).await.expect("read");
    let (user, _) = found.expect("a customer");
    b.customer_posts(&customer, "carol", "one more thing").await;
    cache_page(&a, &room).await;
    let new_token = "a token that nobody has".to_owned();
    b.decide(EraseContact { customer: user, new_token, files: vec![] }).await.expect("erased");
    check_page(&a, &room, "the contact is erased").await;
}

#[tokio::test]
async fn a_cached_page_includes_the_posts_of_its_own_node() {
    let (a, b, last) = two_nodes().await;
    cache_page(&a, "support").await;
    a.post("support", "bob", "mine").await;
    psql(&a, "UPDATE messages SET text = text || '!'");
    let shown = a.texts("support", 1, 20).await;
    assert_eq!(shown, ["mine", "good morning", "hello"], "the page is served from the cache");
    psql(&a, "UPDATE messages SET text = substr(text, 1, length(text) - 1)");
    check_page(&a, "support", "posted here").await;
    // The cached page lacks the message that another node wrote in between.
    b.post("support", "bob", "theirs").await;
    a.post("support", "bob", "mine again").await;
    check_page(&a, "support", "posted in turns").await;
    cache_page(&a, "support").await;
    b.rename("bob", "Bob").await;
    a.post("support", "bob", "under a new name").await;
    check_page(&a, "support", "posted by somebody who changed").await;
    cache_page(&a, "support").await;
    let deleted = [&last];
    tokio::join!(a.post("support", "ana", "new"), a.delete(&deleted));
    check_page(&a, "support", "posted and deleted at once").await;
}

#[tokio::test]
async fn writes_of_a_node_of_an_older_version_are_on_the_next_page() {
    let (a, ..) = two_nodes().await;
    cache_page(&a, "support").await;
    // An older node does not know versions, but marks its commits like all nodes.
    let commit = |number: i64| {
        let mark = format!(
            "INSERT INTO nodes (node, holder, batch, newest_id, seen_at) \
             VALUES (40, 'older', {number}, 0, now()) \
             ON CONFLICT (node) DO UPDATE SET batch = {number}"
        );
        psql(&a, &format!("BEGIN; {mark}; UPDATE messages SET text = 'of {number}'; COMMIT"));
    };
    for number in [1, 2, 3] {
        commit(number);
        check_page(&a, "support", "written by an older node").await;
        assert_eq!(a.texts("support", 1, 1).await, [format!("of {number}")]);
    }
    a.post("support", "ana", "marked by one that counts").await;
    cache_page(&a, "support").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_contains_every_message_answered_before_its_request() {
    let (a, b, _) = two_nodes().await;
    cache_page(&a, "support").await;
    let answered = Arc::new(AtomicUsize::new(2));
    let posts = {
        let (nodes, answered) = ([a.clone(), b.clone()], answered.clone());
        async move {
            for turn in 0..200 {
                nodes[turn % 2].post("support", "ana", "more").await;
                answered.fetch_add(1, Ordering::SeqCst);
            }
        }
    };
    let posting = tokio::spawn(posts);
    let readers = (0..8).map(|reader| {
        let (world, answered) = (if reader < 4 { a.clone() } else { b.clone() }, answered.clone());
        async move {
            let mut is_last = false;
            while !is_last {
                let least = answered.load(Ordering::SeqCst);
                is_last = least == 202;
                let page = world.page("support", 1, 20).await;
                assert!(page[0].message.number >= least as u64, "{least} posts were answered");
                let numbers: Vec<_> = page.iter().map(|posted| posted.message.number).collect();
                assert!(numbers.is_sorted_by(|newer, older| *newer == older + 1), "{numbers:?}");
            }
        }
    });
    side_by_side(readers).await;
    posting.await.expect("posted");
}
