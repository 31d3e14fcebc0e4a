//! `/realtime` as server-sent events.

use reqwest::Method;
use serde_json::Value;

use super::watcher::SOON;
use crate::support::caller::Caller;
use crate::support::test_server::TestServer;

/// A reader of an event stream.
pub(crate) struct Reader {
    response: reqwest::Response,
    text: String,
    /// Reconnection delay in milliseconds, once the server has sent it.
    pub(crate) comes_back_ms: Option<u64>,
}

impl Reader {
    pub(crate) async fn start(app: &Caller, user: &str, after: &str) -> Self {
        let token = app.token(user).await;
        let request = app.bare(Method::GET, "/realtime").header("SERVICE-SDK-TOKEN", token);
        let response = request.header("Last-Event-ID", after).send().await.expect("an answer");
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, text: String::new(), comes_back_ms: None }
    }

    /// Waits for the next event; returns its id and data.
    async fn next(&mut self) -> (String, Value) {
        self.next_or_end().await.expect("an event")
    }

    /// Waits for the next event; `None` if the server ended the stream.
    pub(crate) async fn next_or_end(&mut self) -> Option<(String, Value)> {
        loop {
            while let Some(end) = self.text.find("\n\n") {
                let event: String = self.text.drain(..end + 2).collect();
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
                if let Some(after) = field("retry: ") {
                    self.comes_back_ms = Some(after.parse().expect("milliseconds"));
                }
                if let Some(data) = field("data: ") {
                    let data = serde_json::from_str(data).expect("JSON");
                    return Some((field("id: ").unwrap_or_default().to_owned(), data));
                }
            }
            let chunk = tokio::time::timeout(SOON, self.response.chunk()).await.expect("in time");
            let chunk = chunk.expect("readable")?;
            self.text.push_str(std::str::from_utf8(&chunk).expect("text"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_delivers_messages_and_resumes_after_the_last_event_id() {
    let server = TestServer::with_support_room().await;
    let mut bob = Reader::start(&server, "bob", "").await;
    assert_eq!(bob.next().await.1["type"], "hello");
    server.post_comment("ana", "support", "one").await;
    let (seen, one) = bob.next().await;
    assert_eq!(one["data"]["message"], "one");
    drop(bob);
    server.post_comment("ana", "support", "two").await;
    let mut bob = Reader::start(&server, "bob", &seen).await;
    assert_eq!(bob.next().await.1["type"], "hello");
    assert_eq!(bob.next().await.1["data"]["message"], "two");
    server.post_comment("ana", "support", "three").await;
    assert_eq!(bob.next().await.1["data"]["message"], "three");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_when_its_token_is_reset() {
    let server = TestServer::with_support_room().await;
    let mut bob = Reader::start(&server, "bob", "").await;
    bob.next().await;
    let body = serde_json::json!({"user_id": "bob"});
    server.post("reset_user_token", body).await.results();
    let end = tokio::time::timeout(SOON, bob.response.chunk()).await.expect("in time");
    assert!(!matches!(end, Ok(Some(_))), "the stream is over");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_without_a_valid_token_is_refused() {
    let server = TestServer::with_support_room().await;
    for path in ["/realtime", "/realtime?token=", "/realtime?token=nonsense"] {
        let answer = crate::support::caller::sent(server.bare(Method::GET, path)).await;
        assert_eq!(answer.status, 403, "{path}");
    }
}
