//! The database fails over to its synchronous standby, under load of two nodes that know both by
//! one address: what was acknowledged is there, once, and the nodes go on by themselves.

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

/// From the moment the standby takes writes until nodes write to it (docs/operating/postgresql.md).
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

    /// One address for both, of which the first is reached at this port.
    fn url(&self, primary: u16) -> String {
        with_password(&format!(
            "postgres://postgres@127.0.0.1:{primary},127.0.0.1:{}/postgres\
             ?target_session_attrs=read-write",
            self.standby.port()
        ))
    }

    /// Two nodes post while the primary goes away in this manner and the standby is promoted.
    async fn fails_over(&self, what: &str, primary: u16, goes: impl FnOnce()) {
        let folder = Folder::with_database(Some(self.url(primary))).and_app().await;
        let (one, two) = (launch(&folder), launch(&folder));
        let (one, two) = (one.listening(), two.listening());
        let mut crowd = Crowd::gather(&one.shop(), POSTERS, ROOMS).await;
        let posting = crowd.post_through(&[one.shop(), two.shop()]);
        posting.acknowledged(200).await;
        goes();
        posting.refused(1).await;
        check_not_ready(&one.shop()).await;
        self.standby.promote();
        let promoted = Instant::now();
        let back = timeout(BACK_WITHIN, posting.acknowledged(1)).await;
        assert!(back.is_ok(), "nothing is written {BACK_WITHIN:?} after the standby was promoted");
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
async fn a_primary_that_is_killed_loses_nothing_and_its_standby_takes_over() {
    let pair = Pair::start();
    pair.fails_over("killed primary", pair.primary.port(), || pair.primary.kill()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_that_crashes_loses_nothing_and_its_standby_takes_over() {
    let pair = Pair::start();
    let primary = pair.primary.port();
    pair.fails_over("crashed primary", primary, || pair.primary.stop_immediately()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_that_answers_nobody_any_more_keeps_nobody_from_its_standby() {
    let pair = Pair::start();
    let proxy = Proxy::to(pair.primary.port()).await;
    let gone = || proxy.set(Network::Swallows);
    pair.fails_over("silent primary", proxy.port(), gone).await;
}
