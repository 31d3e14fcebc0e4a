//! Posts decided on a node's cache: the decision is the same as on loaded facts, even if another
//! node wrote in the meantime (D-0165).

use confab_domain::refusal::Refusal;
use confab_test_servers::postgres::shared;

use crate::engine::Engine;
use crate::world::{World, draft_by, refusal};

/// One world on two nodes. The first has cached the group `support`, and that bob is in it.
async fn two_nodes() -> (World, World) {
    let world = World::start(Engine::postgres()).await;
    let store = world.engine.open(world.stamps.clone()).await.expect("a second store opens");
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    cache_room(&world).await;
    (world.clone(), World { store, ..world })
}

/// Runs SQL in the world's schema, as no node would.
fn psql(world: &World, sql: &str) {
    let Engine::Postgres(url) = &world.engine else { panic!("a PostgreSQL") };
    shared().psql_at(url, sql);
}

/// Makes the node cache the room with bob in it, and checks that it did. A room that another node
/// wrote to is loaded for some posts.
async fn cache_room(world: &World) {
    for _ in 0..20 {
        world.post("support", "bob", "hello").await;
    }
    psql(world, "CREATE TABLE saved AS SELECT * FROM participants; DELETE FROM participants");
    world.post("support", "bob", "nobody was looked up").await;
    psql(world, "INSERT INTO participants SELECT * FROM saved; DROP TABLE saved");
    world.post("support", "bob", "hello again").await;
}

async fn check_refused(world: &World, what: &str) {
    let refused = world.try_post("support", draft_by("bob", what)).await;
    assert!(refused.is_err(), "{what}");
    refusal(refused);
}

#[tokio::test]
async fn a_user_removed_through_another_node_cannot_post_until_added_again() {
    let (a, b) = two_nodes().await;
    for _ in 0..3 {
        b.remove("support", &["bob"]).await.expect("removed");
        let refused = a.try_post("support", draft_by("bob", "from outside")).await;
        assert!(matches!(refusal(refused), Refusal::NotAParticipant { .. }));
        b.add("support", &["bob"]).await.expect("added");
        cache_room(&a).await;
    }
}

#[tokio::test]
async fn a_user_deactivated_through_another_node_cannot_post() {
    let (a, b) = two_nodes().await;
    b.set_active(&["bob"], false).await.expect("deactivated");
    check_refused(&a, "deactivated").await;
    b.set_active(&["bob"], true).await.expect("activated");
    cache_room(&a).await;
}

#[tokio::test]
async fn names_changed_through_another_node_are_used_in_new_posts() {
    let (a, b) = two_nodes().await;
    b.rename("bob", "Robert").await;
    let posted = a.try_post("support", draft_by("bob", "hello")).await.expect("posted");
    assert_eq!(posted.sender.username, "Robert");
    cache_room(&a).await;
    a.post_system_event("support", "{}").await;
    b.rename_room("support", "Support, renamed").await.expect("renamed");
    let event = a.post_system_event("support", "{}").await;
    let payload = event.message.payload.expect("the message has a payload");
    assert!(payload.as_str().contains("Support, renamed"), "{}", payload.as_str());
}

#[tokio::test]
async fn a_customer_with_the_senders_user_id_from_another_node_does_not_become_the_sender() {
    let (a, b) = two_nodes().await;
    let channel = b.connect("web").await;
    b.admit(&channel, "bob").await;
    let posted = a.try_post("support", draft_by("bob", "hello")).await.expect("posted");
    assert_eq!(posted.sender.key, a.user("bob").await.key);
    cache_room(&a).await;
}

#[tokio::test]
async fn posts_of_two_nodes_in_turns_form_an_unbroken_chain() {
    let (a, b) = two_nodes().await;
    for turn in 0..40 {
        b.post("support", "ana", "theirs").await;
        if turn % 3 == 0 {
            a.post("support", "bob", "ours").await;
        }
    }
    a.chain("support").await;
    cache_room(&a).await;
}

#[tokio::test]
async fn changes_of_a_node_of_an_older_version_are_read_before_deciding() {
    let (a, _) = two_nodes().await;
    // An older node does not know versions, but marks its commits like all nodes.
    psql(
        &a,
        "BEGIN; INSERT INTO nodes (node, holder, batch, newest_id, seen_at) \
         VALUES (40, 'older', 1, 0, now()); DELETE FROM participants WHERE user_key = \
         (SELECT id FROM users WHERE user_id = 'bob'); COMMIT",
    );
    check_refused(&a, "removed by an older node").await;
    a.add("support", &["bob"]).await.expect("added");
    cache_room(&a).await;
}
