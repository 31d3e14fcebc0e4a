//! Endpoints: registering, changing, pausing.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{each, keys};
use crate::support::caller::sent;
use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn an_endpoint_is_registered_shown_and_changed() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    assert_eq!(hooks.get("/endpoints", &[]).await.data(), json!({"endpoints": []}));
    let body = json!({"url": "https://bot.example/hook?x=1"});
    let new = hooks.put("/endpoints/bot", body).await.data()["endpoint"].take();
    let expected = [
        "at_once_max",
        "block_s",
        "created_at",
        "failing_since",
        "id",
        "is_deletable",
        "is_enabled",
        "is_paused",
        "kind",
        "name",
        "oldest_waiting_at",
        "per_second_max",
        "state",
        "timeout_ms",
        "updated_at",
        "url",
        "waiting",
    ];
    assert_eq!(keys(&new), expected);
    assert_eq!((&new["kind"], &new["state"]), (&json!("bot"), &json!("healthy")));
    assert_eq!((&new["timeout_ms"], &new["at_once_max"]), (&json!(10_000), &json!(64)));
    assert_eq!((&new["per_second_max"], &new["block_s"]), (&Value::Null, &json!(900)));
    assert_eq!((&new["waiting"], &new["oldest_waiting_at"]), (&json!(0), &Value::Null));
    hooks.register("new_session").await;
    let change = json!({
        "url": "https://other.example/", "is_enabled": false, "timeout_ms": "500",
        "at_once_max": 2, "per_second_max": 7, "block_s": 0,
    });
    hooks.put("/endpoints/bot", change).await.data();
    let all = hooks.get("/endpoints", &[]).await.data()["endpoints"].take();
    assert_eq!(each(&all, "kind"), ["bot", "new_session"]);
    assert_eq!(all[0]["created_at"], new["created_at"], "the endpoint was not replaced");
    assert_ne!(all[0]["updated_at"], new["updated_at"]);
    assert_eq!((&all[0]["state"], &all[0]["is_enabled"]), (&json!("disabled"), &json!(false)));
    let policy = ["timeout_ms", "at_once_max", "per_second_max", "block_s"];
    assert_eq!(policy.map(|key| all[0][key].as_i64()), [500, 2, 7, 0].map(Some));
}

#[tokio::test]
async fn an_endpoint_may_be_registered_with_a_form() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    let request = hooks.request(Method::PUT, "/endpoints/logout");
    let request = request.header("Content-Type", "application/x-www-form-urlencoded");
    let answer = sent(request.body("url=https%3A%2F%2Fa.example%2F&is_enabled=0")).await;
    assert_eq!(answer.data()["endpoint"]["state"], "disabled");
}

#[tokio::test]
async fn a_paused_endpoint_stays_paused_when_changed_until_it_is_resumed() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    hooks.register("bot").await;
    let paused = hooks.post("/endpoints/bot/pause", json!({})).await.data();
    assert_eq!(paused["endpoint"]["state"], "paused");
    assert_eq!(hooks.register("bot").await["state"], "paused");
    hooks.trigger("bot").await;
    let shown = hooks.get("/endpoints", &[]).await.data()["endpoints"][0].take();
    assert_eq!((&shown["is_paused"], &shown["waiting"]), (&json!(true), &json!(1)));
    assert!(shown["oldest_waiting_at"].is_string());
    let resumed = hooks.post("/endpoints/bot/resume", Value::Null).await.data();
    assert_eq!(
        (&resumed["endpoint"]["state"], &resumed["endpoint"]["waiting"]),
        (&json!("healthy"), &json!(1))
    );
}

#[tokio::test]
async fn an_invalid_endpoint_is_refused_with_every_reason() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    let answer = hooks.put("/endpoints/bot", json!({"timeout_ms": 1, "block_s": "x"})).await;
    let refused = answer.errors(400, "invalid_request");
    assert_eq!(refused.details.len(), 3, "{refused:?}");
    refused.says("url is required");
    for url in [
        "ftp://a.example/",
        "a.example",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest",
        "https://user:pass@a.example/",
        "http://8.8.8.8:6379/",
        "http://metadata.google.internal/",
    ] {
        let answer = hooks.put("/endpoints/bot", json!({"url": url})).await;
        answer.errors(400, "invalid_request").says("url cannot be called");
    }
    let answer = hooks.put("/endpoints/bot", json!([1])).await;
    answer.errors(400, "invalid_request").says("must be a JSON object");
    assert_eq!(hooks.get("/endpoints", &[]).await.data(), json!({"endpoints": []}));
}

#[tokio::test]
async fn private_targets_are_accepted_only_in_networks_that_the_operator_allows() {
    let server = TestServer::start_with(&[("webhook_allow", "10.0.0.0/8")]).await;
    let hooks = Hooks::of(&server);
    hooks.put("/endpoints/bot", json!({"url": "http://10.1.2.3:8080/"})).await.data();
    let answer = hooks.put("/endpoints/bot", json!({"url": "http://192.168.1.1/"})).await;
    answer.errors(400, "invalid_request");
}

#[tokio::test]
async fn unknown_kinds_and_endpoints_are_not_found() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    let answer = hooks.put("/endpoints/bots", json!({"url": "https://a.example/"})).await;
    answer.errors(404, "kind_not_found").says("agent_allocation");
    for verb in ["pause", "resume", "test"] {
        let answer = hooks.post(&format!("/endpoints/auth/{verb}"), json!({})).await;
        answer.errors(404, "kind_not_found");
        let answer = hooks.post(&format!("/endpoints/bot/{verb}"), json!({})).await;
        answer.errors(404, "endpoint_not_found").says("bot");
    }
    let answer = hooks.post("/endpoints/%ff/pause", json!({})).await;
    assert!(matches!(answer.status, 400 | 404), "{}", answer.text);
}
