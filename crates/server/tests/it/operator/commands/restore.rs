//! `confab backup` and `confab restore`: restored data can be served; damaged, truncated or
//! conflicting archives are refused (design/operations).

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::process::Command;

use confab_test_servers::postgres;

use crate::sdk::uploads::{fetch, path, upload};
use crate::support::client::Client;
use crate::support::process::{Confab, Ended, Folder};
use crate::support::waiting::until;

/// Starts a server with a message and a file; returns the file's path, too.
async fn furnished(folder: &Folder) -> (Confab, String) {
    let server = folder.serve();
    server.shop().furnish().await;
    server.shop().post_comment("ana", "support", "hello").await;
    let cleo = Client::new(&server.shop(), "cleo").await;
    let path = path(&upload(&cleo, "a.txt", b"precious").await.results());
    (server, path)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_backup_serves_its_messages_and_files() {
    let folder = Folder::embedded().and_app().await;
    let (_server, file) = furnished(&folder).await;
    let said = folder.run(&["backup", "copy.tar"]).ok();
    assert!(said.contains("It contains 1 uploaded file."), "{said}");
    assert!(said.contains("It does not contain the keys that decrypt its secrets"), "{said}");
    let left = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 2, "the folder has only the data and the archive");
    let archive = folder.path().join("copy.tar");
    let archive = archive.to_str().expect("text");

    let other = Folder::embedded();
    let said = other.run(&["restore", archive]).ok();
    assert!(said.contains("1 uploaded file:") && said.contains("by Confab"), "{said}");
    assert!(said.contains("has the keys of this data"), "{said}");
    let restored = other.serve();
    assert_eq!(restored.printed(), "", "no greeting is printed");
    assert_eq!(restored.shop().texts("support").await, ["hello"]);
    let (status, answer) = fetch(&restored.shop(), &file, None).await;
    assert_eq!((status, answer.text.as_str()), (200, "precious"));
    restored.shop().post_comment("ana", "support", "and on").await;
    restored.kill();
    assert!(other.run(&["check"]).ok().contains("checked 1 uploaded file\nNo problems found."));

    let said = other.run(&["restore", archive]).failed(1);
    assert!(said.contains("is not empty"), "{said}");
    assert_eq!(other.serve().shop().texts("support").await, ["and on", "hello"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tar_can_list_an_archive_and_restore_names_a_missing_key_file() {
    let folder = Folder::embedded().and_app().await;
    furnished(&folder).await.0.kill();
    folder.run(&["backup", "copy.tar"]).ok();
    let listed = Command::new("tar").args(["-tf", "copy.tar"]).current_dir(folder.path()).output();
    let listed = String::from_utf8(listed.expect("tar runs").stdout).expect("text");
    let names: Vec<_> = listed.lines().collect();
    assert_eq!((names[0], names[1], names.len()), ("confab-backup.json", "confab.db", 4));
    assert!(names[2].starts_with("files/") && names[3] == "confab-backup.end", "{listed}");
    let elsewhere = [("CONFAB_SECRETS_KEY_FILE", "data/secrets.key")];
    let said = folder.run_with(&["restore", "copy.tar", "--data", "new"], &elsewhere).ok();
    assert!(said.contains("put the key file data/secrets.key in its place"), "{said}");
    folder.write("data/secrets.key", &format!("key {}\n", "77".repeat(32)));
    let said = folder.run_with(&["restore", "copy.tar", "--data", "newer"], &elsewhere).ok();
    assert!(said.contains("WRONG: the key file data/secrets.key does not have the key"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_or_truncated_archive_is_refused_and_changes_nothing() {
    let folder = Folder::embedded().and_app().await;
    furnished(&folder).await.0.kill();
    folder.run(&["backup", "copy.tar"]).ok();
    let whole = fs::read(folder.path().join("copy.tar")).expect("an archive");
    let database = whole.windows(13).position(|it| it == b"SQLite format").expect("a database");
    let file = whole.windows(8).position(|it| it == b"precious").expect("a file");
    let end = whole.windows(11).rposition(|it| it == b"head_sha256").expect("an end");
    let damaged = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    let head = whole.windows(12).position(|it| it == b"\"made_at\": \"").expect("a time") + 13;
    for (name, bytes, why) in [
        (
            "the database",
            damaged(database + 5000),
            "the database in the archive is truncated or damaged",
        ),
        ("a file", damaged(file + 2), "is damaged"),
        ("the beginning", damaged(head), "the start of the archive is damaged"),
        ("a head of tar", damaged(520 + 512), "damaged"),
        ("cut in the database", whole[..database + 9000].to_vec(), "truncated or damaged"),
        ("cut in the file", whole[..file + 3].to_vec(), "the archive is truncated"),
        ("cut before the end", whole[..end - 700].to_vec(), "was not restored"),
        ("no archive", b"SQLite format 3".to_vec(), "damaged"),
        ("nothing", Vec::new(), "the archive is truncated"),
    ] {
        fs::write(folder.path().join("bad.tar"), &bytes).expect("written");
        let said = folder.run(&["restore", "bad.tar", "--data", "new"]).failed(1);
        assert!(said.contains("nothing was changed") && said.contains(why), "{name}: {said}");
        assert!(!folder.path().join("new").exists(), "{name}");
    }
    folder.run(&["restore", "copy.tar", "--data", "new"]).ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_names_a_damaged_file_and_the_rest_can_be_restored() {
    let folder = Folder::embedded().and_app().await;
    let (server, file) = furnished(&folder).await;
    server.kill();
    let hash = file.split('/').nth(3).expect("a hash").to_owned();
    let apps = fs::read_dir(folder.data().join("files")).expect("a folder").flatten();
    let kept = apps.map(|app| app.path().join(&hash[..2]).join(&hash)).find(|it| it.exists());
    let mut rotten = fs::File::options().write(true).open(kept.expect("the file")).expect("open");
    rotten.seek(SeekFrom::Start(2)).expect("there");
    rotten.write_all(b"X").expect("written");
    let ended = folder.run(&["backup", "copy.tar"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.out.contains(&format!("{hash} is damaged")), "{}", ended.out);
    let said = folder.run(&["restore", "copy.tar", "--data", "new"]).ok();
    assert!(said.contains(&format!("{hash}, which was already damaged")), "{said}");
    let restored = folder.serve_with(&["--data", "new"], &[]);
    assert_eq!(restored.shop().texts("support").await, ["hello"]);
    fetch(&restored.shop(), &file, None).await.1.refused(404, "file_not_found");
}

#[test]
fn restore_refuses_postgresql_and_backup_overwrites_no_file() {
    let folder = Folder::embedded();
    let url = "postgres://confab@127.0.0.1:1/chat";
    folder.write("copy.tar", "");
    let said = folder.run(&["restore", "copy.tar", "--database-url", url]).failed(1);
    assert!(said.contains("pg_restore"), "{said}");
    let said = folder.run(&["restore", "none.tar"]).failed(1);
    assert!(said.contains("none.tar"), "{said}");
    folder.run(&["app", "create", "shop"]).ok();
    let said = folder.run(&["backup", "copy.tar"]).failed(1);
    assert!(said.contains("copy.tar exists already"), "{said}");
}

/// Follows docs/operating/backup-and-restore.md.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_pg_dump_serves_its_messages_and_files() {
    let cluster = postgres::Server::start();
    cluster.psql("CREATE DATABASE confab");
    cluster.psql("CREATE DATABASE again");
    let url = |name: &str| {
        let address = cluster.url();
        format!("{}{name}", address.strip_suffix("postgres").expect("its first database"))
    };
    let folder = Folder::with_database(Some(url("confab"))).and_app().await;
    let (server, file) = furnished(&folder).await;
    let dump = folder.path().join("confab.dump");
    let dump = dump.to_str().expect("text");
    let run = |name: &str, arguments: &[&str]| {
        let ran = cluster.program(name).args(arguments).output().expect("it runs");
        assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
    };
    run("pg_dump", &["--format=custom", "--file", dump, "--dbname", &url("confab")]);
    server.kill();
    let restore = ["--exit-on-error", "--no-owner", "--dbname", &url("again"), dump];
    run("pg_restore", &restore);
    let again = Folder::with_database(Some(url("again")));
    fs::create_dir(again.data()).expect("made");
    let mut copy = Command::new("cp");
    copy.arg("-a").arg(folder.data().join("files")).arg(again.data());
    let copied = copy.status().expect("cp runs");
    assert!(copied.success());
    let restored = again.serve();
    assert_eq!(restored.printed(), "", "no greeting is printed");
    assert_eq!(restored.shop().texts("support").await, ["hello"]);
    let (status, answer) = fetch(&restored.shop(), &file, None).await;
    assert_eq!((status, answer.text.as_str()), (200, "precious"));
    restored.shop().post_comment("ana", "support", "and on").await;
    assert!(again.run(&["check"]).ok().contains("No problems found."));
}

/// Returns the entries of an archive as headers and contents.
fn entries(archive: &[u8]) -> Vec<(tar::Header, Vec<u8>)> {
    let mut archive = tar::Archive::new(archive);
    let entries = archive.entries().expect("an archive").map(|entry| {
        let mut entry = entry.expect("an entry");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("its bytes");
        (entry.header().clone(), bytes)
    });
    entries.collect()
}

fn archived(entries: &[(tar::Header, Vec<u8>)]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (header, bytes) in entries {
        archive.extend_from_slice(header.as_bytes());
        archive.extend_from_slice(bytes);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.extend_from_slice(&[0; 1024]);
    archive
}

/// Returns the header with another name.
fn named(header: &tar::Header, name: &str) -> tar::Header {
    let mut header = header.clone();
    header.as_mut_bytes()[..100].fill(0);
    header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
    header.set_cksum();
    header
}

/// Creates a backup; returns its folder and its bytes.
async fn backed_up() -> (Folder, Vec<u8>) {
    let folder = Folder::embedded().and_app().await;
    furnished(&folder).await.0.kill();
    folder.run(&["backup", "copy.tar"]).ok();
    let whole = fs::read(folder.path().join("copy.tar")).expect("an archive");
    (folder, whole)
}

/// Restores an archive with a limit of 8 MiB on each written file.
fn restore_bounded(folder: &Folder, archive: &[u8]) -> Ended {
    fs::write(folder.path().join("bad.tar"), archive).expect("written");
    folder.run_after("ulimit -f 16384", &["restore", "bad.tar", "--data", "deep/new"])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sparse_archive_is_refused_before_anything_is_written() {
    let (folder, whole) = backed_up().await;
    let files = folder.path().join("sparse");
    fs::create_dir(&files).expect("made");
    let entries = entries(&whole);
    fs::write(files.join("confab-backup.json"), &entries[0].1).expect("written");
    let database = fs::File::create(files.join("confab.db")).expect("made");
    database.set_len(3 << 30).expect("a hole");
    for format in ["gnu", "posix"] {
        let mut tar = Command::new("tar");
        tar.args(["--sparse", "--format", format, "-cf", "../sparse.tar"]);
        let made = tar.args(["confab-backup.json", "confab.db"]).current_dir(&files).status();
        assert!(made.expect("tar runs").success());
        let archive = fs::read(folder.path().join("sparse.tar")).expect("an archive");
        assert!(archive.len() < 1 << 20, "the archive stores no holes");
        let said = restore_bounded(&folder, &archive).failed(1);
        assert!(said.contains("an entry that is not a plain file"), "{format}: {said}");
        assert!(!folder.path().join("deep").exists(), "{format}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_with_other_names_or_types_than_backup_writes_are_refused() {
    let (folder, whole) = backed_up().await;
    let good = entries(&whole);
    let name = good[2].0.path().expect("a name").to_str().expect("text").to_owned();
    let mut parts = name.split('/').skip(1);
    let (app, part) = (parts.next().expect("an app"), parts.next().expect("a part"));
    let hash = parts.next().expect("a hash");
    for bad in [
        format!("files/-7/{part}/{hash}"),
        format!("files/0/{part}/{hash}"),
        format!("files/+7/{part}/{hash}"),
        format!("files/07/{part}/{hash}"),
        format!("files/9007199254740992/{part}/{hash}"),
        format!("files/{app}/../{hash}"),
        format!("files/{app}/{part}/{}", hash.to_uppercase()),
        format!("files/{app}/{part}/./{hash}"),
        format!("files//{part}/{hash}"),
        format!("/files/{app}/{part}/{hash}"),
        format!("files/{app}/{part}"),
        "../outside".to_owned(),
        "secrets.key".to_owned(),
    ] {
        let mut entries = entries(&whole);
        entries[2].0 = named(&entries[2].0, &bad);
        let said = restore_bounded(&folder, &archived(&entries)).failed(1);
        assert!(said.contains("nothing was changed"), "{bad}: {said}");
        assert!(!folder.path().join("deep").exists(), "{bad}");
    }
    for kind in *b"123456789xgLKSDVM" {
        for at in 0..good.len() {
            let mut entries = entries(&whole);
            entries[at].0.as_mut_bytes()[156] = kind;
            entries[at].0.set_cksum();
            let said = restore_bounded(&folder, &archived(&entries)).failed(1);
            assert!(said.contains("an entry that is not a plain file"), "{kind}, {at}: {said}");
            assert!(!folder.path().join("deep").exists(), "{kind}, {at}");
        }
    }
    let twice = [&good[..3], &good[2..]].concat();
    let said = restore_bounded(&folder, &archived(&twice)).failed(1);
    assert!(said.contains(" twice"), "{said}");
    let more = [&good[..], &good[2..3]].concat();
    let said = restore_bounded(&folder, &archived(&more)).failed(1);
    assert!(said.contains("the archive has data after its end"), "{said}");
    assert!(!folder.path().join("deep").exists());
}

/// Number of mutated archives.
const MUTATED_ARCHIVES: usize = 60;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mutated_archive_is_restored_exactly_or_changes_nothing() {
    let (folder, whole) = backed_up().await;
    let database = entries(&whole)[1].1.clone();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % end as u64) as usize
    };
    for round in 0..MUTATED_ARCHIVES {
        let mut entries = entries(&whole);
        let at = below(entries.len());
        let mut archive = match below(6) {
            0 => {
                // A size that differs from the entry's contents.
                entries[at].0.set_size([0, 1 << 20, 1 << 40, u64::MAX >> 1][below(4)]);
                entries[at].0.set_cksum();
                archived(&entries)
            }
            1 => {
                let other = below(entries.len());
                entries.swap(at, other);
                archived(&entries)
            }
            2 => {
                entries.remove(at);
                archived(&entries)
            }
            3 => {
                let byte = below(500);
                entries[at].0.as_mut_bytes()[byte] = below(256) as u8;
                entries[at].0.set_cksum();
                archived(&entries)
            }
            4 => whole[..below(whole.len())].to_vec(),
            _ => whole.clone(),
        };
        for _ in 0..below(3) {
            if archive.is_empty() {
                break;
            }
            let at = below(archive.len());
            archive[at] = below(256) as u8;
        }
        let ended = restore_bounded(&folder, &archive);
        let target = folder.path().join("deep");
        match ended.code {
            Some(0) => {
                let restored = fs::read(target.join("new/confab.db")).expect("a database");
                assert!(restored == database, "{round}");
                fs::remove_dir_all(&target).expect("removed");
            }
            Some(1) => {
                assert!(ended.err.contains("nothing was changed"), "{round}: {}", ended.err);
                assert!(!target.exists(), "{round}: {}", ended.err);
            }
            _ => panic!("{round}: {:?} {}", ended.code, ended.err),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_restore_can_be_run_again() {
    let (folder, whole) = backed_up().await;
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let restoring = folder.start(&["restore", "pipe", "--data", "new"], &[]);
    let mut into = fs::File::options().write(true).open(&pipe).expect("the command reads the pipe");
    into.write_all(&whole[..whole.len() - 2048]).expect("read");
    let new = folder.path().join("new");
    until("a file is restored", async || new.join("files").exists().then_some(())).await;
    let said = folder.run(&["restore", "copy.tar", "--data", "new"]).failed(1);
    assert!(said.contains("another restore into new is running"), "{said}");
    restoring.kill();
    drop(into);
    assert!(new.join("confab.db.restoring").exists() && !new.join("confab.db").exists());
    fs::write(new.join("mine"), "").expect("written");
    let said = folder.run(&["restore", "copy.tar", "--data", "new"]).failed(1);
    assert!(said.contains("is not empty: it contains mine"), "{said}");
    fs::remove_file(new.join("mine")).expect("removed");
    folder.run(&["restore", "copy.tar", "--data", "new"]).ok();
    let restored = folder.serve_with(&["--data", "new"], &[]);
    assert_eq!(restored.shop().texts("support").await, ["hello"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_leaves_out_files_that_are_not_uploads_and_names_them() {
    let folder = Folder::embedded().and_app().await;
    furnished(&folder).await.0.kill();
    let odd = folder.data().join("files/7/ab");
    fs::create_dir_all(&odd).expect("made");
    fs::write(odd.join("notes.txt"), "mine").expect("written");
    let said = folder.run(&["backup", "copy.tar"]).ok();
    assert!(said.contains("notes.txt, which is not an uploaded file"), "{said}");
    assert!(said.contains("It contains 1 uploaded file."), "{said}");
    folder.run(&["restore", "copy.tar", "--data", "new"]).ok();
}
