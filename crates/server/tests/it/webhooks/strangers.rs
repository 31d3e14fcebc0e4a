//! A valid key of one app gives no access to another app's webhooks.

use confab_domain::webhooks::delivery::ErrorClass;
use serde_json::json;

use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn another_apps_webhooks_can_be_neither_read_nor_changed() {
    let server = TestServer::start_quiet().await;
    server.furnish().await;
    let (shop, stranger) = (Hooks::of(&server), server.create_app("stranger").await);
    let stranger_api = stranger.clone();
    let stranger = Hooks::of(&stranger);
    shop.register("bot").await;
    let id = shop.trigger("bot").await;
    server.record(id, Some(ErrorClass::Dns), "no such name").await;
    let before = shop.delivery(id).await;
    assert_eq!(stranger.get("/endpoints", &[]).await.data(), json!({"endpoints": []}));
    assert_eq!(stranger.list(&[]).await, (vec![], None));
    let room = before["room_id"].as_str().expect("a room");
    assert_eq!(stranger.list(&[("room_id", room)]).await, (vec![], None));
    let path = format!("/deliveries/{id}");
    stranger.get(&path, &[]).await.errors(404, "delivery_not_found");
    let answer = stranger.post(&format!("{path}/replay"), json!({})).await;
    answer.errors(404, "delivery_not_found");
    let replayed = stranger.post("/replay", json!({})).await.data();
    assert_eq!(replayed, json!({"replayed": 0, "next": null}));
    for verb in ["pause", "resume", "test"] {
        let answer = stranger.post(&format!("/endpoints/bot/{verb}"), json!({})).await;
        answer.errors(404, "endpoint_not_found");
    }
    let answer = stranger.post("/trigger", json!({"kind": "bot", "room_id": "support"})).await;
    answer.errors(404, "room_not_found");
    let made = stranger.post("/trigger", json!({"kind": "bot"})).await.data();
    assert_eq!(made["delivery_ids"], json!([]));
    let logs = stranger_api.get("webhook_logs", &[]).await.results();
    assert_eq!(logs, json!({"webhook_logs": []}));
    stranger.register("bot").await;
    stranger.post("/endpoints/bot/pause", json!({})).await.data();
    assert_eq!(shop.delivery(id).await, before, "nothing changed");
    let own = shop.get("/endpoints", &[]).await.data();
    assert_eq!(own["endpoints"][0]["state"], "healthy");
}
