//! One attempt at an endpoint, now.

use confab_test_servers::receiver::{Receiver, Reply};
use serde_json::{Value, json};

use crate::support::hooks::Hooks;
use crate::support::raw_connection::NOBODY;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn an_example_arrives_signed_and_is_stored_nowhere() {
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
    assert!(answer.contains("\"sdk_key\":\"***\""), "what comes back is masked: {answer}");
    assert_eq!(hooks.list(&[]).await, (vec![], None));
}

#[tokio::test]
async fn a_failure_is_told_in_one_word_and_in_words() {
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
