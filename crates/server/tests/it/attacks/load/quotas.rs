//! Strangers and users can fill neither the disk nor an app's share of it
//! (design/sign-in-and-limits).

use serde_json::json;

use crate::sdk::uploads::{fetch, path, unfinished, upload};
use crate::support::answer::{Answer, text};
use crate::support::client::{Client, log_in};
use crate::support::process::Folder;
use crate::support::test_server::TestServer;
use crate::support::waiting::until_so;

/// Asserts that the refusal names the quota and a retry time.
#[track_caller]
fn refused_by(quota: &str, answer: &Answer) {
    answer.refused(429, "quota_exceeded").says(quota);
    assert!(answer.header("retry-after").parse::<u64>().expect("seconds") > 0);
}

#[tokio::test]
async fn a_users_daily_upload_quota_counts_identical_files_once() {
    let server = TestServer::start_with(&[("user_upload_bytes_per_day", "1000")]).await;
    let (ana, bob) = (Client::new(&server, "ana").await, Client::new(&server, "bob").await);
    let first = upload(&ana, "a.txt", &[b'a'; 600]).await.results();
    upload(&ana, "again.txt", &[b'a'; 600]).await.results();
    refused_by("user_upload_bytes_per_day", &upload(&ana, "b.txt", &[b'b'; 401]).await);
    assert_eq!(unfinished(&server.files()), 0);
    upload(&ana, "c.txt", &[b'c'; 400]).await.results();
    refused_by("user_upload_bytes_per_day", &upload(&ana, "d.txt", b"d").await);
    upload(&bob, "b.txt", &[b'b'; 401]).await.results();
    assert_eq!(fetch(&server, &path(&first), None).await.0, 200);
}

#[tokio::test]
async fn used_upload_quota_is_remembered_after_a_restart() {
    let folder = Folder::with_app().await;
    let quota = ["--user-upload-bytes-per-day", "1000"];
    let server = folder.serve_with(&quota, &[]);
    let ana = Client::new(&server.shop(), "ana").await;
    upload(&ana, "a.txt", &[b'a'; 600]).await.results();
    server.kill();
    let server = folder.serve_with(&quota, &[]);
    let ana = Client::of(&server.shop(), "ana").await;
    refused_by("user_upload_bytes_per_day", &upload(&ana, "b.txt", &[b'b'; 600]).await);
    // A background task updates these metrics, with a short delay.
    until_so("the upload metric", async || {
        server.shop().metrics().await.contains("confab_app_upload_bytes")
    })
    .await;
    let metrics = server.shop().metrics().await;
    for line in [
        "confab_quota_limit{quota=\"user_upload_bytes_per_day\"} 1000",
        "confab_quota_refused_total{quota=\"user_upload_bytes_per_day\"} 1",
        "confab_quota_refused_total{quota=\"user_messages_per_day\"} 0",
        "confab_app_upload_bytes{app=\"shop\"} 600",
    ] {
        assert!(metrics.lines().any(|it| it == line), "{line} in {metrics}");
    }
}

#[tokio::test]
async fn concurrent_uploads_cannot_exceed_the_quota_of_an_app() {
    let server = TestServer::start_with(&[("app_upload_bytes_max", "1000")]).await;
    let other = server.create_app("other").await;
    let (ana, bob) = (Client::new(&server, "ana").await, Client::new(&server, "bob").await);
    let files: Vec<_> = (0..8_u8).map(|letter| vec![b'a' + letter; 300]).collect();
    let uploads = files
        .iter()
        .enumerate()
        .map(|(number, bytes)| upload(if number % 2 == 0 { &ana } else { &bob }, "a.txt", bytes));
    let answers = futures_util::future::join_all(uploads).await;
    let (stored, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|it| it.status == 200);
    assert_eq!(stored.len(), 3, "exactly three files fit");
    for answer in refused {
        // Waiting does not help.
        answer.refused(403, "quota_exceeded").says("app_upload_bytes_max");
    }
    assert_eq!(unfinished(&server.files()), 0);
    upload(&Client::new(&other, "ana").await, "a.txt", &[b'z'; 300]).await.results();
}

