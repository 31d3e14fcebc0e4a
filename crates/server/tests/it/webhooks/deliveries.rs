//! Deliveries: filtered lists, pages, and single deliveries.

use confab_domain::webhooks::delivery::ErrorClass;
use serde_json::{Value, json};

use crate::support::answer::keys;
use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn pages_of_deliveries_are_newest_first_without_gaps() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    hooks.register("bot").await;
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(hooks.trigger("bot").await);
    }
    made.reverse();
    assert_eq!(hooks.list(&[]).await, (made.clone(), None));
    let (first, next) = hooks.list(&[("limit", "2")]).await;
    assert_eq!(first, made[..2]);
    let next = next.expect("there are more");
    let (second, next) = hooks.list(&[("limit", "2"), ("before", &next)]).await;
    assert_eq!(second, made[2..4]);
    let next = next.expect("there is one more");
    assert_eq!(hooks.list(&[("limit", "2"), ("before", &next)]).await, (made[4..].to_vec(), None));
    assert_eq!(
        hooks.list(&[("limit", "5")]).await.1,
        None,
        "a full page without older deliveries has no cursor"
    );
}

#[tokio::test]
async fn deliveries_are_filtered_by_each_property() {
    let server = TestServer::start_quiet().await;
    server.furnish().await;
    let hooks = Hooks::of(&server);
    for kind in ["bot", "logout"] {
        hooks.register(kind).await;
    }
    let (waiting, logout) = (hooks.trigger("bot").await, hooks.trigger("logout").await);
    let (failed, arrived) = (hooks.trigger("bot").await, hooks.trigger("bot").await);
    let data = hooks.post("/trigger", json!({"kind": "bot", "room_id": "support"})).await.data();
    let in_room = data["delivery_ids"][0].as_i64().expect("an id");
    server.record(failed, Some(ErrorClass::Status5xx), "down").await;
    server.record(arrived, None, "thanks").await;
    let room = hooks.delivery(in_room).await["room_id"].as_str().expect("a room").to_owned();
    let time = |delivery: &Value| delivery["created_at"].as_str().expect("a time").to_owned();
    let middle = time(&hooks.delivery(failed).await);
    for (query, expected) in [
        (vec![("kind", "logout")], vec![logout]),
        (vec![("kind", "new_session")], vec![]),
        (vec![("standing", "waiting")], vec![in_room, logout, waiting]),
        (vec![("standing", "failed")], vec![failed]),
        (vec![("standing", "delivered")], vec![arrived]),
        (vec![("standing", "parked")], vec![]),
        (vec![("error", "status_5xx")], vec![failed]),
        (vec![("error", "dns")], vec![]),
        (vec![("room_id", room.as_str())], vec![in_room]),
        (vec![("from", middle.as_str())], vec![in_room, arrived, failed]),
        (vec![("until", middle.as_str())], vec![logout, waiting]),
        (vec![("from", "2020-01-01T00:00:00Z"), ("until", "2020-01-02T00:00:00Z")], vec![]),
        (vec![("kind", "bot"), ("standing", "waiting"), ("until", &middle)], vec![waiting]),
    ] {
        assert_eq!(hooks.list(&query).await, (expected, None), "{query:?}");
    }
}

#[tokio::test]
async fn a_delivery_is_shown_with_its_attempts() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    hooks.register("bot").await;
    let id = hooks.trigger("bot").await;
    server.record(id, Some(ErrorClass::Status5xx), "down").await;
    let shown = hooks.delivery(id).await;
    let expected = [
        "attempt_list",
        "attempts",
        "body",
        "created_at",
        "due_at",
        "endpoint_id",
        "id",
        "kind",
        "last_error",
        "last_status",
        "room_id",
        "sequence",
        "standing",
        "url",
    ];
    assert_eq!(keys(&shown), expected);
    assert_eq!(shown["url"], "https://bot.example/hook");
    assert_eq!((&shown["last_status"], &shown["last_error"]), (&json!(503), &json!("status_5xx")));
    assert_eq!((&shown["attempts"], &shown["due_at"]), (&json!(1), &Value::Null));
    let attempt = &shown["attempt_list"][0];
    assert_eq!(
        keys(attempt),
        ["answer", "at", "error", "headers", "number", "peer", "phases_us", "status", "url"]
    );
    let phases = json!({"name": 120, "connect": 3000, "tls": null, "head": 45000, "body": 7});
    assert_eq!((&attempt["phases_us"], &attempt["answer"]), (&phases, &json!("down")));
    assert_eq!((&attempt["peer"], &attempt["number"]), (&json!("203.0.113.7:443"), &json!(1)));
    let listed = hooks.get("/deliveries", &[]).await.data()["deliveries"][0].take();
    for key in ["url", "last_status", "last_error", "standing", "created_at", "room_id"] {
        assert_eq!(listed[key], shown[key], "{key}");
    }
}

#[tokio::test]
async fn keys_in_bodies_are_masked_and_all_else_is_shown_byte_for_byte() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    for kind in ["bot", "logout", "agent_allocation"] {
        hooks.register(kind).await;
        let id = hooks.trigger(kind).await;
        let stored = server.stored(id).await.0.body;
        server.record(id, None, &stored).await;
        let shown = hooks.delivery(id).await;
        let body = shown["body"].as_str().expect("a text");
        let masked = stored.replace("\"example-sdk-key\"", "\"***\"");
        assert_eq!(body, masked, "{kind}");
        assert_eq!(shown["attempt_list"][0]["answer"], *masked, "an echo is masked too");
        assert_eq!(stored.contains("sdk_key"), kind != "bot", "{kind}");
        let logged = server.get("webhook_logs", &[]).await;
        assert!(!logged.text.contains("example-sdk-key"), "{kind}");
    }
}

#[tokio::test]
async fn every_invalid_filter_is_reported_and_unknown_deliveries_are_not_found() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    let query = [
        ("kind", "x"),
        ("standing", "x"),
        ("error", "x"),
        ("room_id", "x"),
        ("from", "x"),
        ("until", "x"),
        ("before", "x"),
        ("limit", "0"),
    ];
    let refused = hooks.get("/deliveries", &query).await.errors(400, "invalid_request");
    assert_eq!(refused.details.len(), query.len(), "{refused:?}");
    for id in ["1", "0", "-1", "x", "01", "99999999999999999999"] {
        let answer = hooks.get(&format!("/deliveries/{id}"), &[]).await;
        answer.errors(404, "delivery_not_found").says(id);
        let answer = hooks.post(&format!("/deliveries/{id}/replay"), json!({})).await;
        answer.errors(404, "delivery_not_found").says(id);
    }
}
