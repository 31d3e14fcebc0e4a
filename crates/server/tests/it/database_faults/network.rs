//! Faults of the network between a node and its database.

use std::time::{Duration, Instant};

use confab_test_servers::postgres::Server;
use tokio::time::timeout;

use super::proxy::{Network, Proxy};
use super::{Scene, check_not_ready};
use crate::many_nodes::posters::ANSWERED_WITHIN;
use crate::support::engine::{DATABASE_PASSWORD, with_password};
use crate::support::process::Folder;
use crate::support::waiting::until_so;

const SILENCE: Duration = Duration::from_secs(15);
const LOST_COMMITS: usize = 12;

async fn behind_proxy() -> (Scene, Proxy) {
    let database = Server::start();
    let proxy = Proxy::to(database.port()).await;
    let url = proxy.url(&database.url());
    (Scene::behind(database, &url).await, proxy)
}

/// Asserts that requests are refused in bounded time while the network is silent, and that the node
/// recovers.
async fn check_silence((mut scene, proxy): (Scene, Proxy), silence: Network, what: &str) {
    let shop = scene.shop();
    let posting = scene.post();
    posting.acknowledged(60).await;
    proxy.set(silence);
    let silent = Instant::now();
    while silent.elapsed() < SILENCE {
        check_not_ready(&shop).await;
        let page = shop.get("load_comments", &[("room_id", "room0")]);
        let page = timeout(ANSWERED_WITHIN, page).await.expect("an answer in bounded time");
        page.refused(503, "store_unavailable");
    }
    posting.refused(1).await;
    proxy.set(Network::Works);
    let works = Instant::now();
    scene.recovered().await;
    println!("{what}: ready {:?} after the network", works.elapsed());
    posting.acknowledged(60).await;
    scene.check(what, posting).await;
}

/// Runs three faults concurrently, because each waits for half a minute.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_network_loses_no_messages_and_the_node_recovers() {
    // Starting a server blocks this thread, so all servers start before any time is measured.
    let (first, second, third) = (behind_proxy().await, behind_proxy().await, behind_proxy().await);
    tokio::join!(
        check_silence(first, Network::HoldsBack, "held back"),
        check_silence(second, Network::Swallows, "swallowed"),
        check_lost(third, Network::SwallowsAnswer, 1, "swallowed answers"),
    );
}

/// Loses commits one after the other under load; asserts that no post is refused.
async fn check_lost((mut scene, proxy): (Scene, Proxy), lost: Network, times: usize, what: &str) {
    let posting = scene.post();
    for number in 1..=times {
        posting.acknowledged(10).await;
        proxy.set(lost);
        until_so("a broken connection", || async { proxy.broken() == number }).await;
    }
    posting.acknowledged(60).await;
    scene.check(what, posting).await;
    let refused = scene.crowd.posters.iter().map(|poster| poster.refused()).sum::<usize>();
    assert_eq!(refused, 0, "the node determines the outcome of a lost commit");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_whose_response_is_lost_is_acknowledged_once() {
    check_lost(behind_proxy().await, Network::LosesAnswer, LOST_COMMITS, "lost answers").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_commit_is_repeated_and_acknowledged_once() {
    check_lost(behind_proxy().await, Network::LosesCommit, LOST_COMMITS, "lost commits").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_database_does_not_prevent_a_node_from_shutting_down() {
    let database = confab_test_servers::postgres::shared();
    let proxy = Proxy::to(database.port()).await;
    let url = with_password(&proxy.url(&database.new_schema()));
    let folder = Folder::with_database(Some(url)).and_app().await;
    let node = folder.serve();
    proxy.set(Network::Swallows);
    let silent = Instant::now();
    let starting = folder.launch(&[], &[]);
    check_not_ready(&node.shop()).await;
    node.signal("TERM");
    // The node cannot release its number, which is not required.
    node.ended();
    assert!(silent.elapsed() < ANSWERED_WITHIN, "{:?}", silent.elapsed());
    let log = starting.failed();
    assert!(log.contains("database") && !log.contains(DATABASE_PASSWORD), "{log}");
    assert!(silent.elapsed() < ANSWERED_WITHIN, "{:?}", silent.elapsed());
}
