//! Another user of the same machine cannot read the files that Confab wrote
//! (design/sign-in-and-limits).

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::sdk::uploads::{fetch, path, upload};
use crate::support::client::Client;
use crate::support::process::Folder;

/// A umask that grants access to all users.
const OPEN: &str = "umask 000";

/// Creates a folder whose data folder already exists with permissions for all users.
fn with_open_folder() -> Folder {
    let folder = Folder::embedded();
    fs::create_dir(folder.data()).expect("made");
    set_mode(&folder.data(), 0o755);
    folder
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("the file exists").permissions().mode() & 0o777
}

/// Returns all files and folders below a folder.
fn all_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(all_in(&path));
        }
        found.push(path);
    }
    found
}

#[track_caller]
fn check_private(paths: &[PathBuf]) {
    for path in paths {
        let open = mode(path) & 0o077;
        assert_eq!(open, 0, "{} has mode {:o}", path.display(), mode(path));
    }
}

#[track_caller]
fn check_named(paths: &[PathBuf], name: &str) {
    let is_named = |path: &PathBuf| path.file_name().is_some_and(|it| it == name);
    assert!(paths.iter().any(is_named), "{name} in {paths:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_written_by_the_server_are_accessible_to_the_owner_only() {
    let folder = with_open_folder();
    let server = folder.serve_after(OPEN);
    let app = server.first_app();
    let ana = Client::new(&app, "ana").await;
    let file = path(&upload(&ana, "a.txt", b"precious").await.results());

    let written = all_in(&folder.data());
    for name in ["confab.db", "confab.db-wal", "confab.db-shm", "confab.lock", "files"] {
        check_named(&written, name);
    }
    assert!(written.iter().any(|it| it.is_file() && it.starts_with(folder.data().join("files"))));
    check_private(&written);
    assert_eq!(mode(&folder.data()), 0o755, "an existing folder keeps its permissions");
    assert_eq!(fetch(&app, &file, None).await.0, 200, "the server reads the file");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_written_by_commands_are_accessible_to_the_owner_only() {
    let folder = with_open_folder();
    folder.run_after(OPEN, &["app", "create", "shop"]).ok();
    check_private(&all_in(&folder.data()));
    folder.run_after(OPEN, &["backup", "copy.db"]).ok();
    check_private(&[folder.path().join("copy.db")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn startup_restricts_files_with_open_permissions_and_logs_it() {
    let folder = Folder::embedded().and_app().await;
    let server = folder.serve();
    let ana = Client::new(&server.shop(), "ana").await;
    let file = path(&upload(&ana, "a.txt", b"precious").await.results());
    server.kill();
    let elsewhere = folder.path().join("not-ours");
    fs::write(&elsewhere, "somebody's").expect("written");
    std::os::unix::fs::symlink(&elsewhere, folder.data().join("confab.db.link")).expect("linked");
    let written = all_in(&folder.data());
    for path in written.iter().filter(|path| !path.is_symlink()) {
        set_mode(path, if path.is_dir() { 0o755 } else { 0o644 });
    }
    set_mode(&folder.data(), 0o777);
    set_mode(&elsewhere, 0o644);

    let server = folder.serve();
    let log = server.log.text();
    for name in ["confab.db", "confab.db-wal", "confab.lock"] {
        check_private(&[folder.data().join(name)]);
        let is_logged = log.lines().any(|line| {
            line.contains("permissions of other users removed")
                && line.ends_with(&format!("/{name}"))
        });
        assert!(is_logged, "{name} is logged: {log}");
    }
    let apps = fs::read_dir(folder.data().join("files")).expect("files");
    check_private(&apps.map(|it| it.expect("an entry").path()).collect::<Vec<_>>());
    server.log.wait_for("other users can replace the database");
    assert_eq!(mode(&elsewhere), 0o644, "targets of symbolic links are not changed");
    assert_eq!(fetch(&server.shop(), &file, None).await.0, 200, "the server reads the file");
}
