//! Integrating a bot (wire facts 5.2).

use serde_json::json;

use crate::support::office::Office;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn a_bot_is_integrated_read_disabled_and_forced() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let admin = office.hire("boss", "admin").await;
    let read = || admin.get("/api/v1/app/bot", &[]);
    let none = json!({"bot_webhook_url": "", "is_bot_enabled": false, "is_force_send_bot": false});
    assert_eq!(read().await.data(), none);
    let activation = "/api/v1/app/bot/activation";
    let answer = admin.post(activation, json!({"is_active": true})).await;
    answer.errors(404, "endpoint_not_found");
    let body = json!({"bot_webhook_url": "https://bot.example/", "is_bot_enabled": "true"});
    let data = admin.post("/api/v1/app/bot/integrate", body).await.data();
    assert_eq!(data["app"]["bot_webhook_url"], "https://bot.example/");
    assert_eq!(data["app"]["is_bot_enabled"], true);
    let app = admin.post(activation, json!({"is_active": "0"})).await.data();
    assert_eq!(app["is_bot_enabled"], false);
    assert_eq!(app["bot_webhook_url"], "https://bot.example/");
    let forced = office.post("/api/v2/app/bot/force_send", json!({"is_force_send_bot": true}));
    assert_eq!(forced.await.data()["is_force_send_bot"], true);
    let expected = json!({
        "bot_webhook_url": "https://bot.example/", "is_bot_enabled": false,
        "is_force_send_bot": true,
    });
    assert_eq!(read().await.data(), expected);
    let answer = admin.post(activation, json!({})).await;
    answer.errors(400, "invalid_request").says("is_active is required");
}
