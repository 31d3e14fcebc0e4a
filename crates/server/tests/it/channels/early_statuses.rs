//! Statuses that arrive before the send that they refer to is recorded (design/channels).

use std::sync::Arc;

use confab_domain::webhooks::event_kind::EventKind;
use serde_json::json;
use tokio::sync::Notify;

use super::messenger::stage::{ANA, FB, IG, PageStage, now_ms};
use super::service_stage::ServiceStage;
use super::whatsapp::stage::{WhatsappStage, status};
use crate::support::stand_ins::graph_api::GraphScript;
use crate::support::waiting::until_so;

impl ServiceStage {
    /// Waits until the channel has this many events and each was attempted.
    async fn wait_for_attempts(&self, events: usize) {
        until_so("all events were attempted", async || {
            let events_now = self.deliveries(EventKind::ChannelEvent).await;
            let is_tried = |it: &serde_json::Value| it["standing"] != "waiting";
            events_now.len() == events && events_now.iter().all(is_tried)
        })
        .await;
    }
}

#[tokio::test]
async fn an_early_read_watermark_covers_the_send_and_blocks_no_lane() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    let released = Arc::new(Notify::new());
    stage.graph.script(GraphScript::Held(released.clone()));
    stage.post_reply(&admin, &room, "answer").await;
    stage.graph.says(1).await;
    let read = stage.by(ANA, json!({"read": {"watermark": now_ms()}}));
    stage.post_webhook(&[read]).await;
    stage.wait_for_attempts(2).await;
    // The customer's lane is not blocked.
    stage.writes("m_next", "thanks").await;
    stage.wait_for_texts(&room, 3).await;
    assert_eq!(stage.status(&room, "answer").await["state"], "queued");
    released.notify_one();
    stage.wait_for_state(&room, "answer", "read").await;
    // The watermark does not cover a later send.
    stage.post_reply(&admin, &room, "later").await;
    stage.wait_for_state(&room, "later", "sent").await;
    stage.wait_until_delivered().await;
    assert_eq!(stage.status(&room, "later").await["state"], "sent");
}

#[tokio::test]
async fn an_early_receipt_by_message_id_is_applied_to_the_send() {
    for (kind, receipt, state) in [(FB, "delivery", "delivered"), (IG, "read", "read")] {
        let stage = PageStage::start(kind).await;
        let room = stage.with_room().await;
        let admin = stage.admin().await;
        let released = Arc::new(Notify::new());
        stage.graph.script(GraphScript::Held(released.clone()));
        stage.post_reply(&admin, &room, "answer").await;
        let sent = stage.graph.says(1).await.remove(0);
        let names = match receipt {
            "read" => json!({"mid": sent.id}),
            _ => json!({"mids": [sent.id], "watermark": now_ms()}),
        };
        stage.post_webhook(&[stage.by(ANA, json!({receipt: names}))]).await;
        stage.wait_for_attempts(2).await;
        released.notify_one();
        stage.wait_for_state(&room, "answer", state).await;
    }
}

#[tokio::test]
async fn an_early_whatsapp_status_without_a_tag_is_applied_to_the_send() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    for (said, word, code, expected) in
        [("first", "delivered", None, "delivered"), ("second", "failed", Some(131_026), "failed")]
    {
        let released = Arc::new(Notify::new());
        stage.graph.script(GraphScript::Held(released.clone()));
        let before = stage.graph.sent().len();
        stage.post_reply(&admin, &room, said).await;
        let sent = stage.graph.sends(before + 1).await.remove(before);
        stage.post_webhook(&status(&sent.id, None, word, code)).await;
        stage.wait_for_attempts(before + 2).await;
        released.notify_one();
        stage.wait_for_state(&room, said, expected).await;
    }
}

#[tokio::test]
async fn an_early_report_of_a_closed_window_causes_another_attempt() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    let released = Arc::new(Notify::new());
    stage.graph.script(GraphScript::Held(released.clone()));
    stage.post_reply(&admin, &room, "answer").await;
    let sent = stage.graph.sends(1).await.remove(0);
    stage.post_webhook(&status(&sent.id, Some(&sent.tag()), "failed", Some(131_047))).await;
    stage.wait_for_attempts(2).await;
    released.notify_one();
    stage.wait_for_state(&room, "answer", "sent").await;
    until_so("another attempt is scheduled", async || {
        let sends = stage.deliveries(EventKind::ChannelSend).await;
        sends.iter().any(|it| it["standing"] == "waiting")
    })
    .await;
}
