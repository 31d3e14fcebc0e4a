//! Permission to post in each kind of room (design/message-api). A refused post stores nothing.

use serde_json::json;

use crate::support::test_server::TestServer;

#[tokio::test]
async fn an_unknown_room_or_user_is_not_found() {
    let server = TestServer::with_support_room().await;
    for room in ["nowhere", "123456", "99999999999999999999"] {
        let body = json!({"user_id": "ana", "room_id": room, "message": "hi"});
        let refused = server.post("post_comment", body).await.refused(404, "room_not_found");
        refused.says(room);
    }
    let body = json!({"user_id": "nobody", "room_id": "support", "message": "hi"});
    server.post("post_comment", body).await.refused(404, "user_not_found").says("nobody");
    assert!(server.texts("support").await.is_empty());
}

#[tokio::test]
async fn only_participants_post_in_a_group_room() {
    let server = TestServer::with_support_room().await;
    server.register("eve").await;
    let body = json!({"user_id": "eve", "room_id": "support", "message": "hi"});
    let refused = server.post("post_comment", body.clone()).await;
    refused.refused(403, "not_a_participant").says("eve");
    assert!(server.texts("support").await.is_empty());

    let join = json!({"room_id": "support", "user_ids": ["eve"]});
    server.post("add_room_participants", join.clone()).await.results();
    server.post("post_comment", body.clone()).await.results();
    server.post("remove_room_participants", join).await.results();
    server.post("post_comment", body).await.refused(403, "not_a_participant");
    assert_eq!(server.texts("support").await, ["hi"]);
}

#[tokio::test]
async fn only_its_two_participants_post_in_a_single_room() {
    let server = TestServer::with_support_room().await;
    server.register("eve").await;
    let pair = json!({"user_ids": ["ana", "bob"]});
    let results = server.post("get_or_create_room_with_target", pair).await.results();
    let room = results["room"]["room_id"].as_str().expect("an id");
    server.post_comment("ana", room, "just us").await;
    let body = json!({"user_id": "eve", "room_id": room, "message": "hi"});
    server.post("post_comment", body).await.refused(403, "not_a_participant");
}

#[tokio::test]
async fn any_active_user_posts_in_a_public_room() {
    let server = TestServer::with_support_room().await;
    server.post("get_or_create_channel", json!({"unique_id": "news"})).await.results();
    server.post_comment("ana", "news", "anybody here?").await;
    server.delete("deactivate_users", json!({"user_ids": ["ana"]})).await.results();
    let body = json!({"user_id": "ana", "room_id": "news", "message": "still here"});
    server.post("post_comment", body).await.refused(403, "user_deactivated");
    assert_eq!(server.texts("news").await, ["anybody here?"]);
}

#[tokio::test]
async fn a_deactivated_user_cannot_post_until_reactivated() {
    let server = TestServer::with_support_room().await;
    let body = json!({"user_id": "ana", "room_id": "support", "message": "hi"});
    server.delete("deactivate_users", json!({"user_ids": ["ana"]})).await.results();
    let refused = server.post("post_comment", body.clone()).await;
    refused.refused(403, "user_deactivated").says("ana");
    server.post("reactivate_users", json!({"user_ids": ["ana"]})).await.results();
    server.post("post_comment", body).await.results();
    assert_eq!(server.texts("support").await, ["hi"]);
}

#[tokio::test]
async fn a_post_as_the_system_user_is_refused() {
    let server = TestServer::with_support_room().await;
    server.post("get_or_create_channel", json!({"unique_id": "news"})).await.results();
    for room in ["support", "news"] {
        let body = json!({"user_id": "system@shop", "room_id": room, "message": "hi"});
        server.post("post_comment", body).await.refused(403, "system_user");
        assert!(server.texts(room).await.is_empty());
    }
}
