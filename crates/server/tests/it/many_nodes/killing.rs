//! One of two nodes is killed or frozen repeatedly; clients of the other one are unaffected.

use confab_test_servers::postgres::shared;

use super::posters::{Crowd, Posting};
use super::{TwoNodes, check_log, launch};
use crate::support::engine::with_password;
use crate::support::process::{Confab, Folder};

const ROUNDS: usize = 8;
const FREEZES_MAX: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_of_one_of_two_nodes_lose_no_messages_and_the_other_keeps_serving() {
    let TwoNodes { folder, one, two: mut victim } = TwoNodes::start().await;
    let mut crowd = Crowd::gather(&one.shop(), 12, 3).await;
    // Both kinds of posters in every room, on both nodes.
    let mut victims = crowd.posters.split_off(6);
    let surviving = crowd.post_through(&[one.shop()]);
    for round in 1..=ROUNDS {
        let posting = Posting::start(victims, &[victim.shop()]);
        posting.acknowledged(20 + round * 7).await;
        check_log(&victim);
        victim.kill();
        victims = posting.until_finished().await;
        surviving.acknowledged(30).await;
        victim = launch(&folder).listening();
    }
    crowd.posters = surviving.end().await;
    crowd.posters.append(&mut victims);
    crowd.check("kills of one of two nodes", &folder, &[one.shop(), victim.shop()]).await;
    check_log(&one);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn freezing_a_node_that_locks_rooms_loses_no_messages_and_the_other_keeps_serving() {
    let url = with_password(&shared().new_schema());
    let folder = Folder::with_database(Some(url.clone())).and_app().await;
    let marked = Folder::with_database(Some(url + "&application_name=frozen"));
    let data = folder.data().to_string_lossy().into_owned();
    let frozen = marked.launch(&["--data", &data], &[("CONFAB_LOG_LEVEL", "trace")]);
    let (one, frozen) = (launch(&folder).listening(), frozen.listening());
    let mut crowd = Crowd::gather(&one.shop(), 12, 3).await;
    let posters_of_frozen = crowd.posters.split_off(6);
    let surviving = crowd.post_through(&[one.shop()]);
    let posting = Posting::start(posters_of_frozen, &[frozen.shop()]);
    freeze_in_transaction(&frozen, &posting).await;
    // The database ends the transaction of the frozen node and releases its locks.
    surviving.acknowledged(100).await;
    frozen.signal("CONT");
    posting.acknowledged(30).await;
    crowd.posters = surviving.end().await;
    let refused: usize = crowd.posters.iter().map(|poster| poster.refused()).sum();
    crowd.posters.append(&mut posting.end().await);
    crowd.check("frozen node", &folder, &[one.shop(), frozen.shop()]).await;
    assert_eq!(refused, 0, "the node that was not frozen refused no post");
    check_log(&one);
    check_log(&frozen);
}

/// Freezes the node between the two round trips of a commit.
async fn freeze_in_transaction(node: &Confab, posting: &Posting) {
    let is_in_transaction = "SELECT count(*) FROM pg_stat_activity \
        WHERE application_name = 'frozen' AND state = 'idle in transaction'";
    for _ in 0..FREEZES_MAX {
        posting.acknowledged(5).await;
        node.signal("STOP");
        if shared().psql(is_in_transaction) == "1" {
            return;
        }
        node.signal("CONT");
    }
    panic!("none of {FREEZES_MAX} freezes hit a transaction");
}
