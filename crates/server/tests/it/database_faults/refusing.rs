//! The database is there, but does not do what it is asked for.

use std::io::{Read, Write};
use std::net::TcpStream;

use confab_test_servers::postgres::Setup;

use super::{Scene, check_not_ready};
use crate::support::waiting::until_so;

/// Enough for the node, and for whoever looks at the outcome.
const CONNECTIONS_MAX: u32 = 30;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_only_database_refuses_posts_shows_pages_and_recovers() {
    let mut scene = Scene::set().await;
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
async fn a_database_without_free_connections_refuses_and_recovers_when_some_are_freed() {
    let mut scene = Scene::set_with(Setup::new().connections_max(CONNECTIONS_MAX)).await;
    let shop = scene.shop();
    let mut others = Others::take_all(scene.database.port());
    // The node has its connections still; they are taken from it one by one. Those that it lost
    // are free only after a while, and then it is as quick as anybody to have them again.
    until_so("that the others have all", || {
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

/// Sessions of somebody else, who takes all there are.
struct Others {
    port: u16,
    sessions: Vec<TcpStream>,
}

impl Others {
    fn take_all(port: u16) -> Self {
        let mut others = Self { port, sessions: Vec::new() };
        others.take_free();
        assert!(!others.sessions.is_empty(), "there were some");
        others
    }

    fn take_free(&mut self) {
        while let Some(session) = open_session(self.port) {
            self.sessions.push(session);
        }
    }

    /// Ends the sessions of the node and takes what they leave.
    fn take_from_node(&mut self) {
        let session = self.sessions.first_mut().expect("there is one");
        run(session, super::breaking::TERMINATE);
        self.take_free();
    }
}

/// A session that is ready for statements; none if the server refuses.
fn open_session(port: u16) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    let words = b"user\0postgres\0database\0postgres\0\0";
    let mut startup = (words.len() as u32 + 8).to_be_bytes().to_vec();
    startup.extend(196_608_u32.to_be_bytes());
    startup.extend(words);
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

/// Reads messages up to `Z`, ready for more; false if `E`, an error, comes first.
fn read_until_ready(stream: &mut TcpStream) -> bool {
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head).expect("a message");
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
        let mut rest = vec![0; length as usize - 4];
        stream.read_exact(&mut rest).expect("the rest of it");
        match head[0] {
            b'Z' => return true,
            b'E' => return false,
            _ => {}
        }
    }
}
