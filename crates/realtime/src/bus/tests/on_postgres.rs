//! Tests of the bus on LISTEN and NOTIFY of a real PostgreSQL.

use confab_test_servers::postgres::{Server, shared};

use super::{Ground, check_dropped, check_order};

async fn ground(url: &str) -> Ground {
    Ground::new(&[("database_url", url)]).await
}

#[tokio::test]
async fn hints_arrive_in_order_at_the_other_node_and_never_at_the_sender() {
    check_order(&ground(&shared().new_schema()).await).await;
}

#[tokio::test]
async fn dropped_hints_are_counted_and_end_in_a_gap() {
    check_dropped(&ground(&shared().new_schema()).await).await;
}

#[tokio::test]
async fn a_terminated_listening_connection_causes_a_gap_and_is_replaced() {
    let url = shared().new_schema();
    let (mut one, mut two) = ground(&url).await.pair().await;
    let ended = shared().psql_at(
        &url,
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
         WHERE query = 'LISTEN confab_' || md5(current_schema())",
    );
    assert_eq!(ended, "2");
    for node in [&mut one, &mut two] {
        node.receives_gap().await;
    }
    one.meet(&mut two).await;
    two.meet(&mut one).await;
}

#[tokio::test]
async fn a_terminated_sending_connection_is_replaced() {
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
async fn an_outage_causes_a_gap_and_hints_arrive_again_afterward() {
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
        node.receives_gap().await;
    }
    one.meet(&mut two).await;
    two.meet(&mut one).await;
}

#[tokio::test]
async fn two_installations_in_one_database_do_not_receive_each_others_hints() {
    let mine = shared().new_schema();
    let yours = shared().schema_of(&mine);
    let (one, mut two) = ground(&mine).await.pair().await;
    let (other_one, mut other_two) = ground(&yours).await.pair().await;
    one.send("for my own only");
    two.receives("for my own only").await;
    other_one.send("for yours only");
    other_two.receives("for yours only").await;
}
