//! Flipped bits in stored files: no wrong data is served, and no acknowledged message is lost
//! without an error (D-0084).
//!
//! These tests run on the embedded store, regardless of the configured engine.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use confab_domain::ids::RoomId;
use confab_runtime::SystemStamps;
use confab_runtime::process::secrets_file::SecretsFile;
use confab_store::{Location, Store};

use crate::support::answer::text;
use crate::support::caller::Caller;
use crate::support::engine;
use crate::support::process::{Confab, Folder};

const FLIPS: usize = 100;
const ROOMS: usize = 4;
const PAGE_BYTES: usize = 4096;

/// Acknowledged messages by room, as id and text.
type Acknowledged = BTreeMap<i64, Vec<(i64, String)>>;

/// The folder of a killed server: some messages are in the database, some still in the write-ahead
/// log.
struct Scene {
    folder: Folder,
    rooms: Vec<i64>,
    acknowledged: Acknowledged,
}

impl Scene {
    async fn new() -> Self {
        let folder = Folder::embedded().and_app().await;
        let mut scene = Self { folder, rooms: Vec::new(), acknowledged: BTreeMap::new() };
        let server = scene.folder.serve();
        let shop = server.shop();
        shop.register("ana").await;
        for room in 0..ROOMS {
            let room = shop.create_room(&room_name(room), &["ana"]).await;
            scene.rooms.push(text(&room["room_id"]).parse().expect("an id"));
        }
        scene.post(&server, 60).await;
        server.signal("TERM");
        assert!(server.ended().success());
        scene.post_and_kill(15).await;
        scene
    }

    async fn post_and_kill(&mut self, count: usize) {
        let server = self.folder.serve();
        self.post(&server, count).await;
        server.kill();
    }

