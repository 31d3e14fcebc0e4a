//! A node whose realtime events lag behind commits is not ready until it has caught up.

use std::process::Command;

use confab_test_servers::postgres::shared;

use super::check_log;
use crate::realtime::watcher::Watcher;
use crate::support::engine::with_password;
use crate::support::process::Folder;
use crate::support::waiting::{until, until_so};

/// PostgreSQL processes that are suspended until this is dropped.
struct Stopped(Vec<String>);

impl Stopped {
    fn new(pids: Vec<String>) -> Self {
        signal(&pids, "STOP");
        Self(pids)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        signal(&self.0, "CONT");
    }
}

fn signal(pids: &[String], name: &str) {
    let sent = Command::new("kill").arg(format!("-{name}")).args(pids).status();
    assert!(sent.expect("kill runs").success(), "{name} was sent to {pids:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_node_with_late_realtime_events_is_not_ready_until_it_has_caught_up() {
    let url = shared().new_schema();
    let named = |name: &str| format!("{}&application_name={name}", with_password(&url));
    let folder = Folder::with_database(Some(named("prompt"))).and_app().await;
    let late_folder = Folder::with_database(Some(named("late")));
    let data = folder.data();
    let prompt = folder.serve_with(&["--data", &data.to_string_lossy()], &[]);
    let late = late_folder.serve_with(&["--data", &data.to_string_lossy()], &[]);
    prompt.shop().furnish().await;
    let mut bob = Watcher::start(&late.shop(), "bob").await;
    let mut posted = 0;
    let mut post = async || {
        posted += 1;
        prompt.shop().post_comment("ana", "support", &posted.to_string()).await;
        posted
    };
    // This session reads the events that the bus announces. While suspended, no event is shown.
    let mut shown = 0;
    let pids = until("a session reads events", async || {
        shown = post().await;
        assert_eq!(bob.next_text().await.1, shown.to_string());
        let reading = shared().psql_at(
            &url,
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'late' \
             AND query LIKE 'SELECT ''said'' AS happened%'",
        );
        let pids: Vec<_> = reading.lines().map(str::to_owned).collect();
        (!pids.is_empty()).then_some(pids)
    })
    .await;
    let stopped = Stopped::new(pids);
    for _ in 0..8 {
        post().await;
    }
    until_so("realtime lags", async || late.shop().ready().await.status == 503).await;
    late.log.wait_for("behind commits");
    until_so("the other node is ready", async || prompt.shop().ready().await.status == 200).await;
    drop(stopped);
    until_so("the node has caught up", async || late.shop().ready().await.status == 200).await;
    let last = post().await;
    for number in shown + 1..=last {
        assert_eq!(bob.next_text().await.1, number.to_string());
    }
    check_log(&prompt);
}
