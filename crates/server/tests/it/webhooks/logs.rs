//! The log of attempts in the message API (wire facts 3.1).

use confab_domain::webhooks::delivery::ErrorClass;
use serde_json::{Value, json};

use crate::support::answer::keys;
use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;

async fn logs(server: &TestServer, query: &[(&str, &str)]) -> Vec<Value> {
    let results = server.get("webhook_logs", query).await.results();
    assert_eq!(keys(&results), ["webhook_logs"]);
    results["webhook_logs"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn attempts_are_listed_newest_first_page_by_page() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    for kind in ["bot", "logout"] {
        hooks.register(kind).await;
    }
    assert_eq!(logs(&server, &[]).await, Vec::<Value>::new());
    let (first, second) = (hooks.trigger("bot").await, hooks.trigger("logout").await);
    server.record(first, Some(ErrorClass::Dns), "no such name").await;
    hooks.post(&format!("/deliveries/{first}/replay"), json!({})).await.data();
    server.record(first, Some(ErrorClass::Status5xx), "down").await;
    server.record(second, None, "thanks").await;
    let all = logs(&server, &[]).await;
    let expected = [
        "attempted_at",
        "endpoint",
        "error_message",
        "id",
        "is_success",
        "request_body",
        "response_body",
        "response_code",
    ];
    assert_eq!(keys(&all[0]), expected);
    let shown = |log: &Value| {
        json!([
            log["id"],
            log["is_success"],
            log["error_message"],
            log["response_body"],
            log["response_code"],
            log["endpoint"]
        ])
    };
    let bot = "https://bot.example/hook";
    assert_eq!(
        all.iter().map(shown).collect::<Vec<_>>(),
        [
            json!([second, true, "", "thanks", 200, "https://logout.example/hook"]),
            json!([first, false, "status_5xx", "down", 503, bot]),
            json!([first, false, "dns: no such name", "", 0, bot]),
        ]
    );
    let at = all[0]["attempted_at"].as_str().expect("a time");
    assert!(at.len() == 20 && at.ends_with('Z'), "to the second: {at}");
    let body = all[1]["request_body"].as_str().expect("a text");
    assert_eq!(body, &*server.stored(first).await.0.body, "byte for byte");
    assert_eq!(logs(&server, &[("limit", "1"), ("page", "2")]).await, all[1..2]);
    assert_eq!(logs(&server, &[("page", "2")]).await, Vec::<Value>::new());
}

#[tokio::test]
async fn the_type_filter_lists_only_webhooks_of_messages_from_that_source() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    for kind in ["bot", "logout"] {
        hooks.register(kind).await;
        let id = hooks.trigger(kind).await;
        server.record(id, None, "").await;
    }
    assert_eq!(logs(&server, &[("type", "all")]).await.len(), 2);
    assert_eq!(logs(&server, &[("type", "mobile")]).await.len(), 1);
    assert_eq!(logs(&server, &[("type", "rest")]).await.len(), 0);
    let answer = server.get("webhook_logs", &[("type", "web")]).await;
    answer.refused(400, "invalid_request").says("all, mobile or rest");
}
