//! The database is reachable, but refuses writes or connections.

use std::io::{Read, Write};
use std::net::TcpStream;

use confab_test_servers::postgres::Setup;

use super::{Scene, check_not_ready};
use crate::support::waiting::until_so;

/// Enough for the node and for the checks.
const CONNECTIONS_MAX: u32 = 30;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_a_read_only_database_posts_are_refused_and_pages_still_load() {
    let mut scene = Scene::new().await;
    let shop = scene.shop();
    let posting = scene.post();
    posting.acknowledged(60).await;
    scene.database.psql("ALTER SYSTEM SET default_transaction_read_only = on");
    scene.database.psql("SELECT pg_reload_conf()");
    until_so("the refusal", || async { shop.ready().await.status == 503 }).await;
    for _ in 0..10 {
        posting.refused(10).await;
        check_not_ready(&shop).await;
        assert!(!shop.texts("room0").await.is_empty());
    }
    scene.database.psql("ALTER SYSTEM RESET default_transaction_read_only");
    scene.database.psql("SELECT pg_reload_conf()");
    scene.recovered().await;
    posting.acknowledged(60).await;
    scene.check("read-only", posting).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_without_free_connections_refuses_posts_and_recovers_once_some_are_free() {
    let mut scene = Scene::with(Setup::new().connections_max(CONNECTIONS_MAX)).await;
    let shop = scene.shop();
    let mut others = Others::take_all(scene.database.port());
    // The node still has its connections, which are terminated and taken over one by one. They are
    // free only after a while, and the node may be the first to open them again.
    until_so("the other sessions have all connections", || {
        others.take_from_node();
        let have_all = others.sessions.len() == CONNECTIONS_MAX as usize;
        async move { have_all }
    })
    .await;
    until_so("the refusal", || async { shop.ready().await.status == 503 }).await;
    let posting = scene.post();
    for _ in 0..10 {
        posting.refused(10).await;
        check_not_ready(&shop).await;
    }
    drop(others);
    scene.recovered().await;
    posting.acknowledged(60).await;
    scene.check("out of connections", posting).await;
}

/// Sessions of another client, which takes all connections.
struct Others {
    port: u16,
    sessions: Vec<TcpStream>,
}

impl Others {
    fn take_all(port: u16) -> Self {
        let mut others = Self { port, sessions: Vec::new() };
        others.take_free();
        assert!(!others.sessions.is_empty(), "connections are free");
        others
    }

    fn take_free(&mut self) {
        while let Some(session) = open_session(self.port) {
            self.sessions.push(session);
        }
    }

    /// Terminates the sessions of the node and takes the freed connections.
    fn take_from_node(&mut self) {
        let session = self.sessions.first_mut().expect("a session");
        run(session, super::breaking::TERMINATE);
        self.take_free();
    }
}

/// Opens a session that is ready for statements; `None` if the server refuses it.
fn open_session(port: u16) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    let parameters = b"user\0postgres\0database\0postgres\0\0";
    let mut startup = (parameters.len() as u32 + 8).to_be_bytes().to_vec();
    startup.extend(196_608_u32.to_be_bytes());
    startup.extend(parameters);
    stream.write_all(&startup).expect("sent");
    read_until_ready(&mut stream).then_some(stream)
}

fn run(session: &mut TcpStream, statement: &str) {
    let mut query = vec![b'Q'];
    query.extend((statement.len() as u32 + 5).to_be_bytes());
    query.extend(statement.as_bytes());
    query.push(0);
    session.write_all(&query).expect("sent");
    assert!(read_until_ready(session), "{statement} was refused");
}

/// Reads messages up to `Z` (ready for a query); returns false if `E` (an error) comes first.
fn read_until_ready(stream: &mut TcpStream) -> bool {
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head).expect("a message");
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
        let mut rest = vec![0; length as usize - 4];
        stream.read_exact(&mut rest).expect("the rest of the message");
        match head[0] {
            b'Z' => return true,
            b'E' => return false,
            _ => {}
        }
    }
}
