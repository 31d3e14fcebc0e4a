//! The server as tests use it, and as it ends with them.

use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use confab_test_postgres::{Server, Setup, shared};

/// Set in the process that is started to be killed.
const TO_BE_KILLED: &str = "CONFAB_TEST_POSTGRES_TO_BE_KILLED";

#[test]
fn a_server_answers_where_it_says_it_is() {
    let server = shared();
    assert_eq!(server.url(), format!("postgres://postgres@127.0.0.1:{}/postgres", server.port()));
    assert_eq!(server.psql("SELECT 1, 'é'; SELECT 2"), "1|é\n2");
    let data = server.folder().join("data").display().to_string();
    assert_eq!(server.psql("SHOW data_directory"), data);
    assert_eq!(server.psql("SHOW fsync"), "off");
    assert_eq!(server.psql("SHOW max_connections"), "200");
}

#[test]
fn chosen_settings_win() {
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
fn every_new_schema_is_empty_and_apart() {
    let (one, other) = (shared().new_schema(), shared().new_schema());
    for url in [&one, &other] {
        shared().psql_at(url, "CREATE TABLE notes (text text)");
    }
    shared().psql_at(&one, "INSERT INTO notes VALUES ('mine')");
    assert_eq!(shared().psql_at(&one, "SELECT text FROM notes"), "mine");
    assert_eq!(shared().psql_at(&other, "SELECT count(*) FROM notes"), "0");
}

#[test]
#[should_panic(expected = "relation \"nowhere\" does not exist")]
fn sql_that_fails_is_a_failed_test() {
    shared().psql("SELECT * FROM nowhere");
}

#[test]
fn what_was_committed_survives_a_crash_and_a_restart() {
    let server = Server::start();
    server.psql("CREATE TABLE notes (text text); INSERT INTO notes VALUES ('kept')");
    server.stop_immediately();
    assert!(TcpStream::connect(("127.0.0.1", server.port())).is_err(), "nobody listens");
    server.start_again();
    assert_eq!(server.psql("SELECT text FROM notes"), "kept");
    let log = std::fs::read_to_string(server.folder().join("log")).expect("a log");
    assert!(log.contains("automatic recovery in progress"), "it was a crash: {log}");
    server.restart();
    assert_eq!(server.psql("SELECT text FROM notes"), "kept");
}

#[test]
fn a_server_whose_port_was_taken_says_so_and_starts_when_it_is_free() {
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
fn a_dropped_server_is_gone_with_its_folder() {
    let server = Server::start();
    let (folder, process) = (server.folder().to_owned(), process_of(&server));
    assert!(runs(&process));
    drop(server);
    assert!(!runs(&process) && !folder.exists());
}

#[test]
fn a_server_is_gone_with_its_folder_when_its_test_process_is_killed() {
    let name = "a_server_is_gone_with_its_folder_when_its_test_process_is_killed";
    if std::env::var_os(TO_BE_KILLED).is_some() {
        let server = Server::start();
        return wait_to_be_killed(&server);
    }
    check_that_killing_cleans_up(name);
}

#[test]
fn a_stopped_server_leaves_no_folder_when_its_test_process_is_killed() {
    let name = "a_stopped_server_leaves_no_folder_when_its_test_process_is_killed";
    if std::env::var_os(TO_BE_KILLED).is_some() {
        let server = Server::start();
        server.restart();
        server.stop_immediately();
        return wait_to_be_killed(&server);
    }
    check_that_killing_cleans_up(name);
}

/// Runs this test again as a process, kills it when its server is there, and waits for the end.
fn check_that_killing_cleans_up(test: &str) {
    let mut process = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", test, "--nocapture"])
        .env(TO_BE_KILLED, "yes")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process");
    let (folder, server) = told_by(&mut process);
    assert!(folder.exists());
    process.kill().expect("killed");
    process.wait().expect("ended");
    wait_until("the server is gone", || !runs(&server));
    wait_until("its folder is gone", || !folder.exists());
}

fn wait_to_be_killed(server: &Server) {
    println!("\nTOLD {} {}", server.folder().display(), process_of(server));
    std::io::stdin().read_exact(&mut [0]).expect("killed before anything is written");
}

/// The folder and the process of the server in a process that waits to be killed.
fn told_by(process: &mut Child) -> (PathBuf, String) {
    let lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
    let mut told = lines.map(|line| line.expect("text")).filter(|line| line.starts_with("TOLD "));
    let line = told.next().expect("the process tells of its server");
    let words: Vec<_> = line.split(' ').collect();
    (PathBuf::from(words[1]), words[2].to_owned())
}

/// The process id of the server; `none` when it is stopped.
fn process_of(server: &Server) -> String {
    let file = std::fs::read_to_string(server.folder().join("data/postmaster.pid"));
    file.map_or("none".to_owned(), |text| text.lines().next().expect("a line").to_owned())
}

fn runs(process: &str) -> bool {
    let asked = Command::new("sh").args(["-c", "kill -0 \"$0\" 2>/dev/null", process]).status();
    asked.expect("a shell").success()
}

#[track_caller]
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let (_never, pause) = channel::<()>();
    while !is_so() {
        assert!(Instant::now() < deadline, "waited too long until {what}");
        let _ = pause.recv_timeout(Duration::from_millis(10));
    }
}
