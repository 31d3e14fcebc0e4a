//! Tests of an endpoint: one immediate attempt.

use confab_test_servers::receiver::{Receiver, Reply};
use serde_json::{Value, json};

use crate::support::hooks::Hooks;
use crate::support::raw_connection::NOBODY;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn an_endpoint_test_sends_a_signed_example_and_stores_nothing() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    let receiver = Receiver::replying(|it| Reply::status(200).body(it.body())).await;
    hooks.put("/endpoints/logout", json!({"url": receiver.url})).await.data();
    let attempt = hooks.post("/endpoints/logout/test", json!({})).await.data()["attempt"].take();
    assert_eq!((&attempt["status"], &attempt["error"]), (&json!(200), &Value::Null));
    assert_eq!(attempt["number"], 1);
    assert!(attempt["phases_us"]["connect"].is_u64());
    let received = receiver.next().await;
    received.check_signature("secret-key-of-shop");
    let header = |name: &str| received.header(name);
    assert_eq!((header("webhook-depth"), header("webhook-attempt")), ("1", "1"));
    assert!(received.text().contains("example-sdk-key"));
    let answer = attempt["answer"].as_str().expect("text");
    assert!(answer.contains("\"sdk_key\":\"***\""), "the key in the echo is masked: {answer}");
    assert_eq!(hooks.list(&[]).await, (vec![], None));
}

#[tokio::test]
async fn a_failed_endpoint_test_returns_an_error_class_and_a_description() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    let receiver = Receiver::replying(|_| 500).await;
    hooks.put("/endpoints/bot", json!({"url": receiver.url})).await.data();
    let attempt = hooks.post("/endpoints/bot/test", json!({})).await.data()["attempt"].take();
    assert_eq!((&attempt["status"], &attempt["error"]), (&json!(500), &json!("status_5xx")));
    hooks.put("/endpoints/bot", json!({"url": NOBODY})).await.data();
    let attempt = hooks.post("/endpoints/bot/test", json!({})).await.data()["attempt"].take();
    assert_eq!((&attempt["status"], &attempt["error"]), (&Value::Null, &json!("connect_refused")));
    assert_ne!(attempt["answer"], "");
}
