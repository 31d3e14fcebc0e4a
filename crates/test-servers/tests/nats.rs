//! Tests of the nats-server for tests, including its end.

mod killing;

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use confab_test_servers::nats::Server;
use killing::{is_to_be_killed, kill_once_it_waits, wait_to_be_killed, wait_until};

/// Returns the server's response to a client that connects with these options and pings.
fn answer(server: &Server, options: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("it listens");
    write!(stream, "CONNECT {options}\r\nPING\r\n").expect("written");
    let mut lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
    lines.find(|line| !line.starts_with("INFO ")).expect("an answer")
}

/// Runs one test at a time, because the port of a stopped server may be taken by another test.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn a_server_answers_at_its_url() {
    let _alone = alone();
    let server = Server::start();
    assert_eq!(server.url(), format!("nats://127.0.0.1:{}", server.port()));
    assert_eq!(answer(&server, "{\"verbose\":false}"), "PONG");
}

#[test]
fn a_password_is_required_if_one_was_set() {
    let _alone = alone();
    let server = Server::start_with_password("open-sesame");
    assert!(server.url().starts_with("nats://confab:open-sesame@127.0.0.1:"));
    let right = r#"{"verbose":false,"user":"confab","pass":"open-sesame"}"#;
    assert_eq!(answer(&server, right), "PONG");
    assert!(answer(&server, "{\"verbose\":false}").contains("Authorization Violation"));
}

#[test]
fn a_stopped_server_starts_again_on_the_same_port() {
    let _alone = alone();
    let server = Server::start();
    server.stop();
    assert!(TcpStream::connect(("127.0.0.1", server.port())).is_err(), "no server listens");
    let squatter = TcpListener::bind(("127.0.0.1", server.port())).expect("a free port");
    let panic = catch_unwind(AssertUnwindSafe(|| server.start_again())).expect_err("taken");
    let message = panic.downcast::<String>().expect("a sentence");
    assert!(message.ends_with(&format!("its port {} is taken.", server.port())), "{message}");
    drop(squatter);
    server.start_again();
    assert_eq!(answer(&server, "{\"verbose\":false}"), "PONG");
}

#[test]
fn dropping_a_server_removes_its_folder() {
    let _alone = alone();
    let server = Server::start();
    let (folder, port) = (server.folder().to_owned(), server.port());
    drop(server);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err() && !folder.exists());
}

#[test]
fn killing_the_test_process_ends_the_server_and_removes_its_folder() {
    let _alone = alone();
    if is_to_be_killed() {
        let server = Server::start();
        server.stop();
        server.start_again();
        return wait_to_be_killed(server.folder(), server.port());
    }
    let name = "killing_the_test_process_ends_the_server_and_removes_its_folder";
    let (folder, port) = kill_once_it_waits(name);
    let port: u16 = port.parse().expect("a port");
    wait_until("the server has ended", || {
        !folder.exists() && TcpStream::connect(("127.0.0.1", port)).is_err()
    });
}
