//! Replays of single deliveries and of filtered sets.

use confab_domain::webhooks::delivery::{DeliveryState, ErrorClass};
use serde_json::{Value, json};

use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn a_replayed_delivery_waits_again_and_keeps_its_attempts() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    hooks.register("bot").await;
    let id = hooks.trigger("bot").await;
    server.record(id, Some(ErrorClass::Dns), "no such name").await;
    assert_eq!(hooks.delivery(id).await["standing"], "failed");
    let path = format!("/deliveries/{id}/replay");
    let delivery = hooks.post(&path, json!({})).await.data()["delivery"].take();
    assert_eq!((&delivery["standing"], &delivery["attempts"]), (&json!("waiting"), &json!(1)));
    assert!(delivery["due_at"].is_string() && delivery.get("body").is_none());
    let (_, progress, attempts) = server.stored(id).await;
    assert_eq!((progress.standing, progress.tries), (DeliveryState::Waiting, 0));
    assert_eq!((attempts.len(), progress.due_at), (1, progress.since));
    let again = hooks.post(&path, Value::Null).await.data();
    assert_eq!(again["delivery"]["standing"], "waiting", "a waiting delivery becomes due");
    assert!(server.stored(id).await.1.due_at > progress.due_at);
}

#[tokio::test]
async fn a_bulk_replay_selects_matching_deliveries_only_failed_ones_by_default() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    for kind in ["bot", "new_session"] {
        hooks.register(kind).await;
    }
    let mut failed = Vec::new();
    for error in [ErrorClass::Dns, ErrorClass::Tls, ErrorClass::Dns] {
        let id = hooks.trigger("bot").await;
        server.record(id, Some(error), "").await;
        failed.push(id);
    }
    let (arrived, waiting) = (hooks.trigger("bot").await, hooks.trigger("new_session").await);
    server.record(arrived, None, "").await;
    let before = server.stored(waiting).await.1;
    let replay = async |body: Value| hooks.post("/replay", body).await.data();
    let nothing = json!({"replayed": 0, "next": null});
    assert_eq!(replay(json!({"kind": "new_session"})).await, nothing);
    assert_eq!(replay(json!({"until": "2020-01-01T00:00:00Z"})).await, nothing);
    assert_eq!(replay(json!({"room_id": 1})).await, nothing);
    assert_eq!(replay(json!({"error": "dns"})).await, json!({"replayed": 2, "next": null}));
    assert_eq!(hooks.list(&[("standing", "failed")]).await.0, [failed[1]]);
    assert_eq!(replay(json!({})).await, json!({"replayed": 1, "next": null}));
    assert_eq!(hooks.list(&[("standing", "failed")]).await, (vec![], None));
    assert_eq!(hooks.delivery(arrived).await["standing"], "delivered");
    assert_eq!(server.stored(waiting).await.1, before, "the waiting delivery is unchanged");
    let answer = replay(json!({"standing": "delivered"})).await;
    assert_eq!(answer, json!({"replayed": 1, "next": null}));
    let after = json!({"standing": "waiting", "after": failed[2].to_string()});
    assert_eq!(replay(after).await["replayed"], 2, "only deliveries after the cursor");
}

#[tokio::test]
async fn an_invalid_replay_is_refused_with_every_reason() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    let body = json!({"kind": "x", "standing": 1, "from": "now", "after": []});
    let refused = hooks.post("/replay", body).await.errors(400, "invalid_request");
    assert_eq!(refused.details.len(), 4, "{refused:?}");
}
