//! A unique id names one message in its app; posting it again returns that message (D-0002).

use std::collections::HashSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::text;
use crate::support::caller::{sent, unique_id};
use crate::support::client::two_people;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn posting_a_unique_id_again_returns_the_first_message() {
    let server = TestServer::with_support_room().await;
    let first = server.post_as_unique("ana", "support", "first", "id-1").await.results();
    assert_eq!(first["comment"]["unique_temp_id"], "id-1");
    assert_eq!(first["comment"]["unique_id"], "id-1");
    let again = server.post_as_unique("ana", "support", "first", "id-1").await.results();
    assert_eq!(again, first);
    assert_eq!(server.texts("support").await, ["first"]);
}

#[tokio::test]
async fn a_unique_id_of_another_message_is_refused_with_the_difference() {
    let server = TestServer::with_support_room().await;
    server.create_room("other", &["ana", "bob"]).await;
    server.post_as_unique("ana", "support", "first", "id-1").await.results();
    for (sender, room, message, differs) in [
        ("ana", "support", "second", "another text."),
        ("bob", "support", "first", "another sender."),
        ("ana", "other", "first", "another room."),
        ("bob", "other", "second", "another room and sender."),
    ] {
        let answer = server.post_as_unique(sender, room, message, "id-1").await;
        answer.refused(409, "unique_id_taken").says(differs);
    }
    let custom = json!({"user_id": "ana", "room_id": "support", "message": "first",
        "type": "custom", "payload": {"type": "a", "content": 1}, "unique_temp_id": "id-1"});
    let answer = server.post("post_comment", custom).await;
    answer.refused(409, "unique_id_taken").says("another type.");
    let event = json!({"system_event_type": "custom", "room_id": "support", "message": "first",
        "unique_temp_id": "id-1"});
    let answer = server.post("post_system_event_message", event).await;
    answer.refused(409, "unique_id_taken").says("another sender.");
    assert_eq!(server.texts("support").await, ["first"]);
    assert!(server.texts("other").await.is_empty());
}

