//! Query plans of PostgreSQL, with and without statistics: growing tables must be read by an index,
//! unless nearly all rows are requested.

use confab_test_servers::postgres::shared;

use super::catching_up;
use crate::location::Location;
use crate::postgres::connections::connection::{KEY_LOOKUPS, LISTS};
use crate::postgres::migrations;
use crate::sql::Statement;
use crate::tables::{analytics_quarters, attempts, deliveries, messages, search, user_search};

const EVERY_BUCKET: &str = "(SELECT array_agg(n) FROM generate_series(0, 63) n)";

/// Creates a database with three daily partitions, of which the last one is empty. Most deliveries
/// are finished, and a few are unfinished.
async fn database() -> String {
    let url = shared().new_schema();
    let Location::Postgres(endpoint) = Location::database(&url).expect("a valid address") else {
        panic!("an address of a PostgreSQL")
    };
    migrations::migrate(&endpoint).await.expect("up to date");
    shared().psql_at(
        &url,
        "CREATE TABLE deliveries_1 PARTITION OF deliveries FOR VALUES FROM (0) TO (100000); \
         CREATE TABLE deliveries_2 PARTITION OF deliveries FOR VALUES FROM (100000) TO (200000); \
         CREATE TABLE deliveries_3 PARTITION OF deliveries FOR VALUES FROM (200000) TO (300000); \
         CREATE TABLE attempts_1 PARTITION OF attempts FOR VALUES FROM (0) TO (100000); \
         CREATE TABLE attempts_2 PARTITION OF attempts FOR VALUES FROM (100000) TO (200000); \
         CREATE TABLE attempts_3 PARTITION OF attempts FOR VALUES FROM (200000) TO (300000); \
         INSERT INTO deliveries SELECT n % 64, n * 10, n % 3, 1, n, n, 0, 1, n, 0, 0, NULL, \
         CASE WHEN n % 1000 = 0 THEN 0 ELSE 2 END, 1, 1, 'bot', repeat('x', 100) \
         FROM generate_series(0, 19999) n; \
         INSERT INTO attempts (bucket, delivery, number, at, answer) \
         SELECT bucket, id, 1, 0, '' FROM deliveries",
    );
    url
}

/// Returns the query plan on a connection with these settings. PostgreSQL decides about a generic
/// plan after five executions, so the plan of a later execution is returned.
fn plan(url: &str, settings: &str, statement: &Statement, parameters: &str) -> String {
    let text = statement.postgres();
    let explain = format!("EXPLAIN (COSTS OFF) EXECUTE asked ({parameters});");
    let before = explain.repeat(6);
    let plans = shared().psql_at(
        url,
        &format!(
            "SET client_min_messages = warning; {settings}; PREPARE asked AS {text}; {before} \
             SELECT 'at last:'; {explain}"
        ),
    );
    let (_, plan) = plans.split_once("at last:\n").expect("the last plan");
    plan.to_owned()
}

/// Runs the check before and after ANALYZE.
fn with_and_without_statistics(url: &str, check: impl Fn()) {
    check();
    shared().psql_at(url, "ANALYZE deliveries, attempts");
    check();
}

fn buckets(url: &str) -> String {
    let listed = shared().psql_at(url, &format!("SELECT {EVERY_BUCKET}"));
    format!("'{}'", listed.trim())
}

#[tokio::test]
async fn a_scan_for_deliveries_uses_the_index_of_marks() {
    let url = database().await;
    let parameters = format!("{}, 19000, 0, 5000", buckets(&url));
    with_and_without_statistics(&url, || {
        for scan in [&deliveries::POSTGRES_WAITING, &deliveries::POSTGRES_WAITING_WHOLE] {
            let plan = plan(&url, KEY_LOOKUPS, scan, &parameters);
            let by_marks = plan.matches("_mark_id_idx on").count();
            assert_eq!(by_marks, 4, "every partition by its index of marks: {plan}");
            assert_eq!(plan.matches("Scan").count(), 4, "and by no other scan: {plan}");
            assert_eq!(plan.matches("Index Cond: (ROW(mark, id) >").count(), 4, "{plan}");
            assert!(!plan.contains("->  Sort"), "unfinished deliveries are not sorted: {plan}");
        }
    });
}

