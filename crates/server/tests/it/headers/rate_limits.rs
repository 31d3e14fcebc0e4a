//! Rate limits per app and per posting user (design/sign-in-and-limits).

use futures_util::future::join_all;
use serde_json::json;

use crate::support::answer::Answer;
use crate::support::caller::Caller;
use crate::support::test_server::TestServer;
use crate::support::waiting::until_status;

fn number(answer: &Answer, header: &str) -> u64 {
    let value = answer.header(header);
    value.parse().unwrap_or_else(|_| panic!("{header}: {value:?}"))
}

async fn profile(caller: &Caller) -> Answer {
    caller.get("user_profile", &[("user_id", "nobody")]).await
}

#[tokio::test]
async fn every_response_to_an_app_has_rate_limit_headers() {
    let server = TestServer::start().await;
    server.register("ana").await;
    let success = server.get("user_profile", &[("user_id", "ana")]).await;
    let failure = profile(&server).await;
    for answer in [success, failure] {
        assert_eq!(number(&answer, "ratelimit-limit"), 20_000);
        let remaining = number(&answer, "ratelimit-remaining");
        assert!((19_000..20_000).contains(&remaining), "{remaining}");
        assert!(number(&answer, "ratelimit-reset") >= 1);
        assert_eq!(answer.header("retry-after"), "");
    }
}

#[tokio::test]
async fn an_app_over_its_rate_limit_is_refused_and_other_apps_are_not() {
    let server = TestServer::start_with(&[("app_requests_per_second", "2")]).await;
    let other = server.create_app("other").await;
    let first = profile(&server).await;
    assert_eq!(first.status, 404);
    assert_eq!(number(&first, "ratelimit-limit"), 2);
    assert_eq!(number(&first, "ratelimit-remaining"), 1);
    let limited = until_status(429, async || profile(&server).await).await;
    limited.refused(429, "rate_limited").says("too many requests");
    assert!((1..=2).contains(&number(&limited, "retry-after")));
    assert_eq!(number(&limited, "ratelimit-limit"), 2);
    assert_eq!(number(&limited, "ratelimit-remaining"), 0);
    assert!(number(&limited, "ratelimit-reset") >= 1);
    profile(&other).await.refused(404, "user_not_found");
    until_status(404, async || profile(&server).await).await;
}

#[tokio::test]
async fn a_post_refused_by_the_rate_limit_stores_nothing() {
    let server = TestServer::start_with(&[("app_requests_per_second", "5")]).await;
    let patient = async |call: &str, body: serde_json::Value| {
        until_status(200, async || server.post(call, body.clone()).await).await.results()
    };
    patient("login_or_register", json!({"user_id": "ana", "username": "Ana"})).await;
    let room = json!({"room_name": "R", "unique_id": "support", "participants": ["ana"]});
    patient("create_room", room).await;
    let post = json!({"user_id": "ana", "room_id": "support", "message": "hello"});
    // Concurrent requests, because sequential ones could be slow enough to stay below the limit.
    let posts = (0..30).map(|_| server.post("post_comment", post.clone()));
    let mut accepted = 0;
    for answer in join_all(posts).await {
        match answer.status {
            200 => accepted += 1,
            _ => drop(answer.refused(429, "rate_limited")),
        }
    }
    let query = [("room_id", "support"), ("limit", "100")];
    let page =
        until_status(200, async || server.get("load_comments", &query).await).await.results();
    assert!(accepted < 30, "some posts are over the limit");
    assert_eq!(page["comments"].as_array().map(Vec::len), Some(accepted));
}

#[tokio::test]
async fn a_user_over_the_posting_limit_is_refused_and_other_users_are_not() {
    let server = TestServer::start_with(&[("user_posts_per_second", "1")]).await;
    server.furnish().await;
    let post = |user: &str| json!({"user_id": user, "room_id": "support", "message": user});
    let limited = until_status(429, async || server.post("post_comment", post("ana")).await).await;
    limited.refused(429, "rate_limited").says("too many messages");
    assert_eq!(number(&limited, "retry-after"), 1);
    server.post("post_comment", post("bob")).await.results();
    server.get("load_comments", &[("room_id", "support")]).await.results();
    server.post_system_event("support", "an event").await;
    until_status(200, async || server.post("post_comment", post("ana")).await).await;
}

#[tokio::test]
async fn users_with_the_same_id_in_two_apps_have_separate_limits() {
    let server = TestServer::start_with(&[("user_posts_per_second", "1")]).await;
    let other = server.create_app("other").await;
    server.furnish().await;
    other.furnish().await;
    let post = json!({"user_id": "ana", "room_id": "support", "message": "hello"});
    until_status(429, async || server.post("post_comment", post.clone()).await).await;
    other.post("post_comment", post).await.results();
}

#[tokio::test]
async fn a_limit_of_zero_is_unlimited() {
    let off = [("app_requests_per_second", "0"), ("user_posts_per_second", "0")];
    let server = TestServer::start_with(&off).await;
    server.furnish().await;
    let post = json!({"user_id": "ana", "room_id": "support", "message": "hello"});
    let answer = server.post("post_comment", post).await;
    answer.results();
    assert_eq!(answer.header("ratelimit-limit"), "");
}

#[tokio::test]
async fn invalid_credentials_do_not_use_up_the_limit_of_an_app() {
    let server = TestServer::start_with(&[("app_requests_per_second", "1")]).await;
    let stranger = server.with_secret("guess");
    for _ in 0..20 {
        profile(&stranger).await.refused(401, "unauthorized");
    }
    profile(&server).await.refused(404, "user_not_found");
}
