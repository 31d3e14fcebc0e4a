//! Failover of the database to its synchronous standby, under the load of two nodes that have both
//! in one URL: acknowledged messages are stored once, and the nodes continue by themselves.

use std::time::{Duration, Instant};

use confab_test_servers::postgres::{Server, Setup};
use tokio::time::timeout;

use super::proxy::{Network, Proxy};
use super::{POSTERS, ROOMS, check_not_ready};
use crate::many_nodes::posters::Crowd;
use crate::many_nodes::{check_log, launch};
use crate::support::engine::with_password;
use crate::support::process::Folder;
use crate::support::waiting::until_so;

/// Maximum time from the promotion of the standby to the first acknowledged post
/// (docs/operating/postgresql.md).
const BACK_WITHIN: Duration = Duration::from_secs(30);

/// A primary whose commits wait for its standby.
struct Pair {
    primary: Server,
    standby: Server,
}

impl Pair {
    fn start() -> Self {
        let primary = Setup::new().keep_fsync().start();
        let standby = primary.standby();
        primary.wait_for_standby();
        Self { primary, standby }
    }

    /// Returns one URL of both servers, with this port for the primary.
    fn url(&self, primary: u16) -> String {
        with_password(&format!(
            "postgres://postgres@127.0.0.1:{primary},127.0.0.1:{}/postgres\
             ?target_session_attrs=read-write",
            self.standby.port()
        ))
    }

    /// Posts through two nodes while `stop` stops the primary and the standby is promoted; checks
    /// the messages.
    async fn check_failover(&self, what: &str, primary: u16, stop: impl FnOnce()) {
        let folder = Folder::with_database(Some(self.url(primary))).and_app().await;
        let (one, two) = (launch(&folder), launch(&folder));
        let (one, two) = (one.listening(), two.listening());
        let mut crowd = Crowd::gather(&one.shop(), POSTERS, ROOMS).await;
        let posting = crowd.post_through(&[one.shop(), two.shop()]);
        posting.acknowledged(200).await;
        stop();
        posting.refused(1).await;
        check_not_ready(&one.shop()).await;
        self.standby.promote();
        let promoted = Instant::now();
        let back = timeout(BACK_WITHIN, posting.acknowledged(1)).await;
        assert!(back.is_ok(), "a post is acknowledged within {BACK_WITHIN:?} of the promotion");
        println!("{what}: back {:?} after the standby was promoted", promoted.elapsed());
        posting.acknowledged(200).await;
        for shop in [one.shop(), two.shop()] {
            until_so("readiness", async || shop.ready().await.status == 200).await;
        }
        crowd.posters = posting.end().await;
        crowd.check(what, &folder, &[one.shop(), two.shop()]).await;
        check_log(&one);
        check_log(&two);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_primary_loses_no_messages_and_its_standby_takes_over() {
    let pair = Pair::start();
    pair.check_failover("killed primary", pair.primary.port(), || pair.primary.kill()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crashed_primary_loses_no_messages_and_its_standby_takes_over() {
    let pair = Pair::start();
    let primary = pair.primary.port();
    pair.check_failover("crashed primary", primary, || pair.primary.stop_immediately()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unresponsive_primary_does_not_prevent_failover_to_its_standby() {
    let pair = Pair::start();
    let proxy = Proxy::to(pair.primary.port()).await;
    let stop = || proxy.set(Network::Swallows);
    pair.check_failover("silent primary", proxy.port(), stop).await;
}
