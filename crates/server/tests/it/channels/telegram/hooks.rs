//! Webhook routes: only requests that the provider authenticated are stored.

use confab_domain::webhooks::event_kind::EventKind;
use reqwest::Method;
use serde_json::json;

use super::stage::{ANA, Stage};
use crate::support::caller::sent;

#[tokio::test]
async fn the_webhook_is_registered_and_its_updates_are_posted_without_polling() {
    let stage = Stage::hooked().await;
    let (url, secret) = stage.bot.webhook().await;
    let path = format!("/api/v2/hooks/telegram/{}", stage.channel);
    assert_eq!(url, format!("https://confab.example{path}"));
    assert!(secret.len() >= 32 && secret.chars().all(|c| c.is_ascii_alphanumeric()));
    let update = stage.bot.message(ANA, json!({"text": "by the hook"}));
    assert_eq!(stage.post_webhook(&update).await.status, 200);
    let room = stage.room_of(ANA).await;
    assert_eq!(stage.wait_for_texts(&room, 1).await, ["by the hook"]);
    assert_eq!(stage.health().await["way"], "webhook");
    assert_eq!(stage.bot.polls(), 0);
}

#[tokio::test]
async fn forged_broken_and_oversized_webhook_bodies_post_nothing() {
    let stage = Stage::hooked().await;
    let (_, secret) = stage.bot.webhook().await;
    let update = stage.bot.message(ANA, json!({"text": "forged"})).to_string();
    for wrong in ["", "x", &secret[1..], &secret.to_uppercase()] {
        let answer = stage.post_webhook_with(wrong, update.clone()).await;
        answer.errors(403, "forged");
    }
    let large = json!({"update_id": 1, "message": {"text": "x".repeat(3_000_000)}}).to_string();
    stage.post_webhook_with("wrong", large.clone()).await.errors(403, "forged");
    let path = format!("/api/v2/hooks/telegram/{}", stage.channel);
    for (method, path) in [
        (Method::GET, path.clone()),
        (Method::POST, "/api/v2/hooks/telegram/1".to_owned()),
        (Method::POST, "/api/v2/hooks/telegram/x".to_owned()),
        (Method::POST, path.replace("telegram", "wa")),
        (Method::POST, path.replace("telegram", "nothing")),
    ] {
        let request = stage.server.bare(method.clone(), &path);
        let request = request.header("x-telegram-bot-api-secret-token", &secret);
        let answer = sent(request.body(update.clone())).await;
        assert!([403, 404].contains(&answer.status), "{method} {path}: {}", answer.status);
    }
    assert!(stage.deliveries(EventKind::ChannelEvent).await.is_empty(), "no event is stored");
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let bodies = [
        String::new(),
        "{".to_owned(),
        "null".to_owned(),
        "[]".to_owned(),
        "{\"update_id\":".to_owned(),
        deep.clone(),
        format!("{{\"update_id\":1,\"message\":{deep}}}"),
        update[..update.len() / 2].to_owned(),
    ];
    for body in bodies {
        let answer = stage.post_webhook_with(&secret, body).await;
        assert_eq!(
            answer.status, 200,
            "the provider would repeat the webhook for days: {}",
            answer.text
        );
    }
    let odd = [
        json!({"update_id": 5}),
        json!({"update_id": "x", "message": 7}),
        json!({"update_id": 6, "message": {"chat": {"id": ANA, "type": "private"}}}),
        json!({"update_id": 7, "message": {"message_id": 1, "chat": {"type": "private"}, "text": "x"}}),
    ];
    for update in odd {
        assert_eq!(stage.post_webhook(&update).await.status, 200);
    }
    assert_eq!(stage.post_webhook_with(&secret, large).await.status, 200);
    let too_large = json!({"text": "x".repeat(5_000_000)}).to_string();
    stage.post_webhook_with(&secret, too_large).await.errors(413, "body_too_large");
    stage.wait_until_delivered().await;
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(rooms["data"]["customer_rooms"], json!([]));
    stage.post_webhook(&stage.bot.message(ANA, json!({"text": "and it works"}))).await;
    let room = stage.room_of(ANA).await;
    assert_eq!(stage.wait_for_texts(&room, 1).await, ["and it works"]);
}

#[tokio::test]
async fn webhooks_of_an_inactive_channel_are_accepted_and_discarded() {
    let stage = Stage::hooked().await;
    let (_, secret) = stage.bot.webhook().await;
    let path = format!("/api/v2/telegram/connect/{}/update", stage.channel);
    stage.office.post(&path, json!({"is_active": false})).await.data();
    let update = stage.bot.message(ANA, json!({"text": "hello"})).to_string();
    assert_eq!(stage.post_webhook_with(&secret, update.clone()).await.status, 200);
    assert!(stage.deliveries(EventKind::ChannelEvent).await.is_empty());
    let path = format!("/api/v2/telegram/connect/{}/delete", stage.channel);
    stage.office.post(&path, json!({})).await.data();
    stage.post_webhook_with(&secret, update).await.errors(404, "channel_not_found");
}
