//! Request body formats: JSON, urlencoded, JSON inside strings (wire facts 2).

use reqwest::Method;
use serde_json::json;

use crate::support::answer::each;
use crate::support::caller::{sent, unique_id, urlencoded};
use crate::support::test_server::TestServer;

const POST: &str = r#"{"user_id":"ana","room_id":"support","message":"hello"}"#;

#[tokio::test]
async fn an_urlencoded_body_posts_a_message() {
    let server = TestServer::with_support_room().await;
    let fields = [
        ("user_id", "ana"),
        ("room_id", "support"),
        ("message", "1 + 1 = 2 & more é"),
        ("extras", r#"{"n":1.0}"#),
    ];
    let answer = server.post_form("post_comment", &fields).await;
    let comment = answer.results()["comment"].take();
    assert_eq!(comment["message"], "1 + 1 = 2 & more é");
    assert!(answer.text.contains(r#""extras":{"n":1.0}"#), "{}", answer.text);
}

#[tokio::test]
async fn an_urlencoded_body_carries_a_payload_as_json_text() {
    let server = TestServer::with_support_room().await;
    let payload = r#"{"text":"A bag","price":1.0}"#;
    let fields = [
        ("user_id", "ana"),
        ("room_id", "support"),
        ("type", "card"),
        ("payload", payload),
        ("extras", ""),
    ];
    let answer = server.post_form("post_comment", &fields).await;
    assert_eq!(answer.results()["comment"]["message"], "A bag");
    assert!(answer.text.contains(&format!(r#""payload":{payload}"#)), "{}", answer.text);
}

#[tokio::test]
async fn an_urlencoded_list_is_repeated_bracketed_keys_or_json_text() {
    let server = TestServer::with_support_room().await;
    let fields = [("room_name", "Forms"), ("participants[]", "ana"), ("participants[]", "bob")];
    let results = server.post_form("create_room", &fields).await.results();
    let room = results["room"]["room_id"].as_str().expect("an id");
    assert_eq!(server.participants(room).await, ["ana", "bob"]);
    let fields = [("room_id", room), ("user_ids", r#"["ana"]"#)];
    let results = server.post_form("remove_room_participants", &fields).await.results();
    assert_eq!(each(&results["participants_removed"], "user_id"), ["ana"], "a list as JSON text");
}

#[tokio::test]
async fn other_post_calls_accept_an_urlencoded_body() {
    let server = TestServer::with_support_room().await;
    let calls: &[(&str, &[(&str, &str)])] = &[
        ("login_or_register", &[("user_id", "cid"), ("username", "Cid"), ("extras", "{\"a\":1}")]),
        ("reset_user_token", &[("user_id", "cid")]),
        ("update_room", &[("room_id", "support"), ("room_name", "Renamed")]),
        ("get_or_create_room_with_target", &[("user_ids[]", "ana"), ("user_ids[]", "bob")]),
        ("get_or_create_channel", &[("unique_id", "news"), ("participants[]", "ana")]),
        ("add_room_participants", &[("room_id", "support"), ("user_ids[]", "cid")]),
        (
            "post_system_event_message",
            &[("system_event_type", "custom"), ("room_id", "support"), ("message", "hi")],
        ),
        (
            "broadcast",
            &[("sender_user_id", "ana"), ("target_user_ids[]", "bob"), ("message", "hi")],
        ),
        ("reactivate_users", &[("user_ids[]", "ana"), ("user_ids[]", "bob")]),
    ];
    for (call, fields) in calls {
        server.post_form(call, fields).await.results();
    }
    assert_eq!(server.participants("support").await, ["ana", "bob", "cid"]);
}

#[tokio::test]
async fn payload_and_extras_may_be_strings_of_json() {
    let server = TestServer::with_support_room().await;
    let body = json!({
        "user_id": "ana", "room_id": "support", "type": "card",
        "payload": r#" {"text": "A bag"} "#, "extras": r#"[1.0, {"x": 2}]"#,
    });
    let answer = server.post("post_comment", body).await;
    let comment = answer.results()["comment"].take();
    assert_eq!(comment["payload"], json!({"text": "A bag"}));
    assert!(answer.text.contains(r#""extras":[1.0, {"x": 2}]"#), "{}", answer.text);
}

#[tokio::test]
async fn payload_or_extras_with_malformed_json_is_refused() {
    let server = TestServer::with_support_room().await;
    for field in ["payload", "extras"] {
        let mut body = json!({
            "user_id": "ana", "room_id": "support", "type": "card", "payload": {"text": "t"},
        });
        for broken in [r#"{"text": "#, "[1,", "{'text': 1}", "{\"a\":\"\\ud800\"}"] {
            body[field] = json!(broken);
            let answer = server.post("post_comment", body.clone()).await;
            answer.refused(400, "invalid_request").says(field);
        }
        body[field] = json!("{\"a\":".repeat(65) + "1" + &"}".repeat(65));
        let answer = server.post("post_comment", body).await;
        answer.refused(400, "invalid_request").says("nested too deeply");
    }
    let body = json!({"user_id": "ana", "room_id": "support", "message": "m", "extras": "word"});
    let answer = server.post("post_comment", body).await;
    answer.refused(400, "invalid_request").says("extras must be JSON");
    assert!(server.texts("support").await.is_empty());
}

#[tokio::test]
async fn a_json_body_may_have_any_json_content_type_or_none() {
    let server = TestServer::with_support_room().await;
    for kind in ["application/json; charset=utf-8", "APPLICATION/JSON", "application/x+json"] {
        server.post_as("post_comment", kind, POST).await.results();
    }
    let untyped = server.request(Method::POST, "post_comment").body(POST);
    sent(untyped).await.results();
    assert_eq!(server.texts("support").await.len(), 4);
}

#[tokio::test]
async fn a_room_id_may_be_a_json_integer() {
    let server = TestServer::with_support_room().await;
    let room = server.create_room("other", &["ana"]).await;
    let id: i64 = room["room_id"].as_str().expect("a string").parse().expect("digits");
    let body = json!({"user_id": "ana", "room_id": id, "message": "hello"});
    server.post("post_comment", body).await.results();
    assert_eq!(server.texts("other").await, ["hello"]);
}

#[tokio::test]
async fn deletions_accept_ids_in_the_query_or_in_a_form_or_json_body() {
    let server = TestServer::with_support_room().await;
    for number in 0..4 {
        let id = format!("id {number} & more");
        server.post_as_unique("ana", "support", "hello", &id).await.results();
    }
    let query = urlencoded(&[("unique_ids[]", "id 0 & more"), ("unique_ids[]", "id 1 & more")]);
    let path = format!("delete_messages?{query}");
    sent(server.request(Method::DELETE, &path)).await.results();
    let form = urlencoded(&[("unique_ids[]", "id 2 & more")]);
    let request = server
        .request(Method::DELETE, "delete_messages")
        .header("Content-Type", "application/x-www-form-urlencoded");
    sent(request.body(form)).await.results();
    let left = server.load_comments("support").await;
    assert_eq!(left.iter().map(unique_id).collect::<Vec<_>>(), ["id 3 & more"]);
    server.delete_messages(&["id 3 & more"]).await.results();
}

/// curl sends this content type by default.
#[tokio::test]
async fn json_with_the_content_type_of_a_form_is_parsed_as_json() {
    let server = TestServer::with_support_room().await;
    let kind = "application/x-www-form-urlencoded";
    let answer = server.post_as("post_comment", kind, format!(" {POST}")).await;
    assert_eq!(answer.results()["comment"]["message"], "hello");
}

#[tokio::test]
async fn a_json_list_may_have_brackets_in_its_key() {
    let server = TestServer::with_support_room().await;
    let comment = server.post_comment("ana", "support", "hello").await;
    let body = json!({"unique_ids[]": [unique_id(&comment)]});
    server.delete("delete_messages", body).await.results();
    assert_eq!(server.texts("support").await, Vec::<String>::new());
}
