//! Commits answered with a warning: no caller gets a success before their outcome is known
//! (D-0025).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use confab_test_servers::postgres::{Server, shared};
use tokio::time::timeout;

use crate::engine::Engine;
use crate::world::{World, draft_by, failure};

/// Returns SQL that raises Citus' warning about a failed worker at the end of the first commit that
/// writes to a table. `also` runs before, for each row.
fn warning_once(table: &str, also: &str) -> String {
    format!(
        "CREATE TABLE warned (at timestamptz); \
         CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF NOT EXISTS (SELECT 1 FROM warned) THEN \
         INSERT INTO warned VALUES (now()); {also} \
         RAISE WARNING 'failed to commit transaction on worker-1.example:5432'; \
         END IF; RETURN NULL; END $$; \
         CREATE CONSTRAINT TRIGGER warning AFTER INSERT ON {table} \
         DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION warn()"
    )
}

/// Undoes the writes of a post to its room, as if its worker had lost them. The node's mark, which
/// is on the coordinator, stays.
const LOST: &str = "DELETE FROM messages WHERE room = NEW.room AND id = NEW.id; \
    UPDATE rooms SET last_message = coalesce(NEW.before_id, 0), last_number = NEW.number - 1 \
    WHERE id = NEW.room; \
    UPDATE participants SET read_number = NEW.number - 1 WHERE room = NEW.room;";

async fn world_in(engine: Engine) -> World {
    let world = World::start(engine).await;
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    world.post("support", "bob", "before").await;
    world
}

fn engines() -> [Engine; 2] {
    [Engine::postgres(), Engine::postgres_sharded()]
}

fn has_warned(world: &World) -> bool {
    let (Engine::Postgres(url) | Engine::PostgresSharded(url)) = &world.engine else {
        panic!("only PostgreSQL warns")
    };
    shared().psql_at(url, "SELECT count(*) FROM warned") == "1"
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_lost_by_a_worker_at_commit_are_rewritten_before_the_answer() {
    for engine in engines() {
        let world = world_in(engine).await;
        world.engine.sql(&warning_once("messages", LOST));
        let posted = world.post("support", "ana", "hello").await;
        assert!(has_warned(&world));
        let chain = world.chain("support").await;
        assert_eq!(chain.len(), 2);
        assert_eq!(chain[1], posted, "the answered message is stored");
        assert_eq!(world.page("support", 1, 20).await.len(), 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_succeeded_despite_a_warning_is_not_repeated() {
    for engine in engines() {
        let world = world_in(engine).await;
        world.engine.sql(&warning_once("messages", ""));
        let posted = world.post("support", "ana", "hello").await;
        assert!(has_warned(&world));
        let chain = world.chain("support").await;
        assert_eq!(chain.len(), 2);
        assert_eq!(chain[1], posted);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_posts_of_a_commit_with_a_warning_are_answered_and_stored_once() {
    for engine in engines() {
        let world = world_in(engine).await;
        world.engine.sql(&warning_once("messages", ""));
        world.post_many("support", "ana", 50).await;
        assert!(has_warned(&world));
        assert_eq!(world.chain("support").await.len(), 51);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_warning_on_citus_is_an_unknown_outcome_if_no_row_proves_it() {
    let world = world_in(Engine::postgres_sharded()).await;
    world.engine.sql(&warning_once("users", ""));
    let unknown = failure(world.login(world.profile("eve", "eve")).await);
    let reason = unknown.source.to_string();
    assert!(reason.contains("not known whether it was written"), "{reason}");
    assert!(reason.contains("failed to commit transaction on worker-1.example"), "{reason}");
    // A retry finds the existing user.
    world.register(&["eve"]).await;
    let plain = world_in(Engine::postgres()).await;
    plain.engine.sql(&warning_once("users", ""));
    plain.register(&["eve"]).await;
    assert!(has_warned(&plain));
}

/// Repeatedly cancels all waits for a standby.
fn give_up_waiting(server: &Server, is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        server.psql(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_without_confirmation_of_a_standby_is_not_a_success() {
    let server = Arc::new(Server::start());
    let world = world_in(Engine::Postgres(server.new_schema().into())).await;
    let have_standby = |name: &str| {
        server.psql(&format!("ALTER SYSTEM SET synchronous_standby_names = '{name}'"));
        server.psql("SELECT pg_reload_conf()");
    };
    have_standby("nobody_of_this_name");
    let is_over = Arc::new(AtomicBool::new(false));
    let giving_up = tokio::task::spawn_blocking({
        let (server, is_over) = (server.clone(), is_over.clone());
        move || give_up_waiting(&server, &is_over)
    });
    let mut answered = 1;
    let refused = async {
        loop {
            // The server applies the setting with a delay.
            match world.try_post("support", draft_by("ana", "hello")).await {
                Ok(_) => answered += 1,
                refused => return failure(refused),
            }
        }
    };
    let refused = timeout(Duration::from_secs(60), refused).await.expect("it happens in time");
    is_over.store(true, Ordering::Relaxed);
    giving_up.await.expect("ends");
    let reason = refused.source.to_string();
    assert!(reason.contains("not known whether it was written"), "{reason}");
    assert!(reason.contains("canceling wait for synchronous replication"), "{reason}");
    have_standby("");
    let again = async { while world.try_post("support", draft_by("ana", "hi")).await.is_err() {} };
    timeout(Duration::from_secs(60), again).await.expect("it happens in time");
    let there = world.chain("support").await.len();
    assert!(there > answered, "answered messages are stored: {there}, {answered}");
}
