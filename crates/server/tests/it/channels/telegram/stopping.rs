//! An invalid token stops its channel visibly; no delivery is given up because of it.

use confab_test_servers::receiver::Receiver;
use serde_json::json;

use super::stage::{ANA, Stage};
use crate::support::answer::items;
use crate::support::caller::sent;
use crate::support::waiting::until_so;

#[tokio::test]
async fn messages_wait_for_an_invalid_token_and_are_sent_once_it_is_replaced() {
    let stage = Stage::polling().await;
    let told = Receiver::start().await;
    stage.server.tell("endpoint_state", &told.url, &json!({})).await;
    let admin = stage.admin().await;
    stage.bot.writes(ANA, "hello");
    let room = stage.room_of(ANA).await;
    stage.wait_for_texts(&room, 1).await;
    let token = stage.bot.set_token("AAE-second-token-of-the-bot-2222");
    for number in 0..3 {
        stage.post_reply(&admin, &room, &format!("answer {number}")).await;
    }
    let health = stage.wait_for_health("unauthorized").await;
    assert!(health["reason"].as_str().is_some_and(|it| it.contains("token")), "{health}");
    let turned = told.next().await;
    assert!(turned.text().contains("endpoint.disabled"), "{}", turned.text());
    until_so("/ready warns of the channel", async || {
        let ready = sent(stage.server.bare(reqwest::Method::GET, "/ready")).await;
        ready.status == 200 && ready.text.contains("channel")
    })
    .await;
    assert_eq!(stage.health().await["waiting"], 3);
    for number in 0..3 {
        stage.wait_for_state(&room, &format!("answer {number}"), "queued").await;
    }
    assert!(stage.bot.sent().is_empty());
    let update = format!("/api/v2/telegram/connect/{}/update", stage.channel);
    stage.office.post(&update, json!({"bot_token": token})).await.data();
    for number in 0..3 {
        stage.wait_for_state(&room, &format!("answer {number}"), "sent").await;
    }
    assert_eq!(stage.bot.texts_to(ANA), ["answer 0", "answer 1", "answer 2"]);
    stage.wait_for_health("ok").await;
    stage.bot.writes(ANA, "you are back");
    stage.wait_for_texts(&room, 5).await;
}

#[tokio::test]
async fn a_check_finds_a_webhook_url_replaced_by_another_program() {
    let stage = Stage::hooked().await;
    stage.bot.webhook().await;
    stage.wait_for_health("ok").await;
    stage.bot.take_webhook("https://other.example/hook");
    let path = format!("/api/v2/channels/{}/check", stage.channel);
    let health = stage.office.post(&path, json!({})).await.data();
    assert_eq!(health["health"]["state"], "misconfigured");
    let update = format!("/api/v2/telegram/connect/{}/update", stage.channel);
    stage.office.post(&update, json!({"name": "set again"})).await.data();
    until_so("our webhook is registered again", async || {
        stage.bot.webhook().await.0.starts_with("https://confab.example")
    })
    .await;
    stage.wait_for_health("ok").await;
}

#[tokio::test]
async fn an_inactive_channel_is_off_in_health_and_refuses_replies() {
    let stage = Stage::polling().await;
    let admin = stage.admin().await;
    stage.bot.writes(ANA, "hello");
    let room = stage.room_of(ANA).await;
    stage.wait_for_texts(&room, 1).await;
    let update = format!("/api/v2/telegram/connect/{}/update", stage.channel);
    stage.office.post(&update, json!({"is_active": false})).await.data();
    assert_eq!(stage.health().await["state"], "off");
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    let refused = admin.post(&path, json!({"message": "x"})).await;
    refused.errors(403, "channel_off");
    let endpoints = stage.office.get("/api/v2/webhooks/endpoints", &[]).await.data();
    let kinds: Vec<_> = items(&endpoints["endpoints"]).iter().map(|it| &it["kind"]).collect();
    assert!(kinds.contains(&&json!("channel_send")), "{kinds:?}");
    for kind in ["channel_send", "channel_event"] {
        let path = format!("/api/v2/webhooks/endpoints/{kind}");
        let body = json!({"url": "https://spy.example/", "is_enabled": true});
        let refused = stage.office.call(reqwest::Method::PUT, &path, body).await;
        assert!([400, 404, 409].contains(&refused.status), "{}", refused.text);
    }
}