    /// Posts `count` messages into each room.
    async fn post(&mut self, server: &Confab, count: usize) {
        let shop = server.shop();
        let mut posting = Vec::new();
        for room in 0..ROOMS {
            posting.push(tokio::spawn(post_messages(shop.clone(), room_name(room), count)));
        }
        for (room, posted) in self.rooms.iter().zip(posting) {
            let posted = posted.await.expect("posted");
            self.acknowledged.entry(*room).or_default().extend(posted);
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.data()
    }

    /// Returns a copy of the folder, to be damaged.
    fn copy(&self) -> Folder {
        let copy = Folder::embedded();
        copy_folder(&self.data(), &copy.data());
        copy
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        // Shared memory of the killed process is created again.
        if path.is_file() && !path.to_string_lossy().ends_with("-shm") {
            fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("copied");
        }
    }
}

fn room_name(number: usize) -> String {
    format!("room{number}")
}

async fn post_messages(shop: Caller, room: String, count: usize) -> Vec<(i64, String)> {
    let mut posted = Vec::new();
    for number in 0..count {
        let text = format!("{room} says {number} of {count} {}", "x".repeat(number * 37 % 500));
        let comment = shop.post_comment("ana", &room, &text).await;
        posted.push((comment["id"].as_i64().expect("an id"), text));
    }
    posted
}

/// Returns a pseudo-random number below `range`, the same in every run.
fn spread(number: usize, range: usize) -> usize {
    let mut mixed = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^= mixed >> 29;
    (mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as usize % range
}

fn flip(path: &Path, bit: usize) {
    let mut bytes = fs::read(path).expect("read");
    bytes[bit / 8] ^= 1 << (bit % 8);
    fs::write(path, bytes).expect("written");
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    RefusedToStart,
    RefusedToRead,
    Unchanged,
    Silent,
}

/// Opens the store of a folder without a server; `None` if it refuses to open.
async fn open(folder: &Folder) -> Option<Store> {
    let stamps = std::sync::Arc::new(SystemStamps::new(0));
    let location = Location::folder(folder.data());
    let sealer = SecretsFile::at(engine::secrets_key_file()).sealer(&location).await.ok()?;
    Store::open(&location, stamps, sealer).await.ok()
}

/// Reads all acknowledged messages from a folder and compares them.
async fn read_all(folder: &Folder, acknowledged: &Acknowledged) -> Outcome {
    let Some(store) = open(folder).await else { return Outcome::RefusedToStart };
    let mut outcome = Outcome::Unchanged;
    for (room, posted) in acknowledged {
        match store.chain(RoomId(*room)).await {
            Err(_) => outcome = Outcome::RefusedToRead,
            Ok(chain) => {
                let read: Vec<_> = chain.into_iter().map(|it| (it.id.0, it.text)).collect();
                if read != *posted {
                    return Outcome::Silent;
                }
            }
        }
    }
    // Closing may report the damage once more.
    let _ = store.close().await;
    outcome
}

async fn is_found_by_check(folder: &Folder) -> bool {
    let checked = confab_store::check(&Location::folder(folder.data()), &|_| {}).await;
    checked.map_or(true, |problems| !problems.is_empty())
}

/// Flips bits of one file, each in a fresh copy; counts the outcomes and the detected flips.
async fn flip_many(scene: &Scene, name: &str) -> (BTreeMap<Outcome, usize>, usize) {
    let bits = fs::metadata(scene.data().join(name)).expect("a file").len() as usize * 8;
    let (mut outcomes, mut found) = (BTreeMap::new(), 0);
    for number in 0..FLIPS {
        let copy = scene.copy();
        flip(&copy.data().join(name), spread(number, bits));
        found += usize::from(is_found_by_check(&copy).await);
        *outcomes.entry(read_all(&copy, &scene.acknowledged).await).or_default() += 1;
    }
    println!("{FLIPS} flipped bits in {name}: {outcomes:?}, {found} found by confab check");
    (outcomes, found)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flipped_bits_in_the_database_are_never_served_and_check_finds_each() {
    let scene = Scene::new().await;
    assert_eq!(read_all(&scene.copy(), &scene.acknowledged).await, Outcome::Unchanged);
    assert!(!is_found_by_check(&scene.copy()).await, "check accepts an undamaged store");
    let (outcomes, found) = flip_many(&scene, "confab.db").await;
    assert_eq!(outcomes.get(&Outcome::Silent), None);
    assert_eq!(found, FLIPS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flipped_bits_in_the_wal_never_lose_acknowledged_messages_silently() {
    let scene = Scene::new().await;
    let (outcomes, found) = flip_many(&scene, "confab.db-wal").await;
    assert_eq!(outcomes.get(&Outcome::Silent), None);
    let unchanged = outcomes.get(&Outcome::Unchanged).copied().unwrap_or(0);
    assert!(found >= FLIPS - unchanged, "{found} found, {unchanged} harmless");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_a_damaged_wal_refuses_to_start_until_the_loss_is_accepted() {
    let scene = Scene::new().await;
    let damaged = scene.copy();
    let log = damaged.data().join("confab.db-wal");
    let bytes = fs::metadata(&log).expect("a log").len() as usize;
    flip(&log, bytes / 2 * 8);
    let before = fs::read(&log).expect("read");

    let output = damaged.launch(&[], &[]).failed();
    assert!(output.contains("acknowledged messages are missing"), "{output}");
    assert!(output.contains("breaks off before its end"), "{output}");
    assert!(output.contains("confab check --accept-loss"), "{output}");
    for command in [&["user", "list"][..], &["backup", "copy.db"], &["app", "create", "other"]] {
        let output = damaged.run(command).failed(1);
        assert!(output.contains("acknowledged messages are missing"), "{output}");
    }
    let checked = damaged.run(&["check"]);
    assert_eq!(checked.code, Some(1), "{}", checked.err);
    assert!(checked.out.contains("acknowledged messages are missing"), "{}", checked.out);
    assert_eq!(fs::read(&log).expect("read"), before, "nothing was removed");

    let printed = damaged.run(&["check", "--accept-loss"]).ok();
    assert!(printed.contains("is accepted"), "{printed}");
    let has_copy = fs::read_dir(damaged.data())
        .expect("a folder")
        .any(|entry| entry.expect("an entry").file_name().to_string_lossy().contains("-wal.kept-"));
    assert!(has_copy, "a copy of the damaged log remains");
    let server = damaged.serve();
    server.shop().post_comment("ana", "room0", "after the loss").await;
    server.kill();
    assert!(damaged.run(&["check"]).ok().contains("No problems found."));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removed_wal_or_database_is_detected() {
    let scene = Scene::new().await;
    let without_log = scene.copy();
    fs::remove_file(without_log.data().join("confab.db-wal")).expect("removed");
    let log = without_log.launch(&[], &[]).failed();
    assert!(log.contains("acknowledged messages are missing"), "{log}");

    let without_all = scene.copy();
    for name in ["confab.db", "confab.db-wal"] {
        fs::remove_file(without_all.data().join(name)).expect("removed");
    }
    let log = without_all.launch(&[], &[]).failed();
    assert!(log.contains("acknowledged messages are missing"), "{log}");
    without_all.run(&["check", "--accept-loss"]).ok();
    without_all.serve().greeting();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unacknowledged_torn_write_is_logged_and_does_not_prevent_startup() {
    let mut scene = Scene::new().await;
    let (copy, acknowledged) = (scene.copy(), scene.acknowledged.clone());
    let log = "confab.db-wal";
    let acknowledged_bytes = fs::metadata(copy.data().join(log)).expect("a log").len() as usize;
    scene.post_and_kill(5).await;
    // Later frames are on disk, an earlier one is not, and the mark is as old as the fsync.
    let mut later = fs::read(scene.data().join(log)).expect("read");
    assert!(
        later.len() > acknowledged_bytes + 4 * PAGE_BYTES,
        "the second server appended to the same log"
    );
    later[acknowledged_bytes..][..PAGE_BYTES].fill(0);
    fs::write(copy.data().join(log), later).expect("written");

    let server = copy.serve();
    server.log.wait_for("breaks off before its end");
    server.kill();
    let outcome = read_all(&copy, &acknowledged).await;
    assert_eq!(outcome, Outcome::Unchanged, "all acknowledged messages are intact");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_of_a_damaged_page_fail_and_the_server_is_not_ready_from_then_on() {
    let scene = Scene::new().await;
    let damaged = scene.copy();
    // Move all messages from the log into the database. Its newest messages are read at every
    // start.
    let server = damaged.serve();
    let newest = server.shop().post_comment("ana", "room0", "the newest").await;
    server.signal("TERM");
    assert!(server.ended().success());
    serve_until_indexed(&damaged, newest["id"].as_i64().expect("an id")).await;
    let page = damage_oldest_messages(&damaged);

    let server = damaged.serve();
    let shop = server.shop();
    assert_eq!(shop.ready().await.status, 200);
    let mut refused = 0;
    for room in 0..ROOMS {
        let room = room_name(room);
        let query = [("room_id", room.as_str()), ("limit", "100"), ("page", "1")];
        let answer = shop.get("load_comments", &query).await;
        if answer.status != 200 {
            answer.refused(503, "store_damaged");
            assert!(!answer.text.contains("confab.db"), "{answer:?}");
            assert!(!answer.header("retry-after").is_empty(), "{answer:?}");
            refused += 1;
        }
    }
    assert!(refused > 0, "page {page} has messages of at least one room");
    let line = server.log.wait_for("checksum fault");
    let offset = (page - 1) * PAGE_BYTES;
    assert!(line.contains("confab.db") && line.contains(&offset.to_string()), "{line}");
    for _ in 0..3 {
        let answer = shop.ready().await;
        answer.refused(503, "not_ready");
        assert!(answer.text.contains("is damaged"), "{answer:?}");
    }
    assert!(damaged.run(&["check"]).out.contains(&format!("page {page} is damaged")));
    server.kill();
    let checked = damaged.run(&["check"]);
    assert_eq!(checked.code, Some(1));
    assert!(checked.out.contains(&format!("page {page} is damaged")));
}

/// Serves until the search index includes the newest message. A server that still indexes reads
/// messages by itself, and may find the damage before its callers do.
async fn serve_until_indexed(folder: &Folder, newest: i64) {
    for _ in 0..200 {
        let store = open(folder).await.expect("an undamaged store");
        let reached = store.index_state().await.expect("the state of the index").reached;
        store.close().await.expect("closed");
        if reached.0 >= newest {
            return;
        }
        let server = folder.serve();
        server.signal("TERM");
        assert!(server.ended().success());
    }
    panic!("the newest message was never indexed");
}

/// Flips a bit of the page with the oldest messages; returns the page number.
fn damage_oldest_messages(folder: &Folder) -> usize {
    let database = folder.data().join("confab.db");
    let bytes = fs::read(&database).expect("read");
    // The last occurrence: pages that were split retain old bytes behind their end. In a stored
    // message the type precedes the text, unlike in the search index.
    let words = b"textroom0 says 1 of 60 ";
    let at = bytes
        .windows(words.len())
        .rposition(|it| it == words)
        .expect("the message is in the database");
    flip(&database, at * 8);
    at / PAGE_BYTES + 1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn check_verifies_uploaded_files_and_works_next_to_a_running_server() {
    use crate::sdk::uploads::upload;
    use crate::support::client::Client;
    let folder = Folder::embedded().and_app().await;
    let server = folder.serve();
    let shop = server.shop();
    shop.furnish().await;
    for number in 0..5 {
        shop.post_comment("ana", "support", &number.to_string()).await;
    }
    let carol = Client::new(&shop, "carol").await;
    upload(&carol, "a.txt", b"precious").await.results();
    let printed = folder.run(&["check"]).ok();
    for part in [" pages", "5 messages", "checked 1 uploaded file", "No problems found."] {
        assert!(printed.contains(part), "{part} in {printed}");
    }
    server.signal("TERM");
    server.ended();

    let file = all_files(&folder.data().join("files")).pop().expect("a file");
    fs::OpenOptions::new()
        .append(true)
        .open(&file)
        .expect("opens")
        .write_all(b"!")
        .expect("written");
    let printed = folder.run(&["check"]);
    assert_eq!(printed.code, Some(1));
    assert!(printed.out.contains("is damaged"), "{}", printed.out);
}

fn all_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(all_files(&path)),
            false => found.push(path),
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn check_detects_a_deleted_message_in_postgresql() {
    let database = confab_test_servers::postgres::Setup::new().start();
    let folder = Folder::with_database(Some(database.url())).and_app().await;
    let server = folder.serve();
    let shop = server.shop();
    shop.furnish().await;
    for number in 0..5 {
        shop.post_comment("ana", "support", &number.to_string()).await;
    }
    let printed = folder.run(&["check"]).ok();
    for part in ["checksums", "No problems found."] {
        assert!(printed.contains(part), "{part} in {printed}");
    }
    database.psql("DELETE FROM messages WHERE number = 3");
    let printed = folder.run(&["check"]);
    assert_eq!(printed.code, Some(1));
    assert!(printed.out.contains("the chain of messages of room"), "{}", printed.out);
}
