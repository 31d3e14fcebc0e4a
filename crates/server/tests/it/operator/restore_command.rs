//! `confab backup` and `confab restore`: what is restored serves; what is damaged, cut or would
//! take another's place is refused (D-0181).

use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::process::Command;

use confab_test_servers::postgres;

use crate::sdk::uploads::{fetch, path, upload};
use crate::support::client::Client;
use crate::support::process::{Confab, Folder};

/// A server with a message and a file; the file's path.
async fn furnished(folder: &Folder) -> (Confab, String) {
    let server = folder.serve();
    server.shop().furnish().await;
    server.shop().post_comment("ana", "support", "hello").await;
    let cleo = Client::new(&server.shop(), "cleo").await;
    let path = path(&upload(&cleo, "a.txt", b"precious").await.results());
    (server, path)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_restored_serves_its_messages_and_files() {
    let folder = Folder::embedded().and_app().await;
    let (_server, file) = furnished(&folder).await;
    let said = folder.run(&["backup", "copy.tar"]).ok();
    assert!(said.contains("1 uploaded file is in it"), "{said}");
    assert!(said.contains("The keys that open its secrets are not in it"), "{said}");
    let left = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 2, "the data and the archive");
    let archive = folder.path().join("copy.tar");
    let archive = archive.to_str().expect("text");

    let other = Folder::embedded();
    let said = other.run(&["restore", archive]).ok();
    assert!(said.contains("1 uploaded file,") && said.contains("by Confab"), "{said}");
    assert!(said.contains("has the keys that open the secrets"), "{said}");
    let restored = other.serve();
    assert_eq!(restored.printed(), "", "it is no first start");
    assert_eq!(restored.shop().texts("support").await, ["hello"]);
    let (status, answer) = fetch(&restored.shop(), &file, None).await;
    assert_eq!((status, answer.text.as_str()), (200, "precious"));
    restored.shop().post_comment("ana", "support", "and on").await;
    restored.kill();
    assert!(other.run(&["check"]).ok().contains("1 uploaded file read\nNothing is wrong."));

    let said = other.run(&["restore", archive]).failed(1);
    assert!(said.contains("is not empty"), "{said}");
    assert_eq!(other.serve().shop().texts("support").await, ["and on", "hello"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_tool_opens_an_archive_and_the_key_is_said_to_be_missing() {
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
    assert!(said.contains("WRONG: the key file data/secrets.key has not the key"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_damaged_or_cut_is_refused_and_leaves_the_folder_as_it_was() {
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
        ("the database", damaged(database + 5000), "the database is cut or damaged"),
        ("a file", damaged(file + 2), "is damaged"),
        ("the beginning", damaged(head), "its beginning is damaged"),
        ("a head of tar", damaged(520 + 512), "damaged"),
        ("cut in the database", whole[..database + 9000].to_vec(), "cut or damaged"),
        ("cut in the file", whole[..file + 3].to_vec(), "it ends before its end"),
        ("cut before the end", whole[..end - 700].to_vec(), "is not restored"),
        ("no archive", b"SQLite format 3".to_vec(), "damaged"),
        ("nothing", Vec::new(), "it ends before its end"),
    ] {
        fs::write(folder.path().join("bad.tar"), &bytes).expect("written");
        let said = folder.run(&["restore", "bad.tar", "--data", "new"]).failed(1);
        assert!(said.contains("nothing was changed") && said.contains(why), "{name}: {said}");
        let left = fs::read_dir(folder.path().join("new")).expect("a folder").count();
        assert_eq!(left, 0, "{name}");
    }
    folder.run(&["restore", "copy.tar", "--data", "new"]).ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_was_damaged_before_is_named_and_the_rest_is_copied_and_restored() {
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
    assert!(ended.out.contains(&format!("{hash} is not what was uploaded")), "{}", ended.out);
    let said = folder.run(&["restore", "copy.tar", "--data", "new"]).ok();
    assert!(said.contains(&format!("{hash} was damaged before")), "{said}");
    let restored = folder.serve_with(&["--data", "new"], &[]);
    assert_eq!(restored.shop().texts("support").await, ["hello"]);
    fetch(&restored.shop(), &file, None).await.1.refused(404, "file_not_found");
}

#[test]
fn an_archive_is_not_for_postgresql_and_is_never_written_over_a_file() {
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

/// As docs/operating/backup-and-restore.md has it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dump_of_postgresql_serves_again_from_another_database() {
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
    assert_eq!(restored.printed(), "", "it is no first start");
    assert_eq!(restored.shop().texts("support").await, ["hello"]);
    let (status, answer) = fetch(&restored.shop(), &file, None).await;
    assert_eq!((status, answer.text.as_str()), (200, "precious"));
    restored.shop().post_comment("ana", "support", "and on").await;
    assert!(again.run(&["check"]).ok().contains("Nothing is wrong."));
}
