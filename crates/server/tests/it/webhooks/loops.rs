//! Webhook loops are detected by the depth of nested webhooks.

use reqwest::Method;

use crate::support::answer::Answer;
use crate::support::caller::sent;
use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;

async fn trigger_after(hooks: &Hooks, depth: &str) -> Answer {
    let request = hooks.request(Method::POST, "/trigger").header("webhook-depth", depth);
    sent(request.body(r#"{"kind":"bot"}"#)).await
}

#[tokio::test]
async fn a_fourth_nested_webhook_is_refused_and_counted() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    hooks.register("bot").await;
    // Nothing is counted before the first request for metrics.
    server.metrics().await;
    for (depth, expected) in [("0", 1), ("1", 2), ("2", 3)] {
        let data = trigger_after(&hooks, depth).await.data();
        let id = data["delivery_ids"][0].as_i64().expect("an id");
        assert_eq!(server.stored(id).await.0.depth, expected);
    }
    for depth in ["3", "4", "4294967295"] {
        trigger_after(&hooks, depth).await.errors(400, "webhook_loop").says("webhooks");
    }
    let request = hooks.request(Method::POST, "/endpoints/bot/test").header("webhook-depth", "3");
    sent(request).await.errors(400, "webhook_loop");
    let counted = server.metrics().await;
    assert!(counted.contains("confab_webhook_loops_total"), "{counted}");
    assert_eq!(hooks.list(&[]).await.0.len(), 3, "a refused request changes nothing");
    for nonsense in ["", "x", "-1", "99999999999"] {
        trigger_after(&hooks, nonsense).await.errors(400, "invalid_request").says("webhook-depth");
    }
}
