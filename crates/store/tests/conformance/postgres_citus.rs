//! Tests of `docs/operating/citus.sql` without a Citus cluster: it applies to an empty database,
//! distributes every growing table, and a node starts and works on the result.

use std::sync::Arc;

use confab_domain::messages::unique_id::UniqueId;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event_kind::EventKind;
use confab_store::Location;
use confab_test_servers::postgres::shared;

use crate::engine::Engine;
use crate::stamps::{MORNING, TestStamps};
use crate::world::World;

const FILE: &str = include_str!("../../../../docs/operating/citus.sql");

/// Stand-ins for the Citus functions that the script calls; they record their arguments.
const CITUS_STUBS: &str = "CREATE TABLE noted (name text, by text, beside text); \
    CREATE FUNCTION create_reference_table(name text) RETURNS void LANGUAGE sql \
    AS 'INSERT INTO noted VALUES (name, NULL, NULL)'; \
    CREATE FUNCTION create_distributed_table(name text, by text, \
        colocate_with text DEFAULT 'default') RETURNS void LANGUAGE sql \
    AS 'INSERT INTO noted VALUES (name, by, colocate_with)'; \
    CREATE FUNCTION citus_version() RETURNS text LANGUAGE sql RETURN 'not really'";

fn applied() -> String {
    let url = shared().new_schema();
    shared().psql_at(&url, CITUS_STUBS);
    let (before, statements) = FILE
        .split_once("CREATE EXTENSION IF NOT EXISTS citus;")
        .expect("the script creates the extension first");
    assert!(before.lines().all(|line| line.is_empty() || line.starts_with("--")), "{before}");
    shared().psql_at(&url, statements);
    url
}

fn column(url: &str, statement: &str) -> Vec<String> {
    shared().psql_at(url, statement).lines().map(str::to_owned).collect()
}

#[test]
fn every_table_is_distributed_or_listed_as_a_coordinator_table() {
    let url = applied();
    let tables = column(
        &url,
        "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') \
         AND relnamespace = current_schema()::regnamespace AND NOT relispartition \
         AND relname NOT IN (SELECT name FROM noted) AND relname <> 'noted' ORDER BY 1",
    );
    let small = [
        "buckets",
        "nodes",
        "schema_version",
        "search_state",
        "secret_keys",
        "secrets_in_clear",
        "senders",
    ];
    assert_eq!(tables, small);
    let of_others = column(
        &url,
        "SELECT inhrelid::regclass FROM pg_inherits JOIN pg_class ON oid = inhparent \
         WHERE relkind = 'p' AND relnamespace = current_schema()::regnamespace \
         AND relname NOT IN (SELECT name FROM noted WHERE by IS NOT NULL)",
    );
    assert_eq!(of_others, [""; 0], "partitions are distributed with their table");
}

#[test]
fn every_unique_key_of_a_distributed_table_begins_with_its_distribution_column() {
    let url = applied();
    let others = column(
        &url,
        "SELECT noted.name || ': ' || index.indexrelid::regclass FROM noted \
         JOIN pg_index index ON index.indrelid = noted.name::regclass AND index.indisunique \
         JOIN pg_attribute first ON first.attrelid = index.indrelid \
         AND first.attnum = index.indkey[0] \
         WHERE noted.by IS NOT NULL AND first.attname <> noted.by",
    );
    assert_eq!(others, [""; 0]);
    let distributed = column(&url, "SELECT name FROM noted WHERE by IS NOT NULL ORDER BY name");
    let expected = [
        "analytics_quarters",
        "attempts",
        "channel_messages",
        "client_ids",
        "customer_rooms",
        "deletions",
        "deliveries",
        "direct_sends",
        "doubted_files",
        "edits",
        "events",
        "files",
        "hidden_messages",
        "lanes",
        "message_states",
        "messages",
        "notes",
        "participants",
        "room_agents",
        "room_infos",
        "room_names",
        "room_tags",
        "rooms",
        "search_contacts",
        "search_messages",
        "seen_marks",
        "served_rooms",
        "sessions",
        "trail",
    ];
    assert_eq!(distributed, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_starts_on_the_schema_of_the_citus_script_and_stores_messages() {
    let url = applied();
    let stamps = Arc::new(TestStamps::at(MORNING));
    let location = Location::database(&url).expect("a valid address");
    crate::engine::open(&location, stamps).await.expect("opens").close().await.expect("closes");
    let world = World::start(Engine::PostgresSharded(url.into())).await;
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    world.post_many("support", "ana", 3).await;
    assert_eq!(world.chain("support").await.len(), 3);
    world.put_endpoint(EventKind::Bot, "https://bot.example/").await;
    world.purge(Timestamp(0), MORNING).await;
    world.notify_in_lane(7, "hello", &[EventKind::Bot]).await;
    assert_eq!(world.all_waiting().await.len(), 1);
}

/// Returns the tables written by the commit of the newest message, as distributed by the script.
fn written_with_newest_message(url: &str) -> Vec<String> {
    let newest = "SELECT xmin FROM messages ORDER BY id DESC LIMIT 1";
    let newest = shared().psql_at(url, newest);
    let tables = column(
        url,
        "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition \
         AND relnamespace = current_schema()::regnamespace AND relname <> 'noted' ORDER BY 1",
    );
    let is_written = |table: &String| {
        let written = format!("SELECT count(*) FROM {table} WHERE xmin = '{newest}'::xid");
        shared().psql_at(url, &written) != "0"
    };
    tables.into_iter().filter(is_written).collect()
}

/// Describes the distribution of a table.
fn distribution(url: &str, table: &str) -> String {
    let noted = format!("SELECT by, beside FROM noted WHERE name = '{table}'");
    match shared().psql_at(url, &noted).split_once('|') {
        None => format!("{table} on the coordinator"),
        Some(("", _)) => format!("{table} on every worker"),
        Some((_, "default" | "rooms")) => format!("{table} with its room"),
        Some((by, _)) => format!("{table} by {by}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_writes_only_the_shard_of_its_room_the_node_row_and_its_client_id() {
    let url = applied();
    let world = World::start(Engine::PostgresSharded(url.clone().into())).await;
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    let written = || -> Vec<String> {
        written_with_newest_message(&url).iter().map(|table| distribution(&url, table)).collect()
    };
    world.post("support", "ana", "hello").await;
    let with_room = ["messages with its room", "nodes on the coordinator"];
    let rows = ["participants with its room", "rooms with its room"];
    assert_eq!(written(), [with_room, rows].concat());
    let unique_id = UniqueId::parse("unique_id", "a-clients-id").expect("valid");
    world.post_once("support", "ana", "again", &unique_id).await.expect("posted");
    let with_id = [&["client_ids by unique_id"][..], &with_room, &rows].concat();
    assert_eq!(written(), with_id);
}
