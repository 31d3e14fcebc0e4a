//! `POST /post_system_event_message`: messages of the app's System user (spec 2.4, spec 4.1).

use serde_json::{Value, json};

use crate::support::answer::keys;
use crate::support::test_server::TestServer;

fn event(payload: Value) -> Value {
    json!({
        "system_event_type": "custom", "room_id": "support", "message": "Ana joined",
        "payload": payload,
    })
}

#[tokio::test]
async fn the_response_is_a_system_event_comment_of_the_system_user() {
    let server = TestServer::with_support_room().await;
    let mut body = event(json!({"who": "ana"}));
    body["extras"] = json!({"silent": true});
    let results = server.post("post_system_event_message", body).await.results();
    assert_eq!(keys(&results), ["comment"]);
    let comment = &results["comment"];
    let fields = [
        "extras",
        "id",
        "message",
        "payload",
        "timestamp",
        "type",
        "unique_id",
        "unique_temp_id",
        "user",
    ];
    assert_eq!(keys(comment), fields);
    assert_eq!(comment["type"], "system_event");
    assert_eq!(comment["message"], "Ana joined");
    let payload =
        json!({"payload": {"who": "ana"}, "room_name": "The support room", "type": "custom"});
    assert_eq!(comment["payload"], payload);
    assert_eq!(comment["extras"], json!({"silent": true}));
    let user = json!({
        "user_id": "system@shop", "username": "System", "avatar_url": "", "extras": {},
        "active": true,
    });
    assert_eq!(comment["user"], user);
}

#[tokio::test]
async fn a_loaded_system_event_has_its_payload_and_its_sender_no_extras() {
    let server = TestServer::with_support_room().await;
    let results = server.post("post_system_event_message", event(json!({"n": 1}))).await.results();
    let loaded = server.load_comments("support").await.remove(0);
    assert_eq!(loaded["payload"], results["comment"]["payload"]);
    assert_eq!(loaded["type"], "system_event");
    let user = json!({"user_id": "system@shop", "username": "System", "avatar_url": ""});
    assert_eq!(loaded["user"], user);
}

#[tokio::test]
async fn the_payload_may_be_any_json_and_is_echoed_byte_for_byte() {
    let server = TestServer::with_support_room().await;
    for payload in ["{\"a\":1.0}", "[1,2]", "12345678901234567890", "\"a word\"", "true", "1.0"] {
        let body = format!(
            r#"{{"system_event_type":"custom","room_id":"support","message":"m","payload":{payload}}}"#
        );
        let answer = server.post_text("post_system_event_message", body).await;
        answer.results();
        let echoed = format!(
            r#""payload":{{"payload":{payload},"room_name":"The support room","type":"custom"}}"#
        );
        assert!(answer.text.contains(&echoed), "{echoed} in {}", answer.text);
    }
    let opened = server.post("post_system_event_message", event(json!("{\"a\": 1}"))).await;
    assert_eq!(opened.results()["comment"]["payload"]["payload"], json!({"a": 1}));
    let absent = server.post_system_event("support", "no payload").await;
    assert_eq!(absent["payload"]["payload"], json!({}));
}

#[tokio::test]
async fn the_payload_has_the_name_of_the_room_at_the_time_of_posting() {
    let server = TestServer::with_support_room().await;
    let first = server.post_system_event("support", "first").await;
    let rename = json!({"room_id": "support", "room_name": "Help \"desk\""});
    server.post("update_room", rename).await.results();
    let second = server.post_system_event("support", "second").await;
    assert_eq!(first["payload"]["room_name"], "The support room");
    assert_eq!(second["payload"]["room_name"], "Help \"desk\"");
}

#[tokio::test]
async fn the_system_event_type_must_be_custom() {
    let server = TestServer::with_support_room().await;
    for kind in [json!("join_room"), json!(""), json!("Custom"), json!(null), json!(5)] {
        let mut body = event(json!({}));
        body["system_event_type"] = kind;
        let answer = server.post("post_system_event_message", body).await;
        answer.refused(400, "invalid_request").says("system_event_type");
    }
    assert!(server.texts("support").await.is_empty());
}

#[tokio::test]
async fn type_room_and_message_are_required_and_the_room_must_exist() {
    let server = TestServer::with_support_room().await;
    let answer = server.post("post_system_event_message", json!({})).await;
    let refused = answer.refused(400, "invalid_request");
    let expected = ["system_event_type is required", "room_id is required", "message is required"];
    assert_eq!(refused.details, expected);
    let mut body = event(json!({}));
    body["room_id"] = json!("nowhere");
    let answer = server.post("post_system_event_message", body).await;
    answer.refused(404, "room_not_found");
}

#[tokio::test]
async fn a_system_event_of_4000_characters_is_accepted_and_one_of_4001_is_refused() {
    let server = TestServer::with_support_room().await;
    let mut body = event(json!({}));
    body["message"] = json!("é".repeat(4000));
    server.post("post_system_event_message", body.clone()).await.results();
    body["message"] = json!("é".repeat(4001));
    let answer = server.post("post_system_event_message", body).await;
    answer.refused(400, "invalid_request").says("message has 4001 characters");
    assert_eq!(server.texts("support").await.len(), 1);
}

#[tokio::test]
async fn the_system_user_posts_in_single_and_public_rooms_without_joining() {
    let server = TestServer::with_support_room().await;
    let pair = json!({"user_ids": ["ana", "bob"]});
    let single = server.post("get_or_create_room_with_target", pair).await.results();
    let channel = server.post("get_or_create_channel", json!({"unique_id": "news"})).await;
    let rooms = [single["room"].clone(), channel.results()["room"].clone()];
    for room in rooms {
        let id = room["unique_id"].as_str().expect("an id");
        let comment = server.post_system_event(id, "hello").await;
        assert_eq!(comment["user"]["username"], "System");
        assert!(!server.participants(id).await.contains(&"system@shop".to_owned()));
        assert_eq!(server.texts(id).await, ["hello"]);
    }
}

#[tokio::test]
async fn extras_for_ios_push_are_stored_with_the_message() {
    let server = TestServer::with_support_room().await;
    let extras = json!({"service_ios_pn": {"aps": {"alert": "Ana joined"}}});
    let mut body = event(json!({}));
    body["extras"] = extras.clone();
    let results = server.post("post_system_event_message", body).await.results();
    assert_eq!(results["comment"]["extras"], extras);
    assert_eq!(server.load_comments("support").await[0]["extras"], extras);
}

#[tokio::test]
async fn a_system_event_posted_twice_with_one_unique_id_is_stored_once() {
    let server = TestServer::with_support_room().await;
    let mut body = event(json!({}));
    body["unique_temp_id"] = json!("event-1");
    let first = server.post("post_system_event_message", body.clone()).await.results();
    let again = server.post("post_system_event_message", body).await.results();
    assert_eq!(again, first);
    assert_eq!(first["comment"]["unique_id"], "event-1");
    assert_eq!(server.texts("support").await.len(), 1);
}