#[tokio::test]
async fn delivery_lists_read_only_the_attempts_of_the_listed_deliveries() {
    let url = database().await;
    let lists = [
        (&deliveries::POSTGRES_NEWEST_DELIVERIES, "1, 0, 300000, 50"),
        (&deliveries::POSTGRES_OLDEST_DELIVERIES, "1, 0, 300000, 50"),
        (&attempts::POSTGRES_ATTEMPTS_OF_APP, "1, 50, 0"),
    ];
    with_and_without_statistics(&url, || {
        for (statement, parameters) in lists {
            let plan = plan(&url, LISTS, statement, parameters);
            assert!(plan.contains("Nested Loop"), "{plan}");
            assert!(!plan.contains("Hash") && !plan.contains("Merge Join"), "{plan}");
        }
    });
    let plan = plan(&url, LISTS, lists[0].0, lists[0].1);
    assert!(plan.contains("deliveries_1_app_id_idx"), "{plan}");
}

#[tokio::test]
async fn a_backlog_is_counted_by_the_index_of_unfinished_deliveries() {
    let url = database().await;
    shared().psql_at(&url, "ANALYZE deliveries");
    let plan = plan(&url, LISTS, &deliveries::BACKLOGS, "1, 10000");
    assert!(plan.contains("deliveries_1_mark_id_idx"), "{plan}");
}

#[tokio::test]
async fn failed_channel_events_are_counted_by_their_index() {
    let url = database().await;
    let plan = plan(&url, LISTS, &deliveries::GIVEN_UP_EVENTS, "1, 10000");
    assert!(plan.contains("deliveries_1_endpoint_idx"), "{plan}");
}

/// The statistics are gathered while almost no delivery is unfinished, and later there may be
/// thousands.
#[tokio::test]
async fn delivery_outcomes_are_written_by_primary_key() {
    let url = database().await;
    shared().psql_at(&url, "UPDATE deliveries SET standing = 2");
    let outcomes = ["'{1}'"; 8].join(", ");
    with_and_without_statistics(&url, || {
        let plan = plan(&url, KEY_LOOKUPS, &deliveries::POSTGRES_UPDATE_DELIVERIES, &outcomes);
        for part in ["deliveries_1", "deliveries_2"] {
            assert!(plan.contains(&format!("{part}_pkey on {part}")), "{plan}");
        }
        assert!(!plan.contains("_mark_id_idx"), "{plan}");
    });
}

#[tokio::test]
async fn catching_up_reads_only_the_rooms_of_the_user() {
    let url = database().await;
    shared().psql_at(
        &url,
        "INSERT INTO users (id, app, user_id, username, avatar_url, is_active, created_at, \
         updated_at, token_hash) \
         SELECT n, 1, n, '', '', 1, 0, 0, n FROM generate_series(1, 2000) n; \
         INSERT INTO rooms (id, app, unique_id, kind, name, avatar_url, options, created_at, \
         updated_at, last_message, last_number) \
         SELECT n, 1, n, 'group', '', '', '', 0, 0, 100000, 20 FROM generate_series(1, 1000) n; \
         INSERT INTO participants (room, user_key, read_number, joined_at) \
         SELECT r, u, 0, 0 FROM generate_series(1, 1000) r, \
         LATERAL generate_series(r, r + 9) u; \
         INSERT INTO messages (room, id, number, sender, posted_at, is_deleted, kind, text) \
         SELECT r, n * 1000 + r, n, r, 0, 0, 'text', 'x' \
         FROM generate_series(1, 1000) r, generate_series(1, 50) n; \
         INSERT INTO events SELECT r, n * 1000 + r, 'deleted', r, 0, 'x' \
         FROM generate_series(1, 1000) r, generate_series(1, 20) n",
    );
    let texts = [
        (&catching_up::HAPPENED, "5, 40000, 100, 1, 262144"),
        (&catching_up::KEYS_AFTER, "5, 40000, 100"),
        (&catching_up::KEYS_FOLLOWING, "5, 40000, 0, 20"),
        (&messages::POSTGRES_PLACE_OF_MESSAGE, "5, 40005"),
        (&catching_up::FOLLOWING, "5, 40000, 0, 20"),
    ];
    for analyzed in ["", "ANALYZE users, rooms, participants, messages, events"] {
        shared().psql_at(&url, analyzed);
        for (statement, parameters) in texts {
            let plan = plan(&url, KEY_LOOKUPS, statement, parameters);
            for table in ["messages", "events", "participants"] {
                assert!(!plan.contains(&format!("Seq Scan on {table}")), "{plan}");
            }
            let mut scans = plan.split(" on messages").skip(1);
            let is_by_room =
                |scan: &str| scan.lines().nth(1).is_some_and(|it| it.contains("room = "));
            assert!(scans.all(is_by_room), "{plan}");
        }
    }
}

