//! `POST /broadcast`: one message to each target, all or none (wire facts 3.2).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{each, keys};
use crate::support::caller::sent;
use crate::support::test_server::TestServer;

async fn with_three_users() -> TestServer {
    let server = TestServer::with_support_room().await;
    server.register("cid").await;
    server
}

/// Returns the unique id of the single room of two users.
async fn single_room(server: &TestServer, pair: [&str; 2]) -> String {
    let body = json!({"user_ids": pair});
    let results = server.post("get_or_create_room_with_target", body).await.results();
    results["room"]["unique_id"].as_str().expect("an id").to_owned()
}

fn to(targets: &[&str]) -> Value {
    json!({"sender_user_id": "ana", "target_user_ids": targets, "message": "news"})
}

#[tokio::test]
async fn each_target_gets_the_message_in_the_single_room_with_the_sender() {
    let server = with_three_users().await;
    let old_room = single_room(&server, ["bob", "ana"]).await;
    let results = server.post("broadcast", to(&["bob", "cid"])).await.results();
    assert_eq!(keys(&results), ["comments"]);
    assert_eq!(each(&results["comments"], "message"), ["news", "news"]);
    assert_eq!(results["comments"][0]["user"]["user_id"], "ana");
    assert_eq!(results["comments"][0]["payload"], json!({}));
    assert_eq!(server.texts(&old_room).await, ["news"], "an existing room");
    let new_room = single_room(&server, ["ana", "cid"]).await;
    assert_eq!(server.texts(&new_room).await, ["news"], "a new room");
    assert_eq!(server.unread("cid", &new_room).await, 1);
    assert_eq!(server.unread("ana", &new_room).await, 0);
}

#[tokio::test]
async fn any_type_can_be_broadcast() {
    let server = with_three_users().await;
    let body = json!({
        "sender_user_id": "ana", "target_user_ids": ["bob", "cid"], "type": "card",
        "payload": {"text": "a card"}, "extras": {"n": 1},
    });
    let results = server.post("broadcast", body).await.results();
    for comment in results["comments"].as_array().expect("a list") {
        assert_eq!(comment["message"], "a card");
        assert_eq!(comment["type"], "card");
        assert_eq!(comment["extras"], json!({"n": 1}));
    }
}

#[tokio::test]
async fn an_unknown_target_rejects_the_whole_broadcast() {
    let server = with_three_users().await;
    let room = single_room(&server, ["ana", "bob"]).await;
    let answer = server.post("broadcast", to(&["bob", "nobody"])).await;
    answer.refused(404, "user_not_found").says("nobody");
    assert!(server.texts(&room).await.is_empty());
}

#[tokio::test]
async fn a_broadcast_repeated_with_its_unique_id_is_posted_once() {
    let server = with_three_users().await;
    let mut body = to(&["bob"]);
    body["unique_temp_id"] = json!("b1");
    let first = server.post("broadcast", body.clone()).await.results();
    assert_eq!(first["comments"][0]["unique_id"], "b1/bob");
    body["target_user_ids"] = json!(["cid", "bob"]);
    let second = server.post("broadcast", body).await.results();
    assert_eq!(second["comments"][1], first["comments"][0]);
    assert_eq!(second["comments"][0]["unique_id"], "b1/cid");
    let request = server.request(Method::POST, "broadcast").header("Idempotency-Key", "b1");
    let third = sent(request.body(to(&["cid"]).to_string())).await.results();
    assert_eq!(third["comments"][0], second["comments"][0]);
    let room = single_room(&server, ["ana", "bob"]).await;
    assert_eq!(server.texts(&room).await, ["news"]);
    server.delete_messages(&["b1/bob", "b1/cid"]).await.results();
}

#[tokio::test]
async fn an_invalid_sender_target_list_or_message_is_refused() {
    let server = with_three_users().await;
    let many: Vec<_> = (0..101).map(|number| format!("user{number}")).collect();
    let table = [
        (json!({"message": "m"}), 400, "sender_user_id is required"),
        (json!({"sender_user_id": "ana", "message": "m"}), 400, "target_user_ids is required"),
        (json!({"sender_user_id": "ana", "target_user_ids": ["bob"]}), 400, "message is required"),
        (to(&[]), 400, "target_user_ids is required"),
        (to(&["ana", "bob"]), 400, "target_user_ids must not name the sender"),
        (json!({"sender_user_id": "ana", "target_user_ids": many, "message": "m"}), 400, "100"),
        (json!({"sender_user_id": "no", "target_user_ids": ["bob"], "message": "m"}), 404, "no"),
        (
            json!({"sender_user_id": "system@shop", "target_user_ids": ["bob"], "message": "m"}),
            403,
            "System",
        ),
    ];
    for (body, status, problem) in table {
        let code = match status {
            400 => "invalid_request",
            403 => "system_user",
            _ => "user_not_found",
        };
        server.post("broadcast", body).await.refused(status, code).says(problem);
    }
    server.delete("deactivate_users", json!({"user_ids": ["ana"]})).await.results();
    server.post("broadcast", to(&["bob"])).await.refused(403, "user_deactivated");
}
