//! One attempt at an endpoint, now.

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use confab_verify::verify;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::hooks::Hooks;
use crate::raw_connection::NOBODY;
use crate::test_server::TestServer;

/// A receiver that answers all alike and hands on what it got.
async fn receiver(status: u16) -> (String, mpsc::UnboundedReceiver<(HeaderMap, Bytes)>) {
    let (got, received) = mpsc::unbounded_channel();
    let handler = move |headers: HeaderMap, body: Bytes| async move {
        let _ = got.send((headers, body.clone()));
        (StatusCode::from_u16(status).expect("a status"), body)
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let router = Router::new().fallback(handler);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (format!("http://{address}/hook"), received)
}

#[tokio::test]
async fn an_example_arrives_signed_and_is_stored_nowhere() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    let (url, mut received) = receiver(200).await;
    hooks.put("/endpoints/logout", json!({"url": url})).await.data();
    let attempt = hooks.post("/endpoints/logout/test", json!({})).await.data()["attempt"].take();
    assert_eq!((&attempt["status"], &attempt["error"]), (&json!(200), &Value::Null));
    assert_eq!(attempt["number"], 1);
    assert!(attempt["phases_us"]["connect"].is_u64());
    let (headers, body) = received.recv().await.expect("it arrived");
    let header = |name: &str| headers[name].to_str().expect("text").to_owned();
    let signature = header("service-signature-key");
    assert_eq!(verify("secret-key-of-shop", &body, &signature), Ok(()));
    assert_eq!((header("webhook-depth"), header("webhook-attempt")), ("1".into(), "1".into()));
    let sent = String::from_utf8(body.to_vec()).expect("text");
    assert!(sent.contains("example-sdk-key"));
    let answer = attempt["answer"].as_str().expect("text");
    assert!(answer.contains("\"sdk_key\":\"***\""), "what comes back is masked: {answer}");
    assert_eq!(hooks.list(&[]).await, (vec![], None));
}

#[tokio::test]
async fn a_failure_is_told_in_one_word_and_in_words() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    let (url, _received) = receiver(500).await;
    hooks.put("/endpoints/bot", json!({"url": url})).await.data();
    let attempt = hooks.post("/endpoints/bot/test", json!({})).await.data()["attempt"].take();
    assert_eq!((&attempt["status"], &attempt["error"]), (&json!(500), &json!("status_5xx")));
    hooks.put("/endpoints/bot", json!({"url": NOBODY})).await.data();
    let attempt = hooks.post("/endpoints/bot/test", json!({})).await.data()["attempt"].take();
    assert_eq!((&attempt["status"], &attempt["error"]), (&Value::Null, &json!("connect_refused")));
    assert_ne!(attempt["answer"], "");
}
