//! The server adds the answered message to the payload of a reply (wire facts 3.3).

use serde_json::{Value, json};

use crate::support::caller::unique_id;
use crate::support::test_server::TestServer;

async fn reply(server: &TestServer, room: &str, payload: Value) -> crate::support::answer::Answer {
    server.post_typed("ana", room, "reply", payload).await
}

#[tokio::test]
async fn a_reply_describes_the_message_that_it_answers() {
    let server = TestServer::with_support_room().await;
    let first = server.post_comment("bob", "support", "Are you there?").await;
    let payload = json!({"text": "Yes", "replied_comment_id": first["id"]});
    let results = reply(&server, "support", payload).await.results();
    let completed = json!({
        "text": "Yes",
        "replied_comment_id": first["id"],
        "replied_comment_message": "Are you there?",
        "replied_comment_sender_username": "Bob",
        "replied_comment_sender_email": "bob",
        "replied_comment_type": "text",
        "replied_comment_payload": {},
    });
    assert_eq!(results["comment"]["payload"], completed);
    assert_eq!(server.load_comments("support").await[0]["payload"], completed);
}

#[tokio::test]
async fn a_reply_contains_the_payload_of_the_answered_message() {
    let server = TestServer::with_support_room().await;
    let card = json!({"text": "A red bag", "title": "Bag"});
    let answer = server.post_typed("bob", "support", "card", card.clone()).await;
    let id = answer.results()["comment"]["id"].take();
    // The id may be written as a string.
    let payload = json!({"text": "Nice", "replied_comment_id": id.to_string()});
    let results = reply(&server, "support", payload).await.results();
    let completed = &results["comment"]["payload"];
    assert_eq!(completed["replied_comment_message"], "A red bag");
    assert_eq!(completed["replied_comment_type"], "card");
    assert_eq!(completed["replied_comment_payload"], card);
    assert_eq!(completed["replied_comment_id"], id);
}

#[tokio::test]
async fn a_reply_cannot_forge_the_answered_message() {
    let server = TestServer::with_support_room().await;
    let first = server.post_comment("bob", "support", "I said this").await;
    let payload = json!({
        "text": "Really?", "replied_comment_id": first["id"],
        "replied_comment_message": "I said that", "replied_comment_sender_email": "eve",
        "replied_comment_sender_username": "Eve", "replied_comment_type": "card",
        "replied_comment_payload": {"forged": true},
    });
    let results = reply(&server, "support", payload).await.results();
    let completed = &results["comment"]["payload"];
    assert_eq!(completed["replied_comment_message"], "I said this");
    assert_eq!(completed["replied_comment_sender_email"], "bob");
    assert_eq!(completed["replied_comment_sender_username"], "Bob");
    assert_eq!(completed["replied_comment_type"], "text");
    assert_eq!(completed["replied_comment_payload"], json!({}));
}

#[tokio::test]
async fn a_message_of_another_room_cannot_be_answered() {
    let server = TestServer::with_support_room().await;
    server.create_room("other", &["ana", "bob"]).await;
    let first = server.post_comment("bob", "support", "in support").await;
    let payload = json!({"text": "Yes", "replied_comment_id": first["id"]});
    let refused = reply(&server, "other", payload).await;
    refused.refused(400, "replied_message_not_in_room").says("same room");
    assert!(server.texts("other").await.is_empty());
}

#[tokio::test]
async fn an_unknown_or_deleted_message_cannot_be_answered() {
    let server = TestServer::with_support_room().await;
    let gone = server.post_comment("bob", "support", "gone soon").await;
    server.delete_messages(&[unique_id(&gone)]).await.results();
    for id in [gone["id"].clone(), json!(1), json!(0), json!(-5), json!(i64::MAX)] {
        let payload = json!({"text": "Yes", "replied_comment_id": id});
        let answer = reply(&server, "support", payload).await;
        answer.refused(400, "replied_message_not_in_room");
    }
    assert!(server.texts("support").await.is_empty());
}

#[tokio::test]
async fn a_system_event_and_a_reply_can_be_answered_too() {
    let server = TestServer::with_support_room().await;
    let event = server.post_system_event("support", "Ana joined").await;
    let payload = json!({"text": "Welcome", "replied_comment_id": event["id"]});
    let first = reply(&server, "support", payload).await.results()["comment"].take();
    assert_eq!(first["payload"]["replied_comment_type"], "system_event");
    assert_eq!(first["payload"]["replied_comment_sender_username"], "System");
    let payload = json!({"text": "Thanks", "replied_comment_id": first["id"]});
    let second = reply(&server, "support", payload).await.results()["comment"].take();
    assert_eq!(second["payload"]["replied_comment_message"], "Welcome");
    assert_eq!(second["payload"]["replied_comment_type"], "reply");
}

#[tokio::test]
async fn a_reply_in_a_long_chain_contains_only_the_message_it_answers() {
    let server = TestServer::with_support_room().await;
    let mut last = server.post_comment("bob", "support", "first").await;
    for number in 0..70 {
        let text = format!("reply {number}");
        let payload = json!({"text": text, "replied_comment_id": last["id"], "mine": number});
        let comment = reply(&server, "support", payload).await.results()["comment"].take();
        assert_eq!(comment["payload"]["replied_comment_message"], last["message"]);
        let inner = &comment["payload"]["replied_comment_payload"];
        if number > 0 {
            assert_eq!(inner["mine"], number - 1, "the payload of the answered reply is included");
            assert_eq!(
                inner["replied_comment_payload"],
                json!({}),
                "its own answered message is not"
            );
        }
        last = comment;
    }
    assert!(last.to_string().len() < 2000, "{last}");
}
