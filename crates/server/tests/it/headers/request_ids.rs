//! Every response has the id of its request in `x-request-id`, and in the body of a failure
//! (design/message-api).

use std::collections::HashSet;

use reqwest::Method;

use crate::support::answer::Answer;
use crate::support::caller::sent;
use crate::support::test_server::TestServer;

const FAILING: &str = "load_comments?room_id=nowhere";

async fn ask(server: &TestServer, call: &str, id: &[u8]) -> Answer {
    sent(server.request(Method::GET, call).header("x-request-id", id)).await
}

#[tokio::test]
async fn a_valid_request_id_of_the_caller_is_returned() {
    let server = TestServer::with_support_room().await;
    let longest = "x".repeat(64);
    for id in ["7", "abc-123_X.y", &longest] {
        for call in ["load_comments?room_id=support", "/health", "/nowhere", FAILING] {
            assert_eq!(ask(&server, call, id.as_bytes()).await.header("x-request-id"), id);
        }
        // `refused` compares the header with the body.
        let error = ask(&server, FAILING, id.as_bytes()).await;
        error.refused(404, "room_not_found");
        assert_eq!(error.json()["error"]["request_id"], id);
    }
}

#[tokio::test]
async fn an_invalid_request_id_of_the_caller_is_replaced() {
    let server = TestServer::with_support_room().await;
    let too_long = "x".repeat(65);
    for id in ["", "a b", "ana@example.org", "a\tb", "é", "<script>", &too_long] {
        let answer = ask(&server, FAILING, id.as_bytes()).await;
        let made = answer.header("x-request-id");
        assert!(!made.is_empty() && made != id, "{id:?} became {made:?}");
        assert!(made.chars().all(|c| c.is_ascii_hexdigit() || c == '-'), "{made}");
    }
}

#[tokio::test]
async fn every_response_has_a_unique_request_id() {
    let server = TestServer::with_support_room().await;
    let calls = [
        "load_comments?room_id=support",
        "load_comments",
        "/health",
        "/ready",
        "/metrics",
        "/openapi.json",
        "/docs/",
        "/nowhere",
        "post_comment",
    ];
    let mut ids = HashSet::new();
    for call in calls.iter().cycle().take(3 * calls.len()) {
        let answer = sent(server.request(Method::GET, call)).await;
        let id = answer.header("x-request-id").to_owned();
        assert!(!id.is_empty(), "{call}");
        assert!(ids.insert(id), "{call} has the id of another request");
    }
    let answer = sent(server.bare(Method::GET, "load_comments")).await;
    answer.refused(401, "unauthorized");
}
