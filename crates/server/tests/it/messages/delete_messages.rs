//! `DELETE /delete_messages`: all of one to three messages, or none (spec 4.1, D-0020).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{keys, text};
use crate::support::caller::{sent, unique_id};
use crate::support::test_server::TestServer;

/// Creates a room with messages m1 to m5; the unique id of each is its text.
async fn room_of_five() -> TestServer {
    let server = TestServer::with_support_room().await;
    for id in ["m1", "m2", "m3", "m4", "m5"] {
        server.post_as_unique("ana", "support", id, id).await.results();
    }
    server
}

const ALL: [&str; 5] = ["m5", "m4", "m3", "m2", "m1"];

#[tokio::test]
async fn deleted_messages_are_counted_in_the_response_and_no_longer_listed() {
    let server = room_of_five().await;
    let results = server.delete_messages(&["m2"]).await.results();
    assert_eq!(keys(&results), ["message"]);
    assert_eq!(text(&results["message"]), "1 message deleted");
    let results = server.delete_messages(&["m1", "m3", "m5"]).await.results();
    assert_eq!(text(&results["message"]), "3 messages deleted");
    assert_eq!(server.texts("support").await, ["m4"]);
}

#[tokio::test]
async fn a_message_is_deleted_by_its_generated_unique_id() {
    let server = TestServer::with_support_room().await;
    let kept = server.post_comment("ana", "support", "kept").await;
    let gone = server.post_comment("ana", "support", "gone").await;
    server.delete_messages(&[unique_id(&gone)]).await.results();
    assert_eq!(server.texts("support").await, ["kept"]);
    // The integer is not a unique id.
    let answer = server.delete_messages(&[&kept["id"].to_string()]).await;
    answer.refused(404, "message_not_found");
}

#[tokio::test]
async fn messages_of_several_rooms_and_types_are_deleted_in_one_call() {
    let server = room_of_five().await;
    server.create_room("other", &["ana"]).await;
    let card = server.post_typed("ana", "other", "card", json!({"text": "a card"})).await;
    let card = card.results()["comment"].take();
    let event = server.post_system_event("other", "an event").await;
    server.delete_messages(&["m1", unique_id(&card), unique_id(&event)]).await.results();
    assert!(server.texts("other").await.is_empty());
    assert_eq!(server.texts("support").await, ["m5", "m4", "m3", "m2"]);
}

#[tokio::test]
async fn no_ids_or_more_than_three_are_refused_and_nothing_is_deleted() {
    let server = room_of_five().await;
    let answer = server.delete_messages(&["m1", "m2", "m3", "m4"]).await;
    answer.refused(400, "invalid_request").says("unique_ids must name at most 3 messages");
    let answer = server.delete_messages(&["m1", "m1", "m1", "m1"]).await;
    answer.refused(400, "invalid_request").says("at most 3");
    for none in [json!({}), json!({"unique_ids": []}), json!({"unique_ids": null})] {
        let answer = server.delete("delete_messages", none).await;
        answer.refused(400, "invalid_request").says("unique_ids is required");
    }
    let empty = sent(server.request(Method::DELETE, "delete_messages")).await;
    empty.refused(400, "invalid_request").says("unique_ids is required");
    assert_eq!(server.texts("support").await, ALL);
}

#[tokio::test]
async fn ids_of_a_wrong_type_are_refused_and_nothing_is_deleted() {
    let server = room_of_five().await;
    for wrong in [json!([1]), json!(["m1", null]), json!({"a": "m1"}), json!(5), json!([["m1"]])] {
        let answer = server.delete("delete_messages", json!({"unique_ids": wrong})).await;
        answer.refused(400, "invalid_request").says("unique_ids must be a list of strings");
    }
    assert_eq!(server.texts("support").await, ALL);
}

#[tokio::test]
async fn unknown_ids_are_named_in_the_error_and_nothing_is_deleted() {
    let server = room_of_five().await;
    let refused =
        server.delete_messages(&["m1", "x1", "x2"]).await.refused(404, "message_not_found");
    refused.says("x1, x2");
    assert!(!refused.message.contains("m1"), "{refused:?}");
    assert_eq!(server.texts("support").await, ALL);
}

#[tokio::test]
async fn deleting_a_deleted_message_again_is_refused_and_nothing_is_deleted() {
    let server = room_of_five().await;
    server.delete_messages(&["m1"]).await.results();
    server.delete_messages(&["m1"]).await.refused(404, "message_not_found").says("m1");
    server.delete_messages(&["m2", "m1"]).await.refused(404, "message_not_found").says("m1");
    assert_eq!(server.texts("support").await, ["m5", "m4", "m3", "m2"]);
}

#[tokio::test]
async fn an_id_listed_twice_is_deleted_and_counted_once() {
    let server = room_of_five().await;
    let results = server.delete_messages(&["m1", "m1", "m2"]).await.results();
    assert_eq!(text(&results["message"]), "2 messages deleted");
    assert_eq!(server.texts("support").await, ["m5", "m4", "m3"]);
}

#[tokio::test]
async fn ids_keep_rising_after_the_newest_messages_of_a_room_were_deleted() {
    let server = room_of_five().await;
    server.delete_messages(&["m5", "m4"]).await.results();
    let next = server.post_comment("bob", "support", "next").await;
    assert_eq!(server.texts("support").await, ["next", "m3", "m2", "m1"]);
    let ids: Vec<Value> =
        server.load_comments("support").await.into_iter().map(|c| c["id"].clone()).collect();
    assert_eq!(ids[0], next["id"]);
    assert!(ids.windows(2).all(|pair| pair[0].as_i64() > pair[1].as_i64()));
}
