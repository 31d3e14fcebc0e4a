//! S17: a chain of webhooks that trigger webhooks ends after three.

use std::sync::Arc;

use confab_test_servers::receiver::Receiver;
use reqwest::Method;
use serde_json::json;
use tokio::sync::mpsc;

use crate::support::caller::{Caller, sent, with_json};
use crate::support::test_server::TestServer;
use crate::support::waiting::until;

/// Starts a receiver that triggers another webhook for each one, and reports the responses.
async fn relay(shop: Caller) -> (Receiver, mpsc::UnboundedReceiver<(u32, u16, String)>) {
    let (report, answers) = mpsc::unbounded_channel();
    let receiver = Receiver::replying(move |seen| {
        let (shop, depth, report) = (shop.clone(), seen.depth, report.clone());
        tokio::spawn(async move {
            let request = shop.webhooks(Method::POST, "/trigger");
            let request = request.header("webhook-depth", depth.to_string());
            let answer = sent(with_json(request, &json!({"kind": "bot"}))).await;
            let _ = report.send((depth, answer.status, answer.text));
        });
        200
    })
    .await;
    (receiver, answers)
}

#[tokio::test]
async fn s17_a_loop_of_webhooks_ends_at_depth_three_and_is_counted() {
    let server = TestServer::start().await;
    // Metrics are counted from the first request for them.
    let before = server.metric("confab_webhook_loops_total").await;
    let shop = Arc::new(server.create_app("looping").await);
    let (receiver, mut answers) = relay((*shop).clone()).await;
    shop.tell("bot", &receiver.url, &json!({})).await;
    shop.trigger("bot", None).await;
    let mut found = Vec::new();
    while found.last().is_none_or(|(_, status, _)| *status == 200) {
        found.push(answers.recv().await.expect("the relay is running"));
    }
    let depths: Vec<_> = found.iter().map(|(depth, status, _)| (*depth, *status)).collect();
    assert_eq!(depths[..2], [(1, 200), (2, 200)]);
    let (depth, status, text) = &found[2];
    assert!(*depth == 3 && (400..500).contains(status), "{depth} {status} {text}");
    shop.nothing_waits().await;
    let counted = until("the loop is counted", async || {
        let counted = server.metric("confab_webhook_loops_total").await;
        (counted > before).then_some(counted - before)
    })
    .await;
    let seen = receiver.count();
    println!("S17: {seen} webhooks, refused after depth {depth} ({status}), {counted} counted");
    assert_eq!(seen, 3);
}
