//! Broken connections, and restarts of the database server.

use std::time::{Duration, Instant};

use confab_test_servers::postgres::Setup;

use super::{POSTERS, Scene, check_not_ready};

const ROUNDS: usize = 3;
const TERMINATIONS: usize = 25;
const DOWN: Duration = Duration::from_secs(3);

/// Terminates the sessions of nodes, but not the session that runs it.
pub(super) const TERMINATE: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
    WHERE application_name = 'confab'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarts_of_the_database_under_load_lose_no_messages() {
    let mut scene = Scene::new().await;
    let posting = scene.post();
    for _ in 0..ROUNDS {
        posting.acknowledged(60).await;
        scene.database.restart();
        posting.acknowledged(60).await;
    }
    scene.recovered().await;
    scene.check("restarts", posting).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn crashes_of_the_database_under_load_lose_no_messages() {
    let mut scene = Scene::with(Setup::new().keep_fsync()).await;
    let posting = scene.post();
    for _ in 0..ROUNDS {
        posting.acknowledged(60).await;
        scene.database.stop_immediately();
        scene.database.start_again();
        posting.acknowledged(60).await;
    }
    scene.recovered().await;
    scene.check("crashes", posting).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeatedly_terminated_connections_under_load_lose_no_messages() {
    let mut scene = Scene::new().await;
    let posting = scene.post();
    for _ in 0..TERMINATIONS {
        posting.acknowledged(15).await;
        scene.database.psql(TERMINATE);
    }
    posting.acknowledged(15).await;
    scene.recovered().await;
    scene.check("terminated connections", posting).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_fail_quickly_while_the_database_is_down_and_succeed_after_its_return() {
    let mut scene = Scene::new().await;
    let shop = scene.shop();
    let posting = scene.post();
    posting.acknowledged(60).await;
    scene.database.stop_immediately();
    let down = Instant::now();
    posting.refused(1).await;
    while down.elapsed() < DOWN {
        check_not_ready(&shop).await;
        let begun = Instant::now();
        posting.refused(5 * POSTERS).await;
        // Five rounds of requests that each waited for a timeout would take longer.
        assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
        let page = shop.get("load_comments", &[("room_id", "room0")]).await;
        page.refused(503, "store_unavailable");
        assert!(!page.header("retry-after").is_empty(), "{page:?}");
    }
    scene.database.start_again();
    scene.recovered().await;
    posting.acknowledged(60).await;
    scene.check("down", posting).await;
}
