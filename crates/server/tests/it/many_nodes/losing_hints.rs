//! The bus between three nodes fails at each node in turn, while messages are posted through all of
//! them. A watcher at any node receives each message exactly once.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use confab_test_servers::nats::Setup;
use confab_test_servers::postgres::shared;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{interval, timeout};

use super::check_log;
use super::posters::MURMUR;
use crate::realtime::watcher::Watcher;
use crate::support::caller::Caller;
use crate::support::engine::with_password;
use crate::support::process::{Confab, Folder};
use crate::support::waiting::{PATIENCE, until_so};

const NODES: usize = 3;
/// Messages of each poster that every watcher must receive in each phase of a fault.
const PHASE_MESSAGES: usize = 20;
/// Interval between two posts of a poster.
const PACE: Duration = Duration::from_millis(20);
const PASSWORD: &str = "open-sesame";

/// Posts through a node until the end; returns the number of messages.
async fn post(node: Caller, number: usize, is_over: Arc<AtomicBool>) -> usize {
    let mut pace = interval(PACE);
    let mut posted = 0;
    while !is_over.load(Ordering::Relaxed) {
        pace.tick().await;
        node.post_comment("ana", "support", &format!("{MURMUR} {number} {posted}")).await;
        posted += 1;
    }
    posted
}

/// Number of messages that a watcher has received of each poster, without gaps.
type Seen = [usize; NODES];

/// Watches at a node until aborted; asserts that no message arrives twice.
async fn watch_at(node: Caller, seen: watch::Sender<Seen>, has_begun: watch::Sender<usize>) {
    let mut bob = Watcher::start(&node, "bob").await;
    has_begun.send_modify(|count| *count += 1);
    // Messages of one poster arrive in order, unless one is missed and loaded after later ones.
    let mut early = HashSet::new();
    loop {
        let (kind, text) = bob.next_text().await;
        assert_eq!(kind, "message");
        let mut numbers = text.split(' ').skip(1).map(|it| it.parse::<usize>().expect("a number"));
        let (poster, number) =
            (numbers.next().expect("a poster"), numbers.next().expect("a message number"));
        let so_far = seen.borrow()[poster];
        assert!(number >= so_far, "{poster} {number} came twice");
        assert!(early.insert((poster, number)), "{poster} {number} came twice");
        let mut next = so_far;
        while early.remove(&(poster, next)) {
            next += 1;
        }
        seen.send_modify(|seen| seen[poster] = next);
    }
}

/// Three nodes, with a watcher and a poster at each.
struct Watched {
    is_over: Arc<AtomicBool>,
    posting: Vec<JoinHandle<usize>>,
    watching: Vec<(JoinHandle<()>, watch::Receiver<Seen>)>,
}

impl Watched {
    async fn start(nodes: &[Housed]) -> Self {
        nodes[0].node.shop().furnish().await;
        let begun = watch::Sender::new(0);
        let watching: Vec<_> = nodes
            .iter()
            .map(|node| {
                let seen = watch::Sender::new([0; NODES]);
                let receiver = seen.subscribe();
                (tokio::spawn(watch_at(node.node.shop(), seen, begun.clone())), receiver)
            })
            .collect();
        let all =
            timeout(PATIENCE, begun.subscribe().wait_for(|count| *count == NODES)).await.is_ok();
        assert!(all, "all watchers are connected");
        let is_over = Arc::new(AtomicBool::new(false));
        let post = |(number, node): (usize, &Housed)| {
            tokio::spawn(post(node.node.shop(), number, is_over.clone()))
        };
        let posting = nodes.iter().enumerate().map(post).collect();
        Self { is_over, posting, watching }
    }

    /// Waits until every watcher has received this many more messages of each poster.
    async fn until_received(&self, more: usize) {
        for (watching, seen) in &self.watching {
            assert!(!watching.is_finished(), "a watcher ended early");
            let before = *seen.borrow();
            let is_enough =
                |now: &Seen| (0..NODES).all(|poster| now[poster] >= before[poster] + more);
            let mut later = seen.clone();
            let has_seen = timeout(PATIENCE, later.wait_for(is_enough)).await;
            assert!(has_seen.is_ok_and(|it| it.is_ok()), "{before:?}, then {:?}", seen.borrow());
        }
    }

