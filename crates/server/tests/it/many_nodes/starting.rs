//! Nodes that start concurrently form one server, each with a node number of its own.

use std::collections::HashSet;

use confab_test_servers::postgres::shared;

use super::posters::Crowd;
use super::{check_log, launch};
use crate::support::engine::with_password;
use crate::support::process::{Confab, Folder};
use crate::support::waiting::until_so;

const NODES: usize = 10;
const ROUNDS: usize = 5;

fn lines(url: &str, sql: &str) -> Vec<String> {
    shared().psql_at(url, sql).lines().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_nodes_started_concurrently_on_an_empty_database_form_one_server() {
    let url = with_password(&shared().new_schema());
    let folder = Folder::with_database(Some(url.clone()));
    let launched: Vec<_> = (0..NODES).map(|_| launch(&folder)).collect();
    let nodes: Vec<Confab> = launched.into_iter().map(|node| node.listening()).collect();

    let greeted = || nodes.iter().filter(|node| !node.printed().is_empty());
    // The greeting and the log are read separately.
    until_so("a greeting", async || greeted().next().is_some()).await;
    let steps = "SELECT count(*) = max(version) AND count(*) = count(DISTINCT version) \
        FROM schema_version";
    assert_eq!(lines(&url, steps), ["t"], "every step of the schema ran once");
    assert_eq!(lines(&url, "SELECT count(*) FROM apps"), ["1"]);
    assert_eq!(lines(&url, "SELECT count(*) FROM dashboard_users"), ["1"]);
    let users = lines(&url, "SELECT count(*) FROM users");
    assert_eq!(users, ["2"], "the System user and the speaker of the admin");
    let holders = "SELECT count(DISTINCT holder) FROM nodes WHERE seen_at > '-infinity'";
    assert_eq!(lines(&url, holders), ["10"]);
    let numbers: Vec<_> = (0..NODES).map(|number| number.to_string()).collect();
    assert_eq!(lines(&url, "SELECT node FROM nodes ORDER BY node"), numbers);

    let first = greeted().next().expect("one node created the first app").first_app();
    first.furnish().await;
    let callers: Vec<_> =
        nodes.iter().map(|node| node.caller(&first.code, &first.secret)).collect();
    let mut posting = Vec::new();
    for caller in callers.iter().flat_map(|caller| vec![caller.clone(); ROUNDS]) {
        posting.push(tokio::spawn(async move {
            let id = caller.post_comment("ana", "support", "murmur").await["id"].as_i64();
            let user = caller.register(&format!("user{}", id.expect("an id"))).await;
            assert!(user["user_id"].is_string(), "{user}");
            id
        }));
    }
    let mut ids = HashSet::new();
    for posted in posting {
        ids.insert(posted.await.expect("posted"));
    }
    assert_eq!(ids.len(), NODES * ROUNDS, "every id is unique");
    let id_nodes: HashSet<_> = ids.iter().flatten().map(|id| id % 64).collect();
    assert_eq!(id_nodes, (0..NODES as i64).collect(), "an id contains its node number");
    let keys = "SELECT count(DISTINCT id) FROM users";
    assert_eq!(lines(&url, keys), [(NODES * ROUNDS + 4).to_string()]);
    assert_eq!(greeted().count(), 1, "only one node created the first app");
    nodes.iter().for_each(check_log);
}

#[tokio::test]
async fn a_node_that_shuts_down_releases_its_node_number() {
    let url = with_password(&shared().new_schema());
    let folder = Folder::with_database(Some(url.clone())).and_app().await;
    let numbers = "SELECT node FROM nodes WHERE seen_at > '-infinity' ORDER BY node";
    let (one, two) = (folder.serve(), folder.serve());
    assert_eq!(lines(&url, numbers), ["0", "1"]);
    one.signal("TERM");
    assert!(one.ended().success());
    assert_eq!(lines(&url, numbers), ["1"]);
    let _three = folder.serve();
    assert_eq!(lines(&url, numbers), ["0", "1"]);
    drop(two);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_whose_number_was_taken_keeps_serving_with_another() {
    const TIMES: usize = 10;
    let url = with_password(&shared().new_schema());
    let folder = Folder::with_database(Some(url.clone())).and_app().await;
    let node = launch(&folder).listening();
    let mut crowd = Crowd::gather(&node.shop(), 8, 4).await;
    let posting = crowd.post_through(&[node.shop()]);
    for _ in 0..TIMES {
        posting.acknowledged(20).await;
        shared().psql_at(&url, "UPDATE nodes SET holder = 'somebody else', seen_at = now()");
    }
    posting.acknowledged(20).await;
    crowd.posters = posting.end().await;
    crowd.check("taken numbers", &folder, &[node.shop()]).await;
    let refused: usize = crowd.posters.iter().map(|poster| poster.refused()).sum();
    assert_eq!(refused, 0);
    let taken = "SELECT count(*) FROM nodes WHERE holder = 'somebody else'";
    assert_eq!(lines(&url, taken), [TIMES.to_string()]);
    check_log(&node);
}