#[tokio::test]
async fn two_nodes_share_the_upload_quota_of_an_app() {
    let (one, two) = TestServer::start_two_with(&[("app_upload_bytes_max", "1000")]).await;
    let ana = Client::new(&one, "ana").await;
    upload(&ana, "a.txt", &[b'a'; 600]).await.results();
    let ana = Client::of(&two, "ana").await;
    let answer = upload(&ana, "b.txt", &[b'b'; 600]).await;
    answer.refused(403, "quota_exceeded").says("app_upload_bytes_max");
}

#[tokio::test]
async fn a_users_daily_message_quota_does_not_limit_the_apps_server() {
    let server = TestServer::start_with(&[("user_messages_per_day", "5")]).await;
    let (ana, bob) = (Client::new(&server, "ana").await, Client::new(&server, "bob").await);
    let room = server.create_room("support", &["ana", "bob"]).await;
    let room = text(&room["room_id"]).to_owned();
    ana.says(&room, "one", "the-first").await;
    // Edits and other additions to rooms count, too.
    let edit = json!({"unique_id": "the-first", "comment": "uno"});
    ana.post("update_message", edit).await.results();
    for text in ["two", "three", "four"] {
        ana.says(&room, text, text).await;
    }
    let five = json!({"topic_id": room, "comment": "five"});
    refused_by("user_messages_per_day", &ana.post("post_comment", five).await);
    assert_eq!(server.texts("support").await.len(), 4, "nothing was added");
    bob.says(&room, "hello", "of-bob").await;
    server.post_comment("ana", "support", "posted by the app").await;
}

#[tokio::test]
async fn an_apps_daily_message_quota_does_not_limit_other_apps() {
    let server = TestServer::start_with(&[("app_messages_per_day", "2")]).await;
    server.furnish().await;
    let other = server.create_app("other").await;
    other.furnish().await;
    for text in ["one", "two"] {
        server.post_comment("ana", "support", text).await;
    }
    let body = json!({"user_id": "ana", "room_id": "support", "message": "three"});
    refused_by("app_messages_per_day", &server.post("post_comment", body).await);
    other.post_comment("ana", "support", "one").await;
}

#[tokio::test]
async fn a_users_daily_room_quota_does_not_limit_access_to_existing_rooms() {
    let server = TestServer::start_with(&[("user_rooms_per_day", "2")]).await;
    let (ana, _bob) = (Client::new(&server, "ana").await, Client::new(&server, "bob").await);
    let pair = || ana.post("get_or_create_room_with_target", json!({"emails": ["bob"]}));
    let named = |name: &str| json!({"unique_id": name});
    pair().await.results();
    ana.post("get_or_create_room_with_unique_id", named("news")).await.results();
    let call = "get_or_create_room_with_unique_id";
    refused_by("user_rooms_per_day", &ana.post(call, named("more")).await);
    let new = json!({"name": "new", "participants": ["bob"]});
    refused_by("user_rooms_per_day", &ana.post("create_room", new).await);
    pair().await.results();
    ana.post(call, named("news")).await.results();
    server.create_room("support", &["ana", "bob"]).await;
}

#[tokio::test]
async fn registrations_from_one_address_are_limited_per_hour() {
    let server = TestServer::start_with(&[("address_registrations_per_hour", "2")]).await;
    let other = server.create_app("other").await;
    for user in ["ana", "bob"] {
        log_in(&server, user, "secret").await.results();
    }
    refused_by("address_registrations_per_hour", &log_in(&server, "eve", "secret").await);
    log_in(&server, "ana", "secret").await.results();
    log_in(&other, "eve", "secret").await.results();
    server.register("by-the-app").await;
    let nonce = server.nonce().await;
    let body = json!({"app_id": "shop", "user_id": "visitor", "name": "V", "nonce": nonce});
    let answer = server.initiate_chat(&body).await;
    assert_eq!(answer.status, 429);
    assert!(answer.text.contains("address_registrations_per_hour"), "{}", answer.text);
}

#[tokio::test]
async fn nonces_for_one_address_are_limited_per_minute() {
    let server = TestServer::start_with(&[("address_nonces_per_minute", "2")]).await;
    for _ in 0..2 {
        server.ask_for_nonce().await.results();
    }
    refused_by("address_nonces_per_minute", &server.ask_for_nonce().await);
}
