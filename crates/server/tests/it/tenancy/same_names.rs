//! Two apps can use the same names for different things.

use serde_json::json;

use crate::support::answer::text;
use crate::support::caller::unique_id;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn users_and_rooms_with_the_same_names_are_separate_in_each_app() {
    let server = TestServer::with_support_room().await;
    let other = server.create_app("other").await;
    other.furnish().await;
    server.post_comment("ana", "support", "in the shop").await;
    other.post_comment("ana", "support", "elsewhere").await;
    assert_eq!(server.texts("support").await, ["in the shop"]);
    assert_eq!(other.texts("support").await, ["elsewhere"]);
    assert_ne!(server.token("ana").await, other.token("ana").await);
    let body = json!({"user_id": "ana", "username": "Another Ana"});
    other.post("login_or_register", body).await.results();
    let ours = server.get("user_profile", &[("user_id", "ana")]).await.results();
    assert_eq!(text(&ours["user"]["username"]), "Ana");
    let pair = json!({"user_ids": ["ana", "bob"]});
    let here = server.post("get_or_create_room_with_target", pair.clone()).await.results();
    let there = other.post("get_or_create_room_with_target", pair).await.results();
    assert_ne!(here["room"]["room_id"], there["room"]["room_id"]);
}

#[tokio::test]
async fn the_same_unique_id_names_a_different_message_in_each_app() {
    let server = TestServer::with_support_room().await;
    let other = server.create_app("other").await;
    other.furnish().await;
    server.post_as_unique("ana", "support", "in the shop", "id-1").await.results();
    let theirs = other.post_as_unique("ana", "support", "elsewhere", "id-1").await.results();
    assert_eq!(theirs["comment"]["message"], "elsewhere");
    other.delete_messages(&["id-1"]).await.results();
    assert_eq!(server.texts("support").await, ["in the shop"]);
    assert!(other.texts("support").await.is_empty());
}

#[tokio::test]
async fn a_generated_unique_id_of_one_app_can_be_used_by_another() {
    let server = TestServer::with_support_room().await;
    let other = server.create_app("other").await;
    other.furnish().await;
    let ours = server.post_comment("ana", "support", "in the shop").await;
    let id = unique_id(&ours);
    let first = other.post_as_unique("ana", "support", "elsewhere", id).await.results();
    assert_eq!(first["comment"]["message"], "elsewhere");
    let again = other.post_as_unique("ana", "support", "elsewhere", id).await.results();
    assert_eq!(again, first, "posting it again returns the first message of the same app");
    other.delete_messages(&[id]).await.results();
    assert!(other.texts("support").await.is_empty());
    assert_eq!(server.texts("support").await, ["in the shop"]);
}

#[tokio::test]
async fn each_app_has_its_own_system_user() {
    let server = TestServer::with_support_room().await;
    let other = server.create_app("other").await;
    other.furnish().await;
    let event = other.post_system_event("support", "hello").await;
    assert_eq!(event["user"]["user_id"], "system@other");
    let answer = server.get("user_profile", &[("user_id", "system@other")]).await;
    answer.refused(404, "user_not_found");
}
