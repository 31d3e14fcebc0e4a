//! Faults of the database under load: acknowledged messages are stored once and in order, all other
//! posts are refused with a retry time, and the node recovers by itself.
//!
//! These tests run on PostgreSQL, regardless of the configured engine. Each has a server of its
//! own.

mod proxy;

mod breaking;
mod failing_over;
mod network;
mod pooling;
mod refusing;

use confab_test_servers::postgres::{Server, Setup};
use reqwest::Method;
use tokio::time::timeout;

use crate::many_nodes::posters::{ANSWERED_WITHIN, Crowd, Posting};
use crate::many_nodes::{check_log, launch};
use crate::support::caller::{Caller, sent};
use crate::support::engine::with_password;
use crate::support::process::{Confab, Folder};
use crate::support::waiting::until_so;

const POSTERS: usize = 8;
const ROOMS: usize = 4;

/// A node with a database that will fail, and its posters.
struct Scene {
    database: Server,
    folder: Folder,
    node: Confab,
    crowd: Crowd,
}

impl Scene {
    async fn new() -> Self {
        Self::with(Setup::new()).await
    }

    async fn with(setup: Setup) -> Self {
        let database = setup.start();
        let url = database.url();
        Self::behind(database, &url).await
    }

    /// Starts a node that reaches its database at this URL; the checks connect directly.
    async fn behind(database: Server, url: &str) -> Self {
        let folder = Folder::with_database(Some(with_password(&database.url()))).and_app().await;
        let near = Folder::with_database(Some(with_password(url)));
        let node = launch(&near).listening();
        let crowd = Crowd::gather(&node.shop(), POSTERS, ROOMS).await;
        Self { database, folder, node, crowd }
    }

    fn shop(&self) -> Caller {
        self.node.shop()
    }

    fn post(&mut self) -> Posting {
        let callers = [self.node.shop()];
        self.crowd.post_through(&callers)
    }

    /// Waits until the node is ready again.
    async fn recovered(&self) {
        let shop = self.shop();
        until_so("readiness", || async { shop.ready().await.status == 200 }).await;
    }

    /// Stops the posters and checks their messages and the node.
    async fn check(&mut self, what: &str, posting: Posting) {
        self.crowd.posters = posting.end().await;
        let (shop, folder) = (self.shop(), &self.folder);
        let alive = sent(shop.bare(Method::GET, "/health")).await;
        assert_eq!(alive.status, 200);
        self.crowd.check(what, folder, &[shop]).await;
        check_log(&self.node);
    }
}

/// Asserts that the node reports in bounded time that it is not ready, with a retry time.
async fn check_not_ready(shop: &Caller) {
    let answer = timeout(ANSWERED_WITHIN, shop.ready()).await.expect("an answer in bounded time");
    answer.refused(503, "not_ready");
    assert!(!answer.header("retry-after").is_empty(), "{answer:?}");
}
