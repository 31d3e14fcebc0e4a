//! The network between a node and its database fails.

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
    (Scene::set_behind(database, &url).await, proxy)
}

/// For a while nothing comes through; everybody is answered in bounded time all the same.
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

/// They take half a minute, which they spend waiting: so they wait together.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_network_that_falls_silent_in_any_way_is_survived() {
    // Starting a server blocks this thread, so all of them are started before anybody is timed.
    let (first, second, third) = (behind_proxy().await, behind_proxy().await, behind_proxy().await);
    tokio::join!(
        check_silence(first, Network::HoldsBack, "held back"),
        check_silence(second, Network::Swallows, "swallowed"),
        check_lost(third, Network::SwallowsAnswer, 1, "swallowed answers"),
    );
}

/// Commits are lost one after the other under load; nobody is told about it.
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
    assert_eq!(refused, 0, "what became of a commit can be learned");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_whose_answer_is_lost_is_acknowledged_once() {
    check_lost(behind_proxy().await, Network::LosesAnswer, LOST_COMMITS, "lost answers").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_is_lost_on_its_way_is_made_again_and_acknowledged_once() {
    check_lost(behind_proxy().await, Network::LosesCommit, LOST_COMMITS, "lost commits").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_database_keeps_no_node_from_ending() {
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
    // Its number could not be given back, but it need not be.
    node.ended();
    assert!(silent.elapsed() < ANSWERED_WITHIN, "{:?}", silent.elapsed());
    let said = starting.failed();
    assert!(said.contains("database") && !said.contains(DATABASE_PASSWORD), "{said}");
    assert!(silent.elapsed() < ANSWERED_WITHIN, "{:?}", silent.elapsed());
}