    /// Stops the posters; asserts that every watcher received all messages.
    async fn end(self) -> Seen {
        self.is_over.store(true, Ordering::Relaxed);
        let mut posted = [0; NODES];
        for (number, posting) in self.posting.into_iter().enumerate() {
            posted[number] = posting.await.expect("posted");
        }
        for (watching, mut seen) in self.watching {
            let all = timeout(PATIENCE, seen.wait_for(|seen| *seen == posted)).await;
            assert!(all.is_ok_and(|it| it.is_ok()), "{posted:?} posted, {:?} seen", seen.borrow());
            watching.abort();
        }
        posted
    }
}

/// A node and its folder.
struct Housed {
    node: Confab,
    folder: Folder,
}

/// Starts nodes on one database, each with an application name of its own, and on one data folder,
/// because nodes must share uploaded files.
async fn nodes_on(
    url: &str,
    settings: impl Fn(usize) -> Vec<(&'static str, String)>,
) -> Vec<Housed> {
    let named = |number: usize| format!("{}&application_name=node{number}", with_password(url));
    let mut nodes: Vec<Housed> = Vec::new();
    for number in 0..NODES {
        let mut folder = Folder::with_database(Some(named(number)));
        if number == 0 {
            folder = folder.and_app().await;
        }
        let settings = settings(number);
        let settings: Vec<_> = settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let all = [&[("CONFAB_LOG_LEVEL", "debug")], &settings[..]].concat();
        let data = nodes.first().map_or(folder.data(), |it| it.folder.data());
        let node = folder.serve_with(&["--data", &data.to_string_lossy()], &all);
        nodes.push(Housed { node, folder });
    }
    nodes
}

/// Waits until a node is ready and receives events from the others.
async fn until_receiving(node: &Confab) {
    let shop = node.shop();
    until_so("the node receives events from the others", async || {
        let ready = shop.ready().await;
        ready.status == 200 && ready.json()["warning"].is_null()
    })
    .await;
}

fn certificate(folder: &Path) -> [PathBuf; 2] {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let files = [("cert.pem", cert.pem()), ("key.pem", signing_key.serialize_pem())];
    files.map(|(name, text)| {
        std::fs::write(folder.join(name), text).expect("written");
        folder.join(name)
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_message_arrives_once_while_three_nats_servers_are_killed_in_turn() {
    let folder = tempfile::tempdir().expect("a folder");
    let [cert, key] = certificate(folder.path());
    let setup = Setup::new().password(PASSWORD).encrypted(&cert, &key);
    let cluster = setup.start_cluster(NODES);
    // Each node is configured with one server, from which it learns of the others.
    let nodes = nodes_on(&shared().new_schema(), |number| {
        let url = ("CONFAB_NATS_URL", cluster[number].url());
        vec![url, ("CONFAB_NATS_CA_FILE", cert.display().to_string())]
    })
    .await;
    for Housed { node, .. } in &nodes {
        node.log.wait_for("connected to NATS");
    }
    let watched = Watched::start(&nodes).await;
    watched.until_received(PHASE_MESSAGES).await;
    for (number, Housed { node, .. }) in nodes.iter().enumerate() {
        cluster[number].stop();
        watched.until_received(PHASE_MESSAGES).await;
        node.log.wait_for("connection to NATS lost");
        until_receiving(node).await;
        watched.until_received(PHASE_MESSAGES).await;
        cluster[number].start_again();
        cluster.iter().for_each(|server| server.wait_for_others(NODES - 1));
    }
    let posted = watched.end().await;
    println!(
        "NATS servers killed in turn: {posted:?} posted, all seen once at each of {NODES} nodes"
    );
    for Housed { node, .. } in &nodes {
        check_log(node);
        assert!(!node.log.text().contains(PASSWORD), "the password is in the log");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_message_arrives_once_while_listening_connections_are_ended_in_turn() {
    let url = shared().new_schema();
    let nodes = nodes_on(&url, |_| Vec::new()).await;
    for Housed { node, .. } in &nodes {
        until_receiving(node).await;
    }
    let watched = Watched::start(&nodes).await;
    watched.until_received(PHASE_MESSAGES).await;
    for (number, Housed { node, .. }) in nodes.iter().enumerate() {
        let ended = shared().psql_at(
            &url,
            &format!(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE \
                 application_name = 'node{number}' AND \
                 query = 'LISTEN confab_' || md5(current_schema())"
            ),
        );
        assert_eq!(ended, "1");
        watched.until_received(PHASE_MESSAGES).await;
        until_receiving(node).await;
        watched.until_received(PHASE_MESSAGES).await;
    }
    let posted = watched.end().await;
    println!("listening connections ended in turn: {posted:?} posted, all seen once");
    nodes.iter().for_each(|it| check_log(&it.node));
}
