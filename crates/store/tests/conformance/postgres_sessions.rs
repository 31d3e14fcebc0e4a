//! Connections to PostgreSQL: number, settings, encryption, loss and recovery (design/storage).

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use confab_domain::limits;
use confab_domain::messages::message::Message;
use confab_store::{Location, Store, StoreError};
use confab_test_servers::postgres::{Server, Setup, shared};
use tempfile::TempDir;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_postgres::NoTls;

use crate::engine::Engine;
use crate::stamps::{MORNING, TestStamps};
use crate::world::{World, draft_by, failure, side_by_side};

const CONNECTIONS_MAX: usize = 1 + limits::POSTGRES_READERS_MAX + limits::POSTGRES_LISTERS_MAX;

/// Returns a world with two rooms, whose connections have this application name.
async fn world_named(name: &str) -> World {
    let url = format!("{}&application_name={name}", shared().new_schema());
    let world = World::start(Engine::Postgres(url.into())).await;
    world.register(&["ana", "bob"]).await;
    world.open_group("support", &["ana", "bob"]).await;
    world.open_group("other", &["ana", "bob"]).await;
    world
}

fn url_of(world: &World) -> &str {
    let Engine::Postgres(url) = &world.engine else { panic!("only PostgreSQL has sessions") };
    url
}

/// Opens a session that belongs to no node and is not counted among the world's connections.
async fn separate_session(world: &World) -> tokio_postgres::Client {
    let mut config: tokio_postgres::Config = url_of(world).parse().expect("a valid address");
    config.application_name("beside");
    let (client, connection) = config.connect(NoTls).await.expect("connects");
    tokio::spawn(connection);
    client
}

async fn connections(session: &tokio_postgres::Client, name: &str) -> usize {
    let counted = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1";
    let row = session.query_one(counted, &[&name]).await.expect("counted");
    row.get::<_, i64>(0) as usize
}

/// Waits until the application name has a wanted number of connections.
async fn wait_for_connections(
    session: &tokio_postgres::Client,
    name: &str,
    is_wanted: impl Fn(usize) -> bool,
) {
    in_time(async { while !is_wanted(connections(session, name).await) {} }).await;
}

/// Waits for a future; fails the test if it takes too long.
async fn in_time<T>(awaited: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(60), awaited).await.expect("it happens in time")
}

/// Terminates all connections with the name, and waits until they are gone; new ones may open in
/// the meantime.
async fn end_connections(session: &tokio_postgres::Client, name: &str) {
    let ended = "SELECT array_agg(pid), count(pg_terminate_backend(pid)) \
        FROM pg_stat_activity WHERE application_name = $1";
    let ended = session.query_one(ended, &[&name]).await.expect("ended");
    let pids: Option<Vec<i32>> = ended.get(0);
    let left = "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY ($1)";
    let count = async || session.query_one(left, &[&pids]).await.expect("counted");
    in_time(async { while count().await.get::<_, i64>(0) > 0 {} }).await;
}

