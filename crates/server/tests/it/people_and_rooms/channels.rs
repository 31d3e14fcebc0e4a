//! `get_or_create_channel`: public rooms, identified by their unique id.

use serde_json::json;

use crate::support::test_server::TestServer;

#[tokio::test]
async fn a_channel_is_created_once_and_then_returned() {
    let server = TestServer::with_people(&["ana", "bob"]).await;
    let body = json!({
        "unique_id": "news", "room_name": "News", "room_avatar_url": "https://img.example/n.png",
        "room_options": "{}", "participants": ["ana"],
    });
    let first = server.post("get_or_create_channel", body.clone()).await.results();
    let expected = json!({
        "room_avatar_url": "https://img.example/n.png", "room_channel_id": "news",
        "room_id": first["room"]["room_id"], "room_name": "News", "room_options": "{}",
        "room_type": "channel", "unique_id": "news",
    });
    assert_eq!(first, json!({"changed": true, "room": expected}));
    let again = server.post("get_or_create_channel", body).await.results();
    assert_eq!(again, json!({"changed": false, "room": expected}));
}

#[tokio::test]
async fn adding_missing_participants_counts_as_a_change() {
    let server = TestServer::with_people(&["ana", "bob"]).await;
    let body = json!({"unique_id": "news", "participants": ["ana"]});
    server.post("get_or_create_channel", body).await.results();
    let body = json!({"unique_id": "news", "participants": ["ana", "bob"]});
    let results = server.post("get_or_create_channel", body).await.results();
    assert_eq!(results["changed"], true);
    assert_eq!(server.participants("news").await, ["ana", "bob"]);
}

#[tokio::test]
async fn the_default_name_of_a_channel_is_its_unique_id() {
    let server = TestServer::with_people(&["ana", "bob"]).await;
    let results = server.post("get_or_create_channel", json!({"unique_id": "news"})).await;
    assert_eq!(results.results()["room"]["room_name"], "news");
    assert!(server.participants("news").await.is_empty());
}

#[tokio::test]
async fn a_unique_id_that_is_invalid_in_mqtt_topics_is_refused() {
    let server = TestServer::with_people(&["ana", "bob"]).await;
    let longest = "é".repeat(255);
    let body = json!({"unique_id": longest});
    server.post("get_or_create_channel", body).await.results();
    let too_long = "x".repeat(256);
    for wrong in ["", "a#b", "a+b", "a/b", "a\tb", &too_long] {
        let answer = server.post("get_or_create_channel", json!({"unique_id": wrong})).await;
        answer.refused(400, "invalid_request").says("unique_id");
    }
    let answer = server.post("get_or_create_channel", json!({})).await;
    answer.refused(400, "invalid_request").says("unique_id is required");
}

#[tokio::test]
async fn the_unique_id_of_a_group_and_unknown_participants_are_refused() {
    let server = TestServer::with_people(&["ana", "bob"]).await;
    server.create_room("support", &["ana"]).await;
    let answer = server.post("get_or_create_channel", json!({"unique_id": "support"})).await;
    answer.refused(400, "wrong_room_type");
    let body = json!({"unique_id": "news", "participants": ["ana", "nobody"]});
    let answer = server.post("get_or_create_channel", body).await;
    answer.refused(404, "user_not_found").says("nobody");
    let info = server.get("get_rooms_info", &[("room_ids[]", "news")]).await.results();
    assert_eq!(info, json!({"rooms": []}), "no room is created");
}
