//! Statuses that arrive before the send that they refer to is recorded (D-0196).

use std::sync::Arc;

use confab_domain::webhooks::event_kind::EventKind;
use serde_json::json;
use tokio::sync::Notify;

use super::page_stage::{ANA, FB, IG, PageStage, now_ms};
use super::service_stage::ServiceStage;
use super::whatsapp_stage::{WhatsappStage, status};
use crate::support::graph_api::GraphScript;
use crate::support::waiting::until_so;

impl ServiceStage {
    /// Waits until the channel has this many events and each was attempted.
    async fn has_tried(&self, events: usize) {
        until_so("all events were tried", async || {
            let events_now = self.deliveries(EventKind::ChannelEvent).await;
            let is_tried = |it: &serde_json::Value| it["standing"] != "waiting";
            events_now.len() == events && events_now.iter().all(is_tried)
        })
        .await;
    }
}

#[tokio::test]
async fn a_read_watermark_before_the_record_of_a_send_covers_it_and_blocks_nobody() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    let released = Arc::new(Notify::new());
    stage.graph.script(GraphScript::Held(released.clone()));
    stage.answers(&admin, &room, "answer").await;
    stage.graph.says(1).await;
    let read = stage.by(ANA, json!({"read": {"watermark": now_ms()}}));
    stage.bring(&[read]).await;
    stage.has_tried(2).await;
    // The customer's lane is not blocked.
    stage.writes("m_next", "thanks").await;
    stage.said(&room, 3).await;
    assert_eq!(stage.status(&room, "answer").await["state"], "queued");
    released.notify_one();
    stage.state(&room, "answer", "read").await;
    // The watermark does not cover a later send.
    stage.answers(&admin, &room, "later").await;
    stage.state(&room, "later", "sent").await;
    stage.settles().await;
    assert_eq!(stage.status(&room, "later").await["state"], "sent");
}

#[tokio::test]
async fn a_receipt_by_name_before_the_record_of_a_send_counts() {
    for (kind, receipt, state) in [(FB, "delivery", "delivered"), (IG, "read", "read")] {
        let stage = PageStage::start(kind).await;
        let room = stage.with_room().await;
        let admin = stage.admin().await;
        let released = Arc::new(Notify::new());
        stage.graph.script(GraphScript::Held(released.clone()));
        stage.answers(&admin, &room, "answer").await;
        let sent = stage.graph.says(1).await.remove(0);
        let names = match receipt {
            "read" => json!({"mid": sent.id}),
            _ => json!({"mids": [sent.id], "watermark": now_ms()}),
        };
        stage.bring(&[stage.by(ANA, json!({receipt: names}))]).await;
        stage.has_tried(2).await;
        released.notify_one();
        stage.state(&room, "answer", state).await;
    }
}

#[tokio::test]
async fn a_whatsapp_status_without_our_name_before_the_record_of_a_send_counts() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    for (said, word, code, expected) in
        [("first", "delivered", None, "delivered"), ("second", "failed", Some(131_026), "failed")]
    {
        let released = Arc::new(Notify::new());
        stage.graph.script(GraphScript::Held(released.clone()));
        let before = stage.graph.sent().len();
        stage.answers(&admin, &room, said).await;
        let sent = stage.graph.sends(before + 1).await.remove(before);
        stage.bring(&status(&sent.id, None, word, code)).await;
        stage.has_tried(before + 2).await;
        released.notify_one();
        stage.state(&room, said, expected).await;
    }
}

#[tokio::test]
async fn a_closed_window_that_is_reported_before_the_record_of_a_send_is_not_lost() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    let released = Arc::new(Notify::new());
    stage.graph.script(GraphScript::Held(released.clone()));
    stage.answers(&admin, &room, "answer").await;
    let sent = stage.graph.sends(1).await.remove(0);
    stage.bring(&status(&sent.id, Some(&sent.tag()), "failed", Some(131_047))).await;
    stage.has_tried(2).await;
    released.notify_one();
    stage.state(&room, "answer", "sent").await;
    until_so("it is sent again", async || {
        let sends = stage.deliveries(EventKind::ChannelSend).await;
        sends.iter().any(|it| it["standing"] == "waiting")
    })
    .await;
}
