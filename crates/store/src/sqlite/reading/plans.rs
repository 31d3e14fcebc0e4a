//! Query plans of reads of deliveries: SQLite must use an index, and never scan all deliveries.

use rusqlite::Connection;

use crate::sql::Statement;
use crate::sqlite::migrations;
use crate::sqlite::writing::deliveries::{FORGET_ATTEMPTS, FORGET_DELIVERIES};
use crate::tables::{attempts, deliveries};

/// Returns the query plan, one step per line, with every parameter set to 1.
fn plan(db: &Connection, statement: &Statement) -> String {
    let mut explained = db
        .prepare(&format!("EXPLAIN QUERY PLAN {}", statement.sqlite()))
        .expect("a valid statement");
    let ones = vec![1; explained.parameter_count()];
    let steps = explained.query_map(rusqlite::params_from_iter(ones), |row| row.get(3));
    let steps: Result<Vec<String>, _> = steps.expect("explained").collect();
    steps.expect("read").join("\n")
}

fn check(statement: &Statement, expected: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let db = migrations::open_up_to_date(&folder.path().join("confab.db")).expect("opens");
    assert_eq!(plan(&db, statement).lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_scan_for_deliveries_uses_the_index_of_marks() {
    let steps = ["SEARCH deliveries USING INDEX deliveries_waiting (mark>?)"];
    check(&deliveries::SQLITE_WAITING, &steps);
    check(&deliveries::SQLITE_WAITING_WHOLE, &steps);
}

#[test]
fn delivery_lists_use_the_index_of_the_app() {
    let steps = [
        "SEARCH d USING INDEX deliveries_of_app (app=? AND id>? AND id<?)",
        "SEARCH a USING PRIMARY KEY (delivery=? AND number=?) LEFT-JOIN",
    ];
    check(&deliveries::SQLITE_NEWEST_DELIVERIES, &steps);
    check(&deliveries::SQLITE_OLDEST_DELIVERIES, &steps);
    let steps = [
        "SEARCH d USING INDEX deliveries_of_app (app=?)",
        "SEARCH a USING PRIMARY KEY (delivery=?)",
    ];
    check(&attempts::SQLITE_ATTEMPTS_OF_APP, &steps);
}

#[test]
fn a_backlog_is_counted_by_the_index_of_unfinished_deliveries() {
    let steps = plan_of_backlogs();
    assert!(steps.contains("SCAN deliveries USING INDEX deliveries_waiting"), "{steps}");
    assert_eq!(steps.matches("B-TREE").count(), 1, "only the endpoints are sorted: {steps}");
}

fn plan_of_backlogs() -> String {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let db = migrations::open_up_to_date(&folder.path().join("confab.db")).expect("opens");
    plan(&db, &deliveries::BACKLOGS)
}

#[test]
fn failed_channel_events_are_counted_by_their_index() {
    let steps = [
        "CO-ROUTINE given_up",
        "SEARCH deliveries USING COVERING INDEX deliveries_given_up (endpoint=?)",
        "SCAN given_up",
    ];
    check(&deliveries::GIVEN_UP_EVENTS, &steps);
}

#[test]
fn old_deliveries_and_attempts_are_purged_by_primary_key() {
    let range = "SEARCH deliveries USING INTEGER PRIMARY KEY (rowid<?)";
    check(&FORGET_DELIVERIES, &[range]);
    let attempts = [
        "SEARCH attempts USING PRIMARY KEY (delivery<?)",
        "CORRELATED SCALAR SUBQUERY 1",
        "SEARCH d USING INTEGER PRIMARY KEY (rowid=?)",
    ];
    check(&FORGET_ATTEMPTS, &attempts);
}
