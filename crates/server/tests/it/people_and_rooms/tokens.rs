//! `get_user_token` and `reset_user_token`.

use serde_json::json;

use crate::support::answer::{keys, text};
use crate::support::test_server::TestServer;

#[tokio::test]
async fn a_token_is_unchanged_until_it_is_reset() {
    let server = TestServer::start().await;
    server.register("ana").await;
    let results = server.get("get_user_token", &[("user_id", "ana")]).await.results();
    assert_eq!(keys(&results), ["token"]);
    let old = server.token("ana").await;
    assert_eq!(text(&results["token"]), old);
    assert!(old.len() >= 32, "the token is too long to be guessed");
    let reset = server.post("reset_user_token", json!({"user_id": "ana"})).await.results();
    assert_eq!(keys(&reset), ["token"]);
    let new = server.token("ana").await;
    assert_ne!(new, old);
    assert_eq!(text(&reset["token"]), new);
}

#[tokio::test]
async fn every_user_has_their_own_token() {
    let server = TestServer::start().await;
    server.register("ana").await;
    server.register("bob").await;
    let bobs = server.token("bob").await;
    assert_ne!(server.token("ana").await, bobs);
    server.post("reset_user_token", json!({"user_id": "ana"})).await.results();
    assert_eq!(server.token("bob").await, bobs);
}

#[tokio::test]
async fn reading_or_resetting_the_token_of_an_unknown_user_fails() {
    let server = TestServer::start().await;
    let answer = server.get("get_user_token", &[("user_id", "nobody")]).await;
    answer.refused(404, "user_not_found");
    let answer = server.post("reset_user_token", json!({"user_id": "nobody"})).await;
    answer.refused(404, "user_not_found");
    server.get("get_user_token", &[]).await.refused(400, "invalid_request").says("user_id");
    let answer = server.post("reset_user_token", json!({})).await;
    answer.refused(400, "invalid_request").says("user_id");
}

#[tokio::test]
async fn the_token_of_the_system_user_cannot_be_read_or_reset() {
    let server = TestServer::start().await;
    let system = format!("system@{}", server.code);
    let answer = server.get("get_user_token", &[("user_id", &system)]).await;
    answer.refused(403, "system_user");
    let answer = server.post("reset_user_token", json!({"user_id": system})).await;
    answer.refused(403, "system_user");
}
