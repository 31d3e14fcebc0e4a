//! Listening: polling for events, without a public URL.

use confab_verify::{standard, verify};
use serde_json::{Value, json};

use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;

async fn listen(hooks: &Hooks, query: &[(&str, &str)]) -> (Vec<Value>, String) {
    let data = hooks.get("/listen", query).await.data();
    let next = data["next"].as_i64().expect("a cursor").to_string();
    (data["events"].as_array().expect("a list").clone(), next)
}

#[tokio::test]
async fn a_listener_receives_signed_events_without_an_endpoint() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    let (events, next) = listen(&hooks, &[("wait_seconds", "0")]).await;
    assert!(events.is_empty());
    let data = hooks.post("/trigger", json!({"kind": "logout"})).await.data();
    assert_eq!(data, json!({"delivery_ids": [], "listeners": 1}));
    let (events, next) = listen(&hooks, &[("after", &next), ("wait_seconds", "25")]).await;
    assert_eq!(events.len(), 1);
    let event = &events[0];
    assert_eq!((&event["kind"], &event["room_id"]), (&json!("logout"), &Value::Null));
    let body = event["body"].as_str().expect("a text");
    assert!(body.contains("example-sdk-key"), "the signed bytes are not masked");
    let header = |name: &str| event["headers"][name].as_str().expect("a header");
    let key = "secret-key-of-shop";
    assert_eq!(verify(key, body.as_bytes(), header("service-signature-key")), Ok(()));
    let (id, timestamp) = (header("webhook-id"), header("webhook-timestamp"));
    let headers = standard::Headers { id, timestamp, signature: header("webhook-signature") };
    let now = timestamp.parse().expect("seconds");
    assert_eq!(standard::verify(key, headers, body.as_bytes(), now), Ok(()));
    assert_eq!(header("webhook-depth"), "1");
    assert_eq!(header("content-type"), "application/json");
    let (events, _) = listen(&hooks, &[("after", &next), ("wait_seconds", "0")]).await;
    assert!(events.is_empty(), "an event is returned once");
}

#[tokio::test]
async fn a_waiting_listener_receives_an_event_with_the_id_of_its_delivery() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    hooks.register("bot").await;
    let (_, next) = listen(&hooks, &[("wait_seconds", "0")]).await;
    let query = [("after", next.as_str()), ("wait_seconds", "25")];
    let (polled, id) = tokio::join!(listen(&hooks, &query), hooks.trigger("bot"));
    let (events, _) = polled;
    assert_eq!(events[0]["headers"]["webhook-id"], format!("msg_{id}"));
    assert_eq!(events[0]["body"], *server.stored(id).await.0.body);
    assert_eq!(events[0]["room_id"], hooks.delivery(id).await["room_id"]);
}

#[tokio::test]
async fn listeners_get_no_events_of_other_apps_and_invalid_queries_are_refused() {
    let server = TestServer::start_quiet().await;
    let (hooks, other) = (Hooks::of(&server), Hooks::of(&server.create_app("other").await));
    let (_, next) = listen(&other, &[("wait_seconds", "0")]).await;
    listen(&hooks, &[("wait_seconds", "0")]).await;
    let data = hooks.post("/trigger", json!({"kind": "bot"})).await.data();
    assert_eq!(data["listeners"], 1);
    let (events, _) = listen(&other, &[("after", &next), ("wait_seconds", "0")]).await;
    assert!(events.is_empty());
    let (events, _) = listen(&other, &[("after", "0"), ("wait_seconds", "0")]).await;
    assert!(events.is_empty());
    let answer = hooks.get("/listen", &[("after", "x"), ("wait_seconds", "26")]).await;
    assert_eq!(answer.errors(400, "invalid_request").details.len(), 2);
}
