//! S17: webhooks that lead to webhooks end after three.

use std::sync::Arc;

use confab_test_servers::receiver::Receiver;
use reqwest::Method;
use serde_json::json;
use tokio::sync::mpsc;

use crate::support::caller::{Caller, sent, with_json};
use crate::support::test_server::TestServer;
use crate::support::waiting::until;

/// A receiver that answers each webhook by causing another, and says what led to it.
async fn relay(shop: Caller) -> (Receiver, mpsc::UnboundedReceiver<(u32, u16, String)>) {
    let (told, answers) = mpsc::unbounded_channel();
    let receiver = Receiver::replying(move |seen| {
        let (shop, depth, told) = (shop.clone(), seen.depth, told.clone());
        tokio::spawn(async move {
            let request = shop.webhooks(Method::POST, "/trigger");
            let request = request.header("webhook-depth", depth.to_string());
            let answer = sent(with_json(request, &json!({"kind": "bot"}))).await;
            let _ = told.send((depth, answer.status, answer.text));
        });
        200
    })
    .await;
    (receiver, answers)
}

#[tokio::test]
async fn s17_a_loop_of_webhooks_ends_at_depth_three_and_is_counted() {
    let server = TestServer::start().await;
    // Numbers are kept from the moment somebody is there to ask for them.
    let before = server.metric("confab_webhook_loops_total").await;
    let shop = Arc::new(server.create_app("looping").await);
    let (receiver, mut answers) = relay((*shop).clone()).await;
    shop.tell("bot", &receiver.url, &json!({})).await;
    shop.trigger("bot", None).await;
    let mut found = Vec::new();
    while found.last().is_none_or(|(_, status, _)| *status == 200) {
        found.push(answers.recv().await.expect("the relay lives"));
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
