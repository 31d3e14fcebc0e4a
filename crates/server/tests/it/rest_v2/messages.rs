//! Posting, loading and searching messages.

use serde_json::{Value, json};

use super::{get, path, post, post_json};
use crate::support::answer::{each, keys, text};
use crate::support::caller::{sent, with_multipart};
use crate::support::test_server::TestServer;

#[tokio::test]
async fn a_repeated_post_stores_one_message_with_the_keys_that_clients_read() {
    let server = TestServer::with_support_room().await;
    let fields = [
        ("sender_email", "ana"),
        ("room_id", "support"),
        ("message", "hello"),
        ("type", "text"),
        ("unique_temp_id", "once"),
        ("disable_link_preview", "true"),
    ];
    let comment = post(&server, "post_comment", &fields).await.results()["comment"].take();
    for key in [
        "comment_before_id",
        "disable_link_preview",
        "email",
        "id",
        "message",
        "payload",
        "room_id",
        "status",
        "timestamp",
        "topic_id",
        "type",
        "unique_temp_id",
        "unix_timestamp",
        "user_avatar_url",
        "user_id",
        "username",
    ] {
        assert!(keys(&comment).contains(&key), "{key}: {comment}");
    }
    assert_eq!((&comment["email"], &comment["message"]), (&json!("ana"), &json!("hello")));
    assert_eq!(comment["unique_temp_id"], "once");
    let again = post(&server, "post_comment", &fields).await.results()["comment"].take();
    assert_eq!(again["id"], comment["id"]);
    assert_eq!(server.texts("support").await, ["hello"], "the message is stored once");
    let fields = [("sender_email", "eve"), ("room_id", "support"), ("message", "x")];
    post(&server, "post_comment", &fields).await.refused(404, "user_not_found");
    let missing = post_json(&server, "post_comment", json!({"message": "x"})).await;
    missing.refused(400, "invalid_request").says("sender_email");
}

#[tokio::test]
async fn a_multipart_form_with_a_payload_as_text_is_accepted() {
    let server = TestServer::with_support_room().await;
    // The published PHP client sends every field, and an empty list as payload of a text.
    let fields = [
        ("sender_email", "ana"),
        ("room_id", "support"),
        ("message", "hello"),
        ("type", "text"),
        ("payload", "[]"),
        ("unique_temp_id", ""),
        ("disable_link_preview", "false"),
    ];
    let request = server.request(reqwest::Method::POST, &path("post_comment"));
    sent(with_multipart(request, &fields)).await.results();
    let card = [
        ("sender_email", "ana"),
        ("room_id", "support"),
        ("type", "card"),
        ("payload", r#"{"text":"a card","image_url":"https://x.y/z.png","url":"tel:112"}"#),
    ];
    let card = post(&server, "post_comment", &card).await.results()["comment"].take();
    assert_eq!(
        (&card["message"], &card["payload"]["image"]),
        (&json!("a card"), &json!("https://x.y/z.png"))
    );
    assert_eq!(server.texts("support").await, ["a card", "hello"]);
}

#[tokio::test]
async fn messages_can_be_loaded_in_pages_and_searched() {
    let server = TestServer::with_support_room().await;
    for text in ["one", "two", "three"] {
        server.post_comment("ana", "support", text).await;
    }
    let query = [("room_id", "support"), ("page", "2"), ("limit", "2")];
    let loaded = get(&server, "load_comments", &query).await.results();
    assert_eq!(each(&loaded["comments"], "message"), ["one"]);
    assert_eq!(loaded["comments"][0]["room_name"], "The support room");
    get(&server, "load_comments", &[("room_id", "nowhere")]).await.refused(404, "room_not_found");

    let found = [("user_email", "bob"), ("query", "T"), ("room_id", "")];
    let found = post(&server, "search_messages", &found).await.results();
    assert_eq!(each(&found["comments"], "message"), ["three", "two"]);
    let unknown = [("user_email", "eve"), ("query", "t")];
    post(&server, "search_messages", &unknown).await.refused(404, "user_not_found");
    let without = [("user_email", "bob")];
    post(&server, "search_messages", &without).await.refused(400, "invalid_request").says("query");
}

#[tokio::test]
async fn a_system_event_can_be_posted_and_deleted() {
    let server = TestServer::with_support_room().await;
    let event =
        [("system_event_type", "custom"), ("room_id", "support"), ("message", "Ana joined")];
    let comment = post(&server, "post_system_event_message", &event).await.results();
    let comment = &comment["comment"];
    assert_eq!(
        (&comment["type"], &comment["username"]),
        (&json!("system_event"), &json!("System"))
    );
    let body = json!({"unique_ids": [text(&comment["unique_temp_id"])]});
    server.delete(&path("delete_messages"), body).await.results();
    assert!(server.texts("support").await.is_empty());
}

#[tokio::test]
async fn a_button_postback_response_needs_no_message_text() {
    let server = TestServer::with_support_room().await;
    let press = |payload: Value| {
        json!({"sender_email": "ana", "room_id": "support", "type": "button_postback_response",
            "payload": payload})
    };
    for (payload, shown) in [
        (json!({"postback_text": "Yes", "label": "Y", "url": "/yes", "method": "get"}), "Yes"),
        (json!({"label": "No", "url": "/no"}), "No"),
        (json!({"url": "/later", "method": "get", "payload": null}), "/later"),
    ] {
        let comment = post_json(&server, "post_comment", press(payload.clone())).await.results();
        assert_eq!(comment["comment"]["message"], shown);
        assert_eq!(comment["comment"]["payload"], payload);
    }
    assert_eq!(server.texts("support").await, ["/later", "No", "Yes"]);
    let mut written = press(json!({"label": "No"}));
    written["message"] = json!("Not now");
    let comment = post_json(&server, "post_comment", written).await.results();
    assert_eq!(comment["comment"]["message"], "Not now");
    for nameless in [json!({}), json!({"method": "get"})] {
        let answer = post_json(&server, "post_comment", press(nameless)).await;
        answer.refused(400, "invalid_request").says("message is required");
    }
    let mut newer = press(json!({"label": "No"}));
    newer["user_id"] = json!("ana");
    let answer = server.post("post_comment", newer).await;
    answer.refused(400, "invalid_request").says("message is required");
}
