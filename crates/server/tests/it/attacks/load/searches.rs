//! One app's searches, sent in loops, do not delay other apps (D-0207).
//!
//! A lock on the table of the index holds the search open, so these tests run on PostgreSQL,
//! regardless of the configured engine.

use std::io::Write;
use std::process::{Child, Stdio};

use confab_test_servers::postgres::shared;
use futures_util::future::join_all;

use crate::support::answer::each;
use crate::support::client::Client;
use crate::support::engine;
use crate::support::office::Office;
use crate::support::process::{Confab, Folder};
use crate::support::test_server::create_app;
use crate::support::waiting::{until_so, until_status};

const ATTACKERS: usize = 24;

/// Two apps on one node.
struct Scene {
    node: Confab,
    folder: Folder,
}

/// A lock on a table of the node's database, released on drop.
struct TableLock<'a> {
    scene: &'a Scene,
    table: &'static str,
    psql: Child,
}

impl Scene {
    async fn set() -> Self {
        let folder = Folder::with_database(Some(shared().new_schema())).and_app().await;
        create_app(&mut engine::registry(&folder.location()).await, "other").await;
        Self { node: folder.serve(), folder }
    }

    fn url(&self) -> &str {
        self.folder.database().expect("a PostgreSQL")
    }

    async fn lock(&self, table: &'static str) -> TableLock<'_> {
        let mut psql = shared().program("psql");
        psql.args(["-qX", self.url()]).stdin(Stdio::piped());
        let mut psql = psql.spawn().expect("psql was found");
        let stdin = psql.stdin.as_mut().expect("a pipe");
        writeln!(stdin, "BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE;").expect("written");
        let lock = TableLock { scene: self, table, psql };
        until_so("the table is locked", async || lock.count("granted") == 1).await;
        lock
    }
}

impl TableLock<'_> {
    /// Waits until a statement waits for the lock.
    async fn until_awaited(&self) {
        until_so("a search waits for the lock", async || self.count("NOT granted") > 0).await;
    }

    fn count(&self, which: &str) -> usize {
        let table = self.table;
        let counted = shared().psql_at(
            self.scene.url(),
            &format!(
                "SELECT count(*) FROM pg_locks WHERE {which} AND relation = '{table}'::regclass"
            ),
        );
        counted.trim().parse().expect("a number")
    }
}

impl Drop for TableLock<'_> {
    fn drop(&mut self) {
        // The end of the input ends the session and its transaction.
        drop(self.psql.stdin.take());
        let _ = self.psql.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_searches_users_in_loops_is_refused_and_delays_no_other_app() {
    let scene = Scene::set().await;
    let shop = scene.node.shop();
    let other = scene.node.caller("other", "sdk-secret-of-other");
    let (ana, eve) = (Client::new(&shop, "ana").await, Client::new(&other, "eve").await);
    shop.register("bob").await;
    let lock = scene.lock("user_grams").await;
    let loops = join_all((0..ATTACKERS).map(|_| eve.get("get_user_list", &[("query", "zzqq")])));
    let others = async {
        lock.until_awaited().await;
        let listed = ana.get("get_user_list", &[]).await.results();
        assert_eq!(each(&listed["users"], "email"), ["ana", "bob"]);
        assert_eq!(ana.get("user_rooms", &[]).await.status, 200);
        assert_eq!(shop.get("get_user_list", &[]).await.status, 200);
    };
    let (refused, ()) = tokio::join!(loops, others);
    for code in ["too_many_at_once", "search_too_slow"] {
        assert!(refused.iter().any(|answer| answer.text.contains(code)), "{code}");
    }
    for answer in &refused {
        assert_eq!((answer.status, answer.header("retry-after")), (429, "1"), "{}", answer.text);
    }
    drop(lock);
    // On a busy machine a search may be ended.
    let found = until_status(200, async || eve.get("get_user_list", &[("query", "EV")]).await);
    let found = found.await.results();
    assert_eq!(each(&found["users"], "email"), ["eve"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_who_search_messages_in_loops_delay_no_other_app() {
    let scene = Scene::set().await;
    let shop = scene.node.shop();
    let other = scene.node.caller("other", "sdk-secret-of-other");
    let ana = Client::new(&shop, "ana").await;
    let admin = Office::of(&shop).hire("ann", "admin").await;
    let attackers = [
        Office::of(&other).hire("eve", "admin").await,
        Office::of(&other).hire("eva", "admin").await,
    ];
    let lock = scene.lock("search_messages").await;
    let attacks = attackers
        .iter()
        .flat_map(|by| (0..ATTACKERS / 2).map(|_| by.get("/api/v2/search", &[("q", "zzqq")])));
    let others = async {
        lock.until_awaited().await;
        assert_eq!(ana.get("user_rooms", &[]).await.status, 200);
        let listed = ana.get("get_user_list", &[]).await.results();
        assert_eq!(each(&listed["users"], "email"), ["ana"]);
        for path in ["/api/v2/contacts", "/api/v2/customer_rooms", "/api/v2/admin/agents"] {
            assert_eq!(admin.get(path, &[]).await.status, 200, "{path}");
        }
    };
    let (refused, ()) = tokio::join!(join_all(attacks), others);
    assert!(refused.iter().all(|answer| answer.status == 429));
    drop(lock);
    let search = async || attackers[0].get("/api/v2/search", &[("q", "zzqq")]).await;
    until_status(200, search).await;
}
