//! `deactivate_users` and `reactivate_users` change all named users or none.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{keys, text};
use crate::support::caller::sent;
use crate::support::test_server::TestServer;

async fn with_two() -> TestServer {
    let server = TestServer::start().await;
    server.register("ana").await;
    server.register("bob").await;
    server
}

async fn is_active(server: &TestServer, user: &str) -> Value {
    server.get("user_profile", &[("user_id", user)]).await.results()["user"]["active"].take()
}

#[tokio::test]
async fn users_are_deactivated_and_reactivated_together() {
    let server = with_two().await;
    let both = json!({"user_ids": ["ana", "bob"]});
    let results = server.delete("deactivate_users", both.clone()).await.results();
    assert_eq!(keys(&results), ["message"]);
    assert_eq!(text(&results["message"]), "2 users deactivated");
    assert_eq!(is_active(&server, "ana").await, false);
    assert_eq!(is_active(&server, "bob").await, false);
    let results = server.post("reactivate_users", both).await.results();
    assert_eq!(results, json!({"message": "2 users reactivated"}));
    assert_eq!(is_active(&server, "bob").await, true);
}

#[tokio::test]
async fn one_unknown_user_fails_the_call_for_all() {
    let server = with_two().await;
    let body = json!({"user_ids": ["ana", "nobody", "no-one"]});
    let answer = server.delete("deactivate_users", body.clone()).await;
    answer.refused(404, "user_not_found").says("nobody, no-one");
    assert_eq!(is_active(&server, "ana").await, true);
    server.post("reactivate_users", body).await.refused(404, "user_not_found");
}

#[tokio::test]
async fn user_ids_can_be_in_the_query() {
    let server = with_two().await;
    let path = "deactivate_users?user_ids[]=ana&user_ids[]=bob";
    sent(server.request(Method::DELETE, path)).await.results();
    assert_eq!(is_active(&server, "ana").await, false);
    sent(server.request(Method::POST, "reactivate_users?user_ids[]=ana")).await.results();
    assert_eq!(is_active(&server, "ana").await, true);
}

#[tokio::test]
async fn a_call_without_users_or_with_over_100_is_refused() {
    let server = with_two().await;
    let many: Vec<_> = (0..101).map(|number| format!("user{number}")).collect();
    for wrong in [json!({}), json!({"user_ids": []}), json!({"user_ids": many})] {
        let answer = server.delete("deactivate_users", wrong.clone()).await;
        answer.refused(400, "invalid_request").says("user_ids");
        let answer = server.post("reactivate_users", wrong).await;
        answer.refused(400, "invalid_request").says("user_ids");
    }
}

#[tokio::test]
async fn a_deactivated_user_cannot_log_in_and_stays_in_its_rooms() {
    let server = TestServer::with_support_room().await;
    server.delete("deactivate_users", json!({"user_ids": ["ana"]})).await.results();
    let body = json!({"user_id": "ana", "username": "Ana again"});
    server.post("login_or_register", body).await.refused(403, "user_deactivated");
    assert_eq!(server.participants("support").await, ["ana", "bob"]);
}
