//! Tests of the PostgreSQL server for tests, including its end.

mod killing;

use std::net::{TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

use confab_test_servers::postgres::{Server, Setup, shared};
use killing::{is_to_be_killed, kill_once_it_waits, wait_until};

#[test]
fn a_server_answers_at_its_url() {
    let server = shared();
    assert_eq!(server.url(), format!("postgres://postgres@127.0.0.1:{}/postgres", server.port()));
    assert_eq!(server.psql("SELECT 1, 'é'; SELECT 2"), "1|é\n2");
    let data = server.folder().join("data").display().to_string();
    assert_eq!(server.psql("SHOW data_directory"), data);
    assert_eq!(server.psql("SHOW fsync"), "off");
    assert_eq!(server.psql("SHOW max_connections"), "200");
}

#[test]
fn chosen_settings_override_the_defaults() {
    let chosen = [("log_statement", "all"), ("shared_buffers", "32MB")];
    let server = Setup::new().keep_fsync().connections_max(20).settings(&chosen).start();
    assert_eq!(server.psql("SHOW fsync"), "on");
    assert_eq!(server.psql("SHOW max_connections"), "20");
    assert_eq!(server.psql("SHOW log_statement"), "all");
    assert_eq!(server.psql("SHOW shared_buffers"), "32MB");
}

#[test]
#[should_panic(expected = "no_such_setting")]
fn a_wrong_setting_is_named_when_the_start_fails() {
    Setup::new().settings(&[("no_such_setting", "1")]).start();
}

#[test]
fn every_new_schema_is_empty_and_separate() {
    let one = shared().new_schema();
    let neighbor = shared().schema_of(&one);
    // Enough schemas to need more than one database.
    let another = |number| match number % 3 {
        0 => shared().schema_of(&one),
        _ => shared().new_schema(),
    };
    let others: Vec<_> = (0..30).map(another).collect();
    for url in others.iter().chain([&one, &neighbor]) {
        shared().psql_at(url, "CREATE TABLE notes (text text)");
    }
    shared().psql_at(&one, "INSERT INTO notes VALUES ('mine')");
    assert_eq!(shared().psql_at(&one, "SELECT text FROM notes"), "mine");
    for url in others.iter().chain([&neighbor]) {
        assert_eq!(shared().psql_at(url, "SELECT count(*) FROM notes"), "0");
    }
    let database = |url: &str| shared().psql_at(url, "SELECT current_database()");
    assert_eq!(database(&neighbor), database(&one));
}

#[test]
#[should_panic(expected = "relation \"nowhere\" does not exist")]
fn failing_sql_panics() {
    shared().psql("SELECT * FROM nowhere");
}

#[test]
fn committed_rows_survive_a_crash_and_a_restart() {
    let server = Server::start();
    server.psql("CREATE TABLE notes (text text); INSERT INTO notes VALUES ('kept')");
    server.stop_immediately();
    assert!(TcpStream::connect(("127.0.0.1", server.port())).is_err(), "no server listens");
    server.start_again();
    assert_eq!(server.psql("SELECT text FROM notes"), "kept");
    let log = std::fs::read_to_string(server.folder().join("log")).expect("a log");
    assert!(log.contains("automatic recovery in progress"), "it was a crash: {log}");
    server.restart();
    assert_eq!(server.psql("SELECT text FROM notes"), "kept");
}

#[test]
fn a_server_with_a_taken_port_panics_and_starts_once_it_is_free() {
    let server = Server::start();
    server.stop_immediately();
    let squatter = TcpListener::bind(("127.0.0.1", server.port())).expect("a free port");
    let panic = catch_unwind(AssertUnwindSafe(|| server.start_again())).expect_err("taken");
    let message = panic.downcast::<String>().expect("a sentence");
    assert!(message.ends_with(&format!("its port {} is taken.", server.port())), "{message}");
    drop(squatter);
    server.start_again();
    assert_eq!(server.psql("SELECT 1"), "1");
}

#[test]
fn dropping_a_server_removes_its_folder() {
    let server = Server::start();
    let (folder, process) = (server.folder().to_owned(), process_of(&server));
    assert!(runs(&process));
    drop(server);
    assert!(!runs(&process) && !folder.exists());
}

#[test]
fn killing_the_test_process_ends_the_server_and_removes_its_folder() {
    let name = "killing_the_test_process_ends_the_server_and_removes_its_folder";
    if is_to_be_killed() {
        let server = Server::start();
        return wait_to_be_killed(&server);
    }
    check_that_killing_cleans_up(name);
}

#[test]
fn killing_the_test_process_removes_the_folder_of_a_stopped_server() {
    let name = "killing_the_test_process_removes_the_folder_of_a_stopped_server";
    if is_to_be_killed() {
        let server = Server::start();
        server.restart();
        server.stop_immediately();
        return wait_to_be_killed(&server);
    }
    check_that_killing_cleans_up(name);
}

fn wait_to_be_killed(server: &Server) {
    killing::wait_to_be_killed(server.folder(), process_of(server));
}

fn check_that_killing_cleans_up(test: &str) {
    let (folder, server) = kill_once_it_waits(test);
    wait_until("the server has ended", || !runs(&server));
    wait_until("the server's folder is removed", || !folder.exists());
}

/// Returns the process id of the server, or `none` if it is stopped.
fn process_of(server: &Server) -> String {
    let file = std::fs::read_to_string(server.folder().join("data/postmaster.pid"));
    file.map_or("none".to_owned(), |text| text.lines().next().expect("a line").to_owned())
}

fn runs(process: &str) -> bool {
    let checked = Command::new("sh").args(["-c", "kill -0 \"$0\" 2>/dev/null", process]).status();
    checked.expect("a shell").success()
}

#[test]
fn a_promoted_standby_has_the_committed_rows_and_accepts_writes() {
    let primary = Server::start();
    let standby = primary.standby();
    primary.wait_for_standby();
    primary.psql("CREATE TABLE notes (text text)");
    primary.psql("INSERT INTO notes VALUES ('kept')");
    primary.kill();
    standby.promote();
    standby.psql("INSERT INTO notes VALUES ('added')");
    assert_eq!(standby.psql("SELECT text FROM notes ORDER BY text"), "added\nkept");
}
