//! Tests of the bus on LISTEN and NOTIFY of a real PostgreSQL.

use confab_test_servers::postgres::{Server, shared};

use super::{Ground, check_dropped, check_order};

async fn ground(url: &str) -> Ground {
    Ground::new(&[("database_url", url)]).await
}

#[tokio::test]
async fn what_one_node_tells_the_other_hears_in_order_and_nobody_hears_itself() {
    check_order(&ground(&shared().new_schema()).await).await;
}

#[tokio::test]
async fn what_does_not_fit_is_counted_and_ends_in_a_gap() {
    check_dropped(&ground(&shared().new_schema()).await).await;
}

#[tokio::test]
async fn a_listening_connection_that_is_ended_is_a_gap_and_hints_flow_again() {
    let url = shared().new_schema();
    let (mut one, mut two) = ground(&url).await.pair().await;
    let ended = shared().psql_at(
        &url,
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
         WHERE query = 'LISTEN confab_' || md5(current_schema())",
    );
    assert_eq!(ended, "2");
    for node in [&mut one, &mut two] {
        node.hears_gap().await;
    }
    one.meet(&mut two).await;
    two.meet(&mut one).await;
}

#[tokio::test]
async fn a_telling_connection_that_is_ended_comes_back() {
    let server = Server::start();
    let (one, mut two) = ground(&server.url()).await.pair().await;
    let ended = server.psql(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
         WHERE query LIKE 'SELECT pg_notify%'",
    );
    assert_eq!(ended, "2");
    one.meet(&mut two).await;
}

#[tokio::test]
async fn after_an_outage_there_is_a_gap_and_hints_flow_again() {
    let server = Server::start();
    let (mut one, mut two) = ground(&server.url()).await.pair().await;
    server.stop_immediately();
    for node in [&one, &two] {
        node.until(false).await;
        assert!(node.bus.problem().is_some_and(|it| it.starts_with("PostgreSQL forwards no")));
    }
    server.start_again();
    for node in [&mut one, &mut two] {
        node.until(true).await;
        node.hears_gap().await;
    }
    one.meet(&mut two).await;
    two.meet(&mut one).await;
}

#[tokio::test]
async fn two_installations_in_one_database_do_not_hear_each_other() {
    let mine = shared().new_schema();
    let yours = shared().schema_beside(&mine);
    let (one, mut two) = ground(&mine).await.pair().await;
    let (other_one, mut other_two) = ground(&yours).await.pair().await;
    one.tell("for my own only");
    two.hears("for my own only").await;
    other_one.tell("for yours only");
    other_two.hears("for yours only").await;
}