#[tokio::test]
async fn commits_are_synchronous_despite_other_database_defaults() {
    let careless = "%20-c%20synchronous_commit%3Doff\
        %20-c%20default_transaction_isolation%3Dserializable";
    let url = format!("{}{careless}", shared().new_schema());
    let world = World::start(Engine::Postgres(url.clone().into())).await;
    let observing = "CREATE TABLE observed (setting text); \
        CREATE FUNCTION observe() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
        INSERT INTO observed VALUES (current_setting('synchronous_commit') || ', ' \
        || current_setting('transaction_isolation')); RETURN NULL; END $$; \
        CREATE TRIGGER observing AFTER INSERT ON users EXECUTE FUNCTION observe()";
    shared().psql_at(&url, observing);
    world.register(&["ana"]).await;
    let observed = shared().psql_at(&url, "SELECT setting FROM observed");
    assert_eq!(observed, "on, read committed");
    world.another_app("globex").await;
    let observed = shared().psql_at(&url, "SELECT setting FROM observed OFFSET 1");
    assert!(observed.starts_with("on, "), "{observed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_under_load_has_at_most_thirteen_connections() {
    let world = world_named("counted").await;
    let session = separate_session(&world).await;
    // The connections that created the tables and the app are being closed.
    wait_for_connections(&session, "counted", |count| count <= 2).await;
    let tasks: Vec<_> = (0..200)
        .map(|task| {
            let world = world.clone();
            async move {
                for _ in 0..3 {
                    match task % 4 {
                        0 => drop(world.post("support", "ana", "hello").await),
                        1 => drop(world.page("support", 1, 20).await),
                        2 => drop(world.unread_in_all("ana").await),
                        _ => drop(world.participants("other").await),
                    }
                }
            }
        })
        .collect();
    let load = tokio::spawn(side_by_side(tasks));
    let mut most = 0;
    while !load.is_finished() {
        most = most.max(connections(&session, "counted").await);
    }
    load.await.expect("every request is answered");
    most = most.max(connections(&session, "counted").await);
    assert!((3..=CONNECTIONS_MAX).contains(&most), "{most} connections");
    assert_eq!(CONNECTIONS_MAX, 13);
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_connections_are_replaced_without_an_error() {
    let world = world_named("replaced").await;
    let session = separate_session(&world).await;
    for turn in 1..=4 {
        // All possible connections are open.
        read_often(&world).await;
        end_connections(&session, "replaced").await;
        world.post("support", "ana", "after the loss").await;
        assert_eq!(read_often(&world).await, [turn]);
    }
    assert_eq!(world.chain("support").await.len(), 4);
}

/// Reads concurrently and returns the distinct answers.
async fn read_often(world: &World) -> Vec<u64> {
    let reads = (0..100).map(|_| {
        let world = world.clone();
        async move {
            let page = world.page("support", 1, 20).await.len() as u64;
            assert_eq!(world.unread_in_all("bob").await, page);
            page
        }
    });
    let mut counts = side_by_side(reads).await;
    counts.dedup();
    counts
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_in_flight_when_connections_are_lost_are_answered() {
    let world = world_named("reading").await;
    let session = separate_session(&world).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let tasks: Vec<_> = (0..50)
        .map(|_| {
            let (world, is_over) = (world.clone(), is_over.clone());
            async move {
                while !is_over.load(Ordering::Relaxed) {
                    assert!(world.page("support", 1, 20).await.is_empty());
                }
            }
        })
        .collect();
    let reading = tokio::spawn(side_by_side(tasks));
    for _ in 0..6 {
        // All connections for key lookups are busy.
        let is_busy = |count| count >= limits::POSTGRES_READERS_MAX;
        wait_for_connections(&session, "reading", is_busy).await;
        read_often(&world).await;
        end_connections(&session, "reading").await;
    }
    is_over.store(true, Ordering::Relaxed);
    reading.await.expect("every read was answered");
}

/// Posts from several tasks until the faults are over, and returns the answered messages.
async fn post_amid(world: &World, faults: impl Future<Output = ()>) -> Vec<Message> {
    let is_over = Arc::new(AtomicBool::new(false));
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let (world, is_over) = (world.clone(), is_over.clone());
            async move {
                let mut posted = Vec::new();
                for post in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    let draft = draft_by("ana", &format!("{task} {post}"));
                    let said = world.try_post("support", draft).await;
                    posted.extend(said.map(|said| said.message));
                }
                posted
            }
        })
        .collect();
    let posting = tokio::spawn(side_by_side(tasks));
    faults.await;
    is_over.store(true, Ordering::Relaxed);
    posting.await.expect("ends").concat()
}

/// Waits until more messages are written.
async fn wait_for_posts(world: &World) {
    let room = world.room("support").await.id;
    let count = async || world.store.chain(room).await.map_or(0, |chain| chain.len());
    let before = count().await;
    in_time(async { while count().await <= before {} }).await;
}

