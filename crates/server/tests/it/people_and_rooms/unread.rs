//! Unread counts (design/message-api): `get_unread_count` and `get_user_unread_count`.

use serde_json::{Value, json};

use crate::support::answer::keys;
use crate::support::caller::unique_id;
use crate::support::test_server::TestServer;

async fn total(server: &TestServer, user: &str) -> Value {
    let query = [("user_ids[]", user)];
    let results = server.get("get_user_unread_count", &query).await.results();
    results["user_unread_count"][0]["unread_count"].clone()
}

#[tokio::test]
async fn unread_counts_are_returned_per_room_and_per_user() {
    let server = TestServer::with_support_room().await;
    let other = server.create_room("other", &["bob"]).await;
    server.post_comment("ana", "support", "hello").await;
    let query = [
        ("user_id", "bob"),
        ("room_ids[]", "other"),
        ("room_channel_ids[]", "support"),
        ("room_ids[]", "unknown"),
    ];
    let results = server.get("get_unread_count", &query).await.results();
    assert_eq!(keys(&results), ["unread_counts"]);
    assert_eq!(
        results["unread_counts"][0],
        json!({"room_id": other["room_id"], "unread_count": 0})
    );
    assert_eq!(results["unread_counts"][1]["unread_count"], 1);
    assert_eq!(results["unread_counts"].as_array().map(Vec::len), Some(2));
    let query = [("user_ids[]", "bob"), ("user_ids[]", "ana")];
    let results = server.get("get_user_unread_count", &query).await.results();
    let expected = json!({"user_unread_count": [
        {"unread_count": 1, "user_id": "bob"}, {"unread_count": 0, "user_id": "ana"},
    ]});
    assert_eq!(results, expected);
}

#[tokio::test]
async fn messages_of_others_are_unread_until_the_user_posts() {
    let server = TestServer::with_support_room().await;
    server.post_comment("ana", "support", "one").await;
    server.post_typed("ana", "support", "card", json!({"text": "two"})).await.results();
    server.post_system_event("support", "three").await;
    assert_eq!(server.unread("bob", "support").await, 3);
    assert_eq!(
        server.unread("ana", "support").await,
        1,
        "only the event came after ana's own message"
    );
    server.post_comment("bob", "support", "four").await;
    assert_eq!(server.unread("bob", "support").await, 0);
    assert_eq!(server.unread("ana", "support").await, 2);
}

#[tokio::test]
async fn new_participants_start_without_unread_messages() {
    let server = TestServer::with_support_room().await;
    server.register("cid").await;
    server.post_comment("ana", "support", "before").await;
    let cid = json!({"room_id": "support", "user_ids": ["cid"]});
    server.post("add_room_participants", cid.clone()).await.results();
    assert_eq!(server.unread("cid", "support").await, 0);
    server.post_comment("ana", "support", "after").await;
    assert_eq!(server.unread("cid", "support").await, 1);
    server.post("remove_room_participants", cid.clone()).await.results();
    let query = [("user_id", "cid"), ("room_ids[]", "support")];
    let results = server.get("get_unread_count", &query).await.results();
    assert_eq!(results, json!({"unread_counts": []}), "users outside of the room have no count");
    server.post("add_room_participants", cid).await.results();
    assert_eq!(server.unread("cid", "support").await, 0, "unread messages are reset by rejoining");
}

#[tokio::test]
async fn deleting_an_unread_message_lowers_the_count_and_a_read_one_does_not() {
    let server = TestServer::with_support_room().await;
    let read = server.post_comment("ana", "support", "read").await;
    server.post_comment("bob", "support", "seen").await;
    let unread = server.post_comment("ana", "support", "unread").await;
    server.post_comment("ana", "support", "unread too").await;
    assert_eq!(server.unread("bob", "support").await, 2);
    server.delete_messages(&[unique_id(&read)]).await.results();
    assert_eq!(server.unread("bob", "support").await, 2);
    server.delete_messages(&[unique_id(&unread)]).await.results();
    assert_eq!(server.unread("bob", "support").await, 1);
}

#[tokio::test]
async fn a_users_total_is_the_sum_over_all_rooms() {
    let server = TestServer::with_support_room().await;
    server.create_room("other", &["ana", "bob"]).await;
    for room in ["support", "other", "other"] {
        server.post_comment("ana", room, "hello").await;
    }
    assert_eq!(total(&server, "bob").await, 3);
    server.post_comment("bob", "other", "seen").await;
    assert_eq!(total(&server, "bob").await, 1);
    assert_eq!(total(&server, "ana").await, 1);
}

#[tokio::test]
async fn unknown_users_and_missing_fields_are_refused() {
    let server = TestServer::with_support_room().await;
    let query = [("user_id", "nobody"), ("room_ids[]", "support")];
    server.get("get_unread_count", &query).await.refused(404, "user_not_found");
    let query = [("user_ids[]", "ana"), ("user_ids[]", "nobody")];
    server.get("get_user_unread_count", &query).await.refused(404, "user_not_found").says("nobody");
    let answer = server.get("get_unread_count", &[]).await;
    let refused = answer.refused(400, "invalid_request");
    refused.says("user_id is required");
    refused.says("room_ids is required");
    let answer = server.get("get_user_unread_count", &[]).await;
    answer.refused(400, "invalid_request").says("user_ids is required");
}

#[tokio::test]
async fn users_with_unread_messages_are_listed_in_pages() {
    let server = TestServer::with_support_room().await;
    let ask = async |query: &[(&str, &str)]| {
        let found = server.get("get_unread_users", query).await.results();
        let ids = found["user_ids"].as_array().expect("a list").clone();
        ids.iter().map(|id| id.as_str().expect("a text").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ask(&[]).await, Vec::<String>::new());
    server.post_comment("ana", "support", "hello").await;
    assert_eq!(ask(&[]).await, ["bob"], "the sender has read the message");
    server.post_comment("bob", "support", "hello back").await;
    assert_eq!(ask(&[("limit", "1")]).await, ["ana"]);
    assert_eq!(ask(&[("page", "9")]).await, Vec::<String>::new());
    let now = [("start_time", "2020-01-01"), ("end_time", "9999-01-01")];
    assert_eq!(ask(&now).await, ask(&[]).await);
    let then = [("start_time", "2020-01-01"), ("end_time", "2020-01-02")];
    assert_eq!(ask(&then).await, Vec::<String>::new());
    let odd = server.get("get_unread_users", &[("start_time", "soon")]).await;
    odd.refused(400, "invalid_request").says("start_time");
    let other = server.create_app("other").await;
    let elsewhere = other.get("get_unread_users", &[]).await.results();
    assert_eq!(elsewhere["user_ids"], serde_json::json!([]));
}
