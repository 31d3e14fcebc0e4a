//! Creation of the PostgreSQL schema, and the properties that let Citus distribute its tables
//! (D-0014).

use std::sync::Arc;

use confab_store::{Location, Store, StoreError};
use confab_test_servers::postgres::shared;

use crate::stamps::{MORNING, TestStamps};
use crate::world::side_by_side;

async fn open(url: &str) -> Result<Store, StoreError> {
    let location = Location::database(url).expect("a valid address");
    crate::engine::open(&location, Arc::new(TestStamps::at(MORNING))).await
}

/// Opens ten stores concurrently on an empty database.
async fn open_ten_at_once(url: &str) {
    let openings = (0..10).map(|_| {
        let url = url.to_owned();
        async move { open(&url).await }
    });
    for store in side_by_side(openings).await {
        let store = store.map_err(|error| format!("{error}: {}", error.source));
        store.expect("opens").close().await.expect("closes");
    }
    let steps = "SELECT count(*) = max(version) AND count(*) = count(DISTINCT version) \
        FROM schema_version";
    assert_eq!(shared().psql_at(url, steps), "t", "every migration ran once");
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_start_together_create_the_tables_once() {
    open_ten_at_once(&shared().new_schema()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tables_are_created_once_under_a_serializable_default_isolation() {
    let serializable = "%20-c%20default_transaction_isolation%3Dserializable";
    open_ten_at_once(&format!("{}{serializable}", shared().new_schema())).await;
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_rejected_and_left_unchanged() {
    let url = shared().new_schema();
    open(&url).await.expect("opens").close().await.expect("closes");
    shared().psql_at(&url, "INSERT INTO schema_version VALUES (1000)");
    let reason = open(&url).await.err().expect("refused").source.to_string();
    assert!(reason.contains("schema version 1000"), "{reason}");
    assert!(reason.contains("use a newer confab"), "{reason}");
    let serving = "SELECT count(*) FROM nodes WHERE seen_at > '-infinity'";
    assert_eq!(shared().psql_at(&url, serving), "0");
}

#[tokio::test]
async fn every_unique_key_begins_with_the_distribution_column_of_its_table() {
    let url = shared().new_schema();
    open(&url).await.expect("opens").close().await.expect("closes");
    let first_columns = "SELECT DISTINCT t.relname, a.attname FROM pg_index i \
        JOIN pg_class t ON t.oid = i.indrelid \
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0] \
        WHERE i.indisunique AND t.relnamespace = current_schema()::regnamespace \
        AND t.relname IN ('rooms', 'room_names', 'participants', 'messages', 'deletions', \
        'client_ids', 'lanes', 'deliveries', 'attempts') ORDER BY t.relname";
    let expected = "attempts|bucket\nclient_ids|unique_id\ndeletions|room\ndeliveries|bucket\n\
        lanes|lane\nmessages|room\nparticipants|room\nroom_names|unique_id\nrooms|id";
    assert_eq!(shared().psql_at(&url, first_columns), expected);
}

#[tokio::test]
async fn the_schema_has_no_triggers_and_no_sequences() {
    let url = shared().new_schema();
    open(&url).await.expect("opens").close().await.expect("closes");
    let triggers = "SELECT tgname FROM pg_trigger JOIN pg_class t ON t.oid = tgrelid \
        WHERE NOT tgisinternal AND t.relnamespace = current_schema()::regnamespace";
    assert_eq!(shared().psql_at(&url, triggers), "");
    let sequences = "SELECT relname FROM pg_class \
        WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace";
    assert_eq!(shared().psql_at(&url, sequences), "");
}
