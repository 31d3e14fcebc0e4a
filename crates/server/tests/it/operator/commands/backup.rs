//! `confab backup`: a consistent copy while the server runs. `restore` tests its
//! restoration.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::sdk::uploads::{fetch, path, upload};
use crate::support::client::Client;
use crate::support::process::Folder;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_made_during_posts_can_be_restored_and_served() {
    let folder = Folder::embedded().and_app().await;
    let server = folder.serve();
    let app = server.shop();
    app.furnish().await;
    for number in 1..=20 {
        app.post_comment("ana", "support", &number.to_string()).await;
    }
    let is_done = Arc::new(AtomicBool::new(false));
    let (busy, is_enough) = (app.clone(), is_done.clone());
    let posting = tokio::spawn(async move {
        let mut number = 20;
        while !is_enough.load(Ordering::Relaxed) {
            number += 1;
            busy.post_comment("ana", "support", &number.to_string()).await;
        }
        number
    });
    let copy = Folder::embedded();
    let target = copy.path().join("copy.tar");
    let target = target.to_str().expect("text");
    let printed = folder.run(&["backup", target]).ok();
    assert!(printed.contains(target) && printed.contains("MB"), "{printed}");
    is_done.store(true, Ordering::Relaxed);
    let last = posting.await.expect("posted");
    copy.run(&["restore", target]).ok();

    let restored = copy.serve();
    assert_eq!(restored.printed(), "", "no greeting is printed");
    let app = restored.shop();
    let texts = app.texts("support").await;
    let newest: usize = texts[0].parse().expect("a number");
    assert!((20..=last).contains(&newest), "{newest} of {last}");
    let expected: Vec<_> = (1..=newest).rev().take(100).map(|number| number.to_string()).collect();
    assert_eq!(texts, expected, "the copy has all messages up to one moment");
    app.post_comment("bob", "support", "after the backup").await;
    assert_eq!(app.texts("support").await[0], "after the backup");
}

#[tokio::test]
async fn a_file_without_permissions_is_named_with_the_reason() {
    let folder = Folder::embedded().and_app().await;
    let put = |name: &str, mode: u32| {
        let path = folder.path().join(name);
        std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
    };
    let run = |arguments: &[&str]| folder.run_without_privileges(arguments, &[]).failed(1);
    std::fs::create_dir(folder.path().join("closed")).expect("made");
    put("closed", 0o500);
    let said = run(&["backup", "closed/copy.tar"]);
    assert!(said.contains("closed/copy.tar.database.unfinished: Permission denied"), "{said}");
    put("data/confab.db", 0);
    for command in [&["backup", "copy.tar"][..], &["serve", "--listen", "127.0.0.1:0"]] {
        let said = run(command);
        assert!(said.contains("data/confab.db: Permission denied"), "{command:?}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_only_backup_names_the_folder_of_files_to_copy() {
    let folder = Folder::embedded().and_app().await;
    let server = folder.serve();
    let before = folder.run(&["backup", "--database-only", "before.db"]).ok();
    assert!(!before.contains("uploaded"), "without files no folder is named: {before}");
    let ana = Client::new(&server.shop(), "ana").await;
    let path = path(&upload(&ana, "a.txt", b"precious").await.results());
    let copy = Folder::embedded();
    std::fs::create_dir(copy.data()).expect("made");
    let target = copy.data().join("confab.db");
    let printed = folder.run(&["backup", "--database-only", target.to_str().expect("text")]).ok();
    let named = printed
        .lines()
        .find_map(|line| line.strip_prefix("It does not contain the uploaded files. "));
    let files = named.and_then(|rest| rest.split(": ").nth(1)).expect("the folder is named");
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .args([folder.path().join(files), copy.data().join("files")])
        .status();
    assert!(copied.expect("cp runs").success());
    let (status, answer) = fetch(&copy.serve().shop(), &path, None).await;
    assert_eq!((status, answer.text.as_str()), (200, "precious"));
}

#[test]
fn an_existing_file_is_not_overwritten_and_missing_data_is_named() {
    let folder = Folder::embedded();
    let said = folder.run(&["backup", "copy.db"]).failed(1);
    assert!(said.contains("opening the database"), "{said}");
    folder.run(&["app", "create", "shop"]).ok();
    folder.write("copy.db", "precious");
    for arguments in [&["backup", "copy.db"][..], &["backup", "--database-only", "copy.db"]] {
        let said = folder.run(arguments).failed(1);
        assert!(said.contains("copy.db exists already"), "{said}");
    }
    let kept = std::fs::read_to_string(folder.path().join("copy.db")).expect("kept");
    assert_eq!(kept, "precious");
}
