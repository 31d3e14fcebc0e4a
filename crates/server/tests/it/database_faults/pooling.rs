//! Connection poolers between nodes and their database: session pooling works, and any other mode
//! is refused before anything is written (design/storage).

use confab_test_servers::postgres::{PoolMode, Pooler, Setup};

use super::Scene;
use super::breaking::TERMINATE;
use crate::many_nodes::launch;
use crate::support::engine::with_password;
use crate::support::process::Folder;
use crate::support::waiting::until_so;

/// Twice the maximum connections of a node, and those of commands.
const CONNECTIONS: usize = 30;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transaction_and_statement_pooling_are_refused_with_the_reason() {
    let database = Setup::new().start();
    let direct = with_password(&database.url());
    for (mode, connections) in [
        (PoolMode::Transaction, CONNECTIONS),
        (PoolMode::Transaction, 1),
        (PoolMode::Statement, CONNECTIONS),
    ] {
        let pooler = Pooler::start(&database, mode, connections);
        let folder = Folder::with_database(Some(pooler.url(&direct)));
        let output = launch(&folder).failed();
        assert!(output.contains("pool_mode = session"), "{mode:?}: {output}");
        let output = folder.run(&["app", "list"]).failed(1);
        assert!(output.contains("pool_mode = session"), "{mode:?}: {output}");
        let found = folder.run(&["doctor", "--json"]);
        assert_eq!(found.code, Some(1));
        assert!(found.out.contains("pool_mode = session"), "{mode:?}: {}", found.out);
    }
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(database.psql(tables), "0", "nothing was written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transaction_pooling_is_detected_on_a_busy_pooler() {
    let database = Setup::new().start();
    let pooler = Pooler::start(&database, PoolMode::Transaction, CONNECTIONS);
    let url = pooler.url(&database.url());
    let mut busy = database.program("pgbench");
    busy.args(["-i", "-q", &url]);
    assert!(busy.output().expect("pgbench runs").status.success());
    let mut busy = database.program("pgbench");
    busy.args(["-n", "-c", "8", "-T", "600", "-M", "simple", &url]);
    busy.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut busy = busy.spawn().expect("pgbench runs");
    for _ in 0..20 {
        let output = Folder::with_database(Some(url.clone())).run(&["app", "list"]).failed(1);
        assert!(output.contains("pool_mode = session"), "{output}");
    }
    busy.kill().expect("killed");
    busy.wait().expect("ended");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_behind_a_session_pooler_loses_no_messages() {
    let database = Setup::new().start();
    let pooler = Pooler::start(&database, PoolMode::Session, CONNECTIONS);
    let url = pooler.url(&database.url());
    let mut scene = Scene::behind(database, &url).await;
    let posting = scene.post();
    for _ in 0..5 {
        posting.acknowledged(60).await;
        scene.database.psql(TERMINATE);
    }
    posting.acknowledged(60).await;
    scene.recovered().await;
    scene.check("pooled by session", posting).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_behind_a_session_pooler_receive_each_others_events() {
    let database = Setup::new().start();
    let pooler = Pooler::start(&database, PoolMode::Session, CONNECTIONS);
    let url = pooler.url(&with_password(&database.url()));
    let folder = Folder::with_database(Some(url)).and_app().await;
    let (one, two) = (launch(&folder).listening(), launch(&folder).listening());
    one.shop().furnish().await;
    until_so("the other node receives events", async || {
        one.shop().post_comment("ana", "support", "hello").await;
        let metrics = two.shop().metrics().await;
        let received =
            metrics.lines().find_map(|line| line.strip_prefix("confab_bus_received_total "));
        received.is_some_and(|count| count != "0")
    })
    .await;
}