/// Checks that all answered messages exist and none exists twice. Returns the number of unanswered
/// ones.
async fn check_posted(world: &World, posted: &[Message]) -> usize {
    let chain = world.chain("support").await;
    let texts: HashSet<_> = chain.iter().map(|message| &message.text).collect();
    assert_eq!(texts.len(), chain.len(), "no message is stored twice");
    assert!(posted.iter().all(|message| chain[message.number as usize - 1] == *message));
    chain.len() - posted.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn posts_during_connection_losses_are_answered_as_they_were_written() {
    let world = world_named("amid").await;
    let session = separate_session(&world).await;
    let posted = post_amid(&world, async {
        for _ in 0..10 {
            end_connections(&session, "amid").await;
            wait_for_posts(&world).await;
        }
    });
    let posted = posted.await;
    assert_eq!(check_posted(&world, &posted).await, 0, "a failed post was not written");
}

#[tokio::test(flavor = "multi_thread")]
async fn posts_during_server_crashes_are_neither_lost_nor_duplicated() {
    let server = Server::start();
    let url = server.new_schema();
    let world = World::start(Engine::Postgres(url.into())).await;
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    let posted = post_amid(&world, async {
        for _ in 0..3 {
            wait_for_posts(&world).await;
            tokio::task::block_in_place(|| server.stop_immediately());
            tokio::task::block_in_place(|| server.start_again());
            wait_for_posts(&world).await;
        }
    });
    let posted = posted.await;
    assert!(posted.len() > 3);
    check_posted(&world, &posted).await;
}

/// Posts into a room that another session has locked and as often into another room, in one commit.
/// Returns the time until all are answered.
async fn post_next_to_a_lock(name: &str, posts: usize) -> Duration {
    let world = world_named(name).await;
    let mut session = separate_session(&world).await;
    let lock = session.transaction().await.expect("begun");
    let locked = "SELECT 1 FROM rooms WHERE unique_id = 'support' FOR UPDATE";
    lock.query_one(locked, &[]).await.expect("locked");
    let held = world.hold_writer().await;
    let started = Instant::now();
    let post = |room: &'static str| {
        let world = world.clone();
        tokio::spawn(async move { world.try_post(room, draft_by("ana", "hello")).await })
    };
    let posts: Vec<_> = (0..posts).map(|_| (post("support"), post("other"))).collect();
    held.release().await;
    for (into_locked, into_other) in posts {
        into_other.await.expect("ends").expect("posted");
        failure(into_locked.await.expect("ends"));
    }
    let took = started.elapsed();
    lock.rollback().await.expect("unlocked");
    assert_eq!(world.post("support", "ana", "after the lock").await.number, 1);
    took
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_room_fails_only_posts_to_that_room() {
    in_time(post_next_to_a_lock("locked", 1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn posts_to_a_locked_room_do_not_wait_one_after_another() {
    let took = in_time(post_next_to_a_lock("locked_by_many", 15)).await;
    // Each waits for two seconds: one after the other it would be thirty.
    assert!(took < Duration::from_secs(20), "it took {took:?}");
}

#[tokio::test]
async fn columns_can_be_added_to_tables_while_a_node_serves() {
    let world = world_named("altered").await;
    world.post("support", "ana", "before").await;
    assert_eq!(world.texts("support", 1, 20).await, ["before"]);
    let tables = ["apps", "users", "rooms", "room_names", "participants", "messages", "client_ids"];
    for table in tables.iter().chain(&["deletions", "nodes"]) {
        let adding = format!("ALTER TABLE {table} ADD COLUMN added text DEFAULT 'x'");
        shared().psql_at(url_of(&world), &adding);
        let posted = world.post("support", "ana", "after").await;
        assert_eq!(world.texts("support", 1, 1).await, ["after"]);
        assert_eq!(world.unread("ana", "support").await, Some(0));
        world.delete(&[&posted]).await;
        assert_eq!(world.texts("support", 1, 20).await, ["before"]);
        world.open_group(&format!("with {table}"), &["ana"]).await;
    }
}

#[tokio::test]
async fn opening_a_store_on_a_silent_server_times_out() {
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = silent.local_addr().expect("bound").port();
    let url = format!("postgres://postgres@127.0.0.1:{port}/postgres?connect_timeout=1");
    assert!(in_time(open(&url)).await.is_err());
}

/// Starts a proxy to a server that can be frozen: from then on it answers nothing and closes
/// nothing.
async fn freezing(port: u16) -> (u16, watch::Sender<()>) {
    let (freeze, frozen) = watch::channel(());
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let own_port = listener.local_addr().expect("bound").port();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut frozen = frozen.clone();
            tokio::spawn(async move {
                let mut server = TcpStream::connect(("127.0.0.1", port)).await.expect("connects");
                tokio::select! {
                    _ = copy_bidirectional(&mut client, &mut server) => {}
                    _ = frozen.changed() => std::future::pending().await,
                }
            });
        }
    });
    (own_port, freeze)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_closes_although_its_database_is_frozen() {
    let (port, freeze) = freezing(shared().port()).await;
    let address = |port: u16| format!(":{port}/");
    let url = shared().new_schema().replace(&address(shared().port()), &address(port));
    let store = open(&url).await.expect("opens");
    freeze.send(()).expect("there are connections");
    // The store may or may not close cleanly.
    let _ = in_time(store.close()).await;
}

async fn open(url: &str) -> Result<Store, StoreError> {
    let location = Location::database(url).expect("a valid address");
    crate::engine::open(&location, Arc::new(TestStamps::at(MORNING))).await
}

/// Starts a server with TLS, and returns the folder of its certificate.
fn encrypting_server() -> (Server, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let (key, certificate) = (folder.path().join("key.pem"), folder.path().join("cert.pem"));
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=confab tests"]);
    openssl.args(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]);
    openssl.args(["-addext", "subjectAltName=IP:127.0.0.1"]);
    openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    openssl.arg("-keyout").arg(&key).arg("-out").arg(&certificate);
    let made = openssl.output().expect("openssl is installed");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    for path in [folder.path(), &key, &certificate] {
        give_to_postgres(path);
    }
    let settings = [
        ("ssl", "on"),
        ("ssl_cert_file", certificate.to_str().expect("UTF-8")),
        ("ssl_key_file", key.to_str().expect("UTF-8")),
    ];
    (Setup::new().settings(&settings).start(), folder)
}

/// Restricts a path to its owner. A server started by root runs as the user `postgres`.
fn give_to_postgres(path: &Path) {
    let metadata = fs::metadata(path).expect("it exists");
    let mode = if metadata.is_dir() { 0o700 } else { 0o600 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
    if metadata.uid() == 0 {
        let printed = Command::new("id").args(["-u", "postgres"]).output().expect("id runs");
        let user = String::from_utf8_lossy(&printed.stdout).trim().parse().expect("a number");
        chown(path, Some(user), None).expect("the owner is changed");
    }
}

#[tokio::test]
async fn sslmode_has_the_same_meaning_as_in_libpq() {
    let (server, folder) = encrypting_server();
    let certificate = folder.path().join("cert.pem");
    let verified = format!("sslmode=verify-full&sslrootcert={}", certificate.display());
    let modes = [("sslmode=require", "t"), (&verified, "t"), ("sslmode=disable", "f")];
    for (name, (mode, expected)) in modes.into_iter().enumerate() {
        let opened = open(&format!("{}?{mode}&application_name=mode-{name}", server.url())).await;
        let opened = opened.map_err(|error| format!("{error}: {}", error.source));
        let store = opened.expect(mode);
        let is_encrypted = "SELECT DISTINCT ssl FROM pg_stat_ssl \
            JOIN pg_stat_activity USING (pid) WHERE application_name";
        let is_encrypted = server.psql(&format!("{is_encrypted} = 'mode-{name}'"));
        assert_eq!(is_encrypted, expected, "{mode}");
        store.close().await.expect("closes");
    }
    let unproven = open(&format!("{}?sslmode=verify-full", server.url())).await;
    let reason = unproven.err().expect("the certificate is not trusted").source.to_string();
    assert!(reason.contains("certificate"), "{reason}");
    let another_name = server.url().replace("127.0.0.1", "localhost");
    let unproven = open(&format!("{another_name}?{verified}")).await;
    let reason = unproven.err().expect("the certificate is for another name").source.to_string();
    assert!(reason.contains("certificate"), "{reason}");
}