#[tokio::test]
async fn a_repeated_payload_is_compared_by_value() {
    let server = TestServer::with_support_room().await;
    let question = server.post_comment("bob", "support", "a question").await["id"].to_string();
    let reply = |text| format!(r#"{{"text":"{text}","replied_comment_id":{question}}}"#);
    let custom = |content| format!(r#"{{"type":"a","content":{{"x":1,"y":[{content}]}}}}"#);
    let file = |pages| format!(r#"{{"url":"https://x.example/a.png","pages":{pages}}}"#);
    for (kind, payload, other) in [
        ("custom", custom(2), custom(3)),
        ("file_attachment", file(2), file(3)),
        ("reply", reply("an answer"), reply("another")),
    ] {
        let post = async |payload: &str| {
            let body = format!(
                r#"{{"user_id":"ana","room_id":"support","message":"said","type":"{kind}",
                "payload":{payload},"unique_temp_id":"{kind}"}}"#
            );
            server.post_text("post_comment", body).await
        };
        let first = post(&payload).await.results();
        for again in [payload.clone(), payload.replace(',', " ,\n ")] {
            assert_eq!(post(&again).await.results(), first, "{kind}");
        }
        post(&other).await.refused(409, "unique_id_taken").says("payload.");
    }
}

#[tokio::test]
async fn a_repeated_system_event_is_recognized_after_its_room_was_renamed() {
    let server = TestServer::with_support_room().await;
    let event = json!({"system_event_type": "custom", "room_id": "support", "message": "moved",
        "payload": {"to": 5}, "unique_temp_id": "event-1"});
    let first = server.post("post_system_event_message", event.clone()).await.results();
    let info = server.get("get_rooms_info", &[("room_channel_ids[]", "support")]).await.results();
    let room = info["rooms"][0]["room_id"].clone();
    server.post("update_room", json!({"room_id": room, "room_name": "Renamed"})).await.results();
    let again = server.post("post_system_event_message", event.clone()).await.results();
    assert_eq!(again, first);
    let mut other = event;
    other["payload"]["to"] = json!(6);
    let answer = server.post("post_system_event_message", other).await;
    answer.refused(409, "unique_id_taken").says("another payload.");
}

#[tokio::test]
async fn posting_an_edited_message_again_with_its_original_text_returns_it() {
    let (server, ana, _, _) = two_people().await;
    server.post_as_unique("ana", "support", "first", "id-1").await.results();
    let edit = json!({"token": ana.token, "comment": "first, edited", "unique_id": "id-1"});
    ana.post("update_message", edit).await.results();
    let again = server.post_as_unique("ana", "support", "first", "id-1").await.results();
    assert_eq!(again["comment"]["message"], "first, edited");
    let answer = server.post_as_unique("bob", "support", "first", "id-1").await;
    answer.refused(409, "unique_id_taken").says("another sender.");
}

#[tokio::test]
async fn posting_a_generated_unique_id_again_returns_its_message() {
    let server = TestServer::with_support_room().await;
    let first = server.post_comment("ana", "support", "first").await;
    let again = server.post_as_unique("ana", "support", "first", unique_id(&first)).await;
    assert_eq!(again.results()["comment"], first);
    let other = server.post_as_unique("ana", "support", "second", unique_id(&first)).await;
    other.refused(409, "unique_id_taken").says("another text.");
    assert_eq!(server.texts("support").await, ["first"]);
}

#[tokio::test]
async fn a_post_repeated_without_a_unique_id_is_a_second_message() {
    let server = TestServer::with_support_room().await;
    for _ in 0..2 {
        server.post_comment("ana", "support", "again").await;
    }
    assert_eq!(server.texts("support").await, ["again", "again"]);
}

async fn post_with_key(server: &TestServer, call: &str, key: &str, body: Value) -> Value {
    let request = server.request(Method::POST, call).header("Idempotency-Key", key);
    sent(request.body(body.to_string())).await.results()["comment"].take()
}

#[tokio::test]
async fn an_idempotency_key_header_serves_as_the_unique_id() {
    let server = TestServer::with_support_room().await;
    let body = json!({"user_id": "ana", "room_id": "support", "message": "hello"});
    let first = post_with_key(&server, "post_comment", "key-1", body.clone()).await;
    assert_eq!(first["unique_temp_id"], "key-1");
    assert_eq!(post_with_key(&server, "post_comment", "key-1", body.clone()).await, first);
    let event = json!({"system_event_type": "custom", "room_id": "support", "message": "event"});
    let event = post_with_key(&server, "post_system_event_message", "key-2", event).await;
    assert_eq!(event["unique_temp_id"], "key-2");
    // The body takes precedence over the header. An empty header counts as absent.
    let mut named = body.clone();
    named["unique_temp_id"] = json!("id-1");
    let named = post_with_key(&server, "post_comment", "key-1", named).await;
    assert_eq!(named["unique_temp_id"], "id-1");
    let unnamed = post_with_key(&server, "post_comment", "", body).await;
    assert_eq!(text(&unnamed["unique_temp_id"]).len(), 36);
    assert_eq!(server.texts("support").await.len(), 4);
}

#[tokio::test]
async fn a_unique_id_has_1_to_128_characters_and_no_control_characters() {
    let server = TestServer::with_support_room().await;
    let longest = "é".repeat(128);
    let answer = server.post_as_unique("ana", "support", "hello", &longest).await;
    assert_eq!(answer.results()["comment"]["unique_id"], longest);
    for wrong in ["x".repeat(129), "a\nb".to_owned(), "a\u{7f}".to_owned()] {
        let answer = server.post_as_unique("ana", "support", "hello", &wrong).await;
        answer.refused(400, "invalid_request").says("unique_temp_id");
    }
    let body = json!({"user_id": "ana", "room_id": "support", "message": "hello"}).to_string();
    for wrong in ["x".repeat(129).as_bytes(), b"\xff\xfe"] {
        let request = server.request(Method::POST, "post_comment");
        let request = request.header("Idempotency-Key", wrong).body(body.clone());
        sent(request).await.refused(400, "invalid_request").says("Idempotency-Key");
    }
    assert_eq!(server.texts("support").await.len(), 1);
}

#[tokio::test]
async fn the_unique_id_of_a_deleted_message_cannot_be_reused() {
    let server = TestServer::with_support_room().await;
    server.post_as_unique("ana", "support", "first", "id-1").await.results();
    server.delete_messages(&["id-1"]).await.results();
    let answer = server.post_as_unique("ana", "support", "second", "id-1").await;
    answer.refused(409, "message_deleted").says("id-1");
    assert!(server.texts("support").await.is_empty());
}

#[tokio::test]
async fn a_refused_post_does_not_use_up_its_unique_id() {
    let server = TestServer::with_support_room().await;
    let answer = server.post_as_unique("nobody", "support", "first", "id-1").await;
    answer.refused(404, "user_not_found");
    let answer = server.post_as_unique("ana", "support", "second", "id-1").await;
    assert_eq!(answer.results()["comment"]["message"], "second");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_posts_with_one_unique_id_create_one_message() {
    let server = TestServer::with_support_room().await;
    let posts: Vec<_> = (0..32)
        .map(|_| {
            let caller = server.clone();
            tokio::spawn(async move {
                let answer = caller.post_as_unique("ana", "support", "once", "id-1").await;
                answer.results()["comment"].take().to_string()
            })
        })
        .collect();
    let mut answers = HashSet::new();
    for post in posts {
        answers.insert(post.await.expect("answered"));
    }
    assert_eq!(answers.len(), 1, "every answer is the same comment");
    assert_eq!(server.texts("support").await.len(), 1);
}