#[tokio::test]
async fn a_search_reads_the_newest_rows_first_and_the_rest_by_the_index_of_words() {
    let url = database().await;
    shared().psql_at(
        &url,
        "INSERT INTO search_messages SELECT n % 100, n, 1, 'said word' || n % 700 \
         FROM generate_series(1, 50000) n; \
         INSERT INTO search_contacts SELECT n, 1, 'ana name' || n % 700 \
         FROM generate_series(1, 50000) n; ANALYZE search_messages, search_contacts",
    );
    let words = "$$':1' & 'word7':*$$";
    let lists = [
        (&search::POSTGRES_FIND_MESSAGES_NEAR, &search::POSTGRES_FIND_MESSAGES, "messages"),
        (&search::POSTGRES_FIND_CONTACTS_NEAR, &search::POSTGRES_FIND_CONTACTS, "contacts"),
    ];
    for (near, all, what) in lists {
        let near = plan(&url, LISTS, near, &format!("1, {words}, 90000, 21, 5250"));
        assert!(near.contains(&format!("Scan Backward using search_{what}_")), "{near}");
        assert!(!near.contains("_by_word") && !near.contains("Sort"), "{near}");
        let all = plan(&url, LISTS, all, &format!("1, {words}, 90000, 21"));
        assert!(all.contains(&format!("search_{what}_by_word")), "{all}");
        for plan in [near, all] {
            let scans = plan.matches("Scan using messages_pkey on messages").count();
            assert_eq!(scans, usize::from(what == "messages"), "messages are read by key: {plan}");
        }
    }
}

#[tokio::test]
async fn users_are_searched_by_the_gram_index_and_listed_by_the_name_index() {
    let url = database().await;
    shared().psql_at(
        &url,
        "INSERT INTO users (id, app, user_id, username, avatar_url, is_active, created_at, \
         updated_at, token_hash) SELECT n, 1, 'u' || n, 'user' || n, '', 1, 1, 1, n \
         FROM generate_series(1, 50000) n; \
         INSERT INTO user_grams SELECT id, '1g757365 1g736572 1g' || to_hex(id) FROM users; \
         ANALYZE users, user_grams",
    );
    let parameters = "1, 2, '%zzq%', $$'1g7a7a71' & '1g7a7171'$$, 20000, 20";
    for (statement, more) in
        [(&user_search::POSTGRES_FIND_USERS, ", 0"), (&user_search::POSTGRES_COUNT_FOUND_USERS, "")]
    {
        let plan = plan(&url, LISTS, statement, &format!("{parameters}{more}"));
        assert!(plan.contains("user_grams_by_gram"), "{plan}");
        assert!(!plan.contains("Seq Scan"), "{plan}");
    }
    let plan = plan(&url, LISTS, &user_search::USERS_BY_NAME, "1, 2, 20, 0");
    assert!(plan.contains("users_by_name") && !plan.contains("Sort"), "{plan}");
}

/// The plan for a year must differ from that for a day, however often one connection runs them.
#[tokio::test]
async fn analytics_of_a_year_and_of_a_day_have_different_plans() {
    let url = database().await;
    shared().psql_at(
        &url,
        "INSERT INTO analytics_quarters SELECT 1, (n * 7919) % 35040, 1, n % 20, n % 90, 0, 1 \
         FROM generate_series(1, 100000) n ON CONFLICT DO NOTHING; ANALYZE analytics_quarters",
    );
    let sums = (&analytics_quarters::POSTGRES_SUMS, "0, 0");
    let points = (&analytics_quarters::POSTGRES_SUMS_OF_POINTS, "0, 0, '[0,20000,20048]'");
    for (sums, parameters) in [sums, points] {
        let year = plan(&url, LISTS, sums, &format!("1, 0, 35040, {parameters}"));
        assert!(year.contains("Seq Scan on analytics_quarters"), "{year}");
        assert!(!year.contains("string_to_array"), "not evaluated for each row: {year}");
        let day = plan(&url, LISTS, sums, &format!("1, 20000, 20096, {parameters}"));
        assert!(day.contains("analytics_quarters_pkey"), "{day}");
    }
}
