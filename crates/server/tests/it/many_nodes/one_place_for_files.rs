//! Nodes of one database must share one store of uploaded files; otherwise the later node does not
//! start (design/files).

use std::os::unix::fs::symlink;

use confab_test_servers::postgres::shared;
use serde_json::Value;

use super::{check_log, launch};
use crate::sdk::uploads::{fetch, path, upload};
use crate::support::client::Client;
use crate::support::engine::with_password;
use crate::support::process::{Confab, Folder};

const BUCKET: [(&str, &str); 4] = [
    ("CONFAB_S3_ENDPOINT", "http://127.0.0.1:1"),
    ("CONFAB_S3_BUCKET", "files"),
    ("CONFAB_S3_ACCESS_KEY", "keeper"),
    ("CONFAB_S3_SECRET_KEY", "secret"),
];

/// Returns two folders for nodes on one database with an app.
async fn two_folders() -> (Folder, Folder) {
    let url = with_password(&shared().new_schema());
    let one = Folder::with_database(Some(url.clone())).and_app().await;
    (one, Folder::with_database(Some(url)))
}

/// Asserts that the error of a node that may not join the others names both remedies.
#[track_caller]
fn check_refusal(error: &str) {
    for part in
        ["stores uploaded files in another place", "s3_endpoint", "mount one folder as `files`"]
    {
        assert!(error.contains(part), "{error}");
    }
}

/// Asserts that a file uploaded through one node is served by the other.
async fn check_uploads(one: &Confab, two: &Confab) {
    let (one, two) = (one.shop(), two.shop());
    let ana = Client::new(&one, "ana").await;
    let path = path(&upload(&ana, "a.txt", b"hello").await.results());
    let (status, answer) = fetch(&two, &path, None).await;
    assert_eq!((status, answer.text.as_str()), (200, "hello"));
}

#[tokio::test]
async fn a_node_with_another_file_store_does_not_start_and_the_first_keeps_serving() {
    let (one, two) = two_folders().await;
    let first = launch(&one).listening();
    check_refusal(&launch(&two).failed());
    check_uploads(&first, &first).await;
    let report: Value =
        serde_json::from_str(&two.run(&["doctor", "--json"]).out).expect("a report");
    let is_it =
        |it: &&Value| it["found"].to_string().contains("store uploaded files in another place");
    let found = report["findings"].as_array().expect("findings").iter().find(is_it);
    assert_eq!(found.expect("a finding")["level"], "trouble");
    let own = one.run(&["doctor", "--json"]).out;
    assert!(!own.contains("store uploaded files in another place"), "{own}");
    check_log(&first);
}

#[tokio::test]
async fn nodes_that_share_a_folder_serve_each_others_uploads() {
    let (one, two) = two_folders().await;
    let first = launch(&one).listening();
    std::fs::create_dir(two.data()).expect("made");
    symlink(one.data().join("files"), two.data().join("files")).expect("shared");
    let second = launch(&two).listening();
    check_uploads(&first, &second).await;
    check_uploads(&second, &first).await;
}

#[tokio::test]
async fn a_folder_and_a_bucket_or_two_buckets_are_different_file_stores() {
    let (one, two) = two_folders().await;
    let folder = launch(&one).listening();
    check_refusal(&two.launch(&[], &BUCKET).failed());
    folder.signal("TERM");
    assert!(folder.ended().success());
    let _bucket = two.serve_with(&[], &BUCKET);
    check_refusal(&launch(&one).failed());
    check_refusal(&one.launch(&["--s3-bucket", "others"], &BUCKET).failed());
    // Nodes may reach one bucket by different addresses.
    one.serve_with(&["--s3-endpoint", "http://localhost:1"], &BUCKET);
}

#[tokio::test]
async fn a_killed_node_restarts_at_once_and_one_with_other_files_after_its_lease() {
    let (one, two) = two_folders().await;
    launch(&one).listening().kill();
    check_refusal(&launch(&two).failed());
    launch(&one).listening().kill();
    let url = one.database().expect("an address");
    shared().psql_at(url, "UPDATE nodes SET seen_at = now() - interval '61 seconds'");
    let another = launch(&two).listening();
    check_refusal(&launch(&one).failed());
    check_uploads(&another, &another).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_nodes_started_concurrently_with_separate_folders_only_one_serves() {
    let (first, second) = two_folders().await;
    let third = Folder::with_database(first.database().map(str::to_owned));
    let launched = [&first, &second, &third].map(launch);
    let settled: Vec<_> = launched.into_iter().map(|it| it.settled()).collect();
    assert_eq!(settled.iter().filter(|it| it.is_ok()).count(), 1);
    settled.iter().filter_map(|it| it.as_ref().err()).for_each(|error| check_refusal(error));
}

#[tokio::test]
async fn a_node_suspended_beyond_its_lease_does_not_resume_next_to_one_with_other_files() {
    let (one, two) = two_folders().await;
    let silent = launch(&one).listening();
    silent.shop().furnish().await;
    silent.signal("STOP");
    let url = one.database().expect("an address");
    shared().psql_at(url, "UPDATE nodes SET seen_at = now() - interval '61 seconds'");
    let _another = launch(&two).listening();
    silent.signal("CONT");
    let body = serde_json::json!({"user_id": "ana", "room_id": "support", "message": "hello"});
    silent.shop().post("post_comment", body).await.refused(503, "store_unavailable");
    silent.log.wait_for("stores uploaded files in another place");
}
