//! Connections break, and the server behind them goes away and comes back.

use std::time::{Duration, Instant};

use confab_test_servers::postgres::Setup;

use super::{POSTERS, Scene, check_not_ready};

const ROUNDS: usize = 3;
const TERMINATIONS: usize = 25;
const DOWN: Duration = Duration::from_secs(3);

/// The sessions of nodes, not the one that asks.
pub(super) const TERMINATE: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
    WHERE application_name = 'confab'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarts_of_the_database_under_load_lose_nothing() {
    let mut scene = Scene::set().await;
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
async fn crashes_of_the_database_under_load_lose_nothing() {
    let mut scene = Scene::set_with(Setup::new().keep_fsync()).await;
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
async fn connections_terminated_again_and_again_under_load_lose_nothing() {
    let mut scene = Scene::set().await;
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
async fn a_database_that_is_down_is_told_quickly_and_its_return_is_noticed() {
    let mut scene = Scene::set().await;
    let shop = scene.shop();
    let posting = scene.post();
    posting.acknowledged(60).await;
    scene.database.stop_immediately();
    let down = Instant::now();
    posting.refused(1).await;
    while down.elapsed() < DOWN {
        check_not_ready(&shop).await;
        let asked = Instant::now();
        posting.refused(5 * POSTERS).await;
        // If each of the five waited as long as an answer may take, it would be twice as long.
        assert!(asked.elapsed() < Duration::from_secs(15), "{:?}", asked.elapsed());
        let page = shop.get("load_comments", &[("room_id", "room0")]).await;
        page.refused(503, "store_unavailable");
        assert!(!page.header("retry-after").is_empty(), "{page:?}");
    }
    scene.database.start_again();
    scene.recovered().await;
    posting.acknowledged(60).await;
    scene.check("down", posting).await;
}
