//! WhatsApp's 24-hour window is checked before a message is posted, and again before it is sent.

use serde_json::{Value, json};

use super::stage::{BUDI, WhatsappStage, message_webhook, now_s, status};
use crate::support::answer::items;
use crate::support::office::Worker;
use crate::support::stand_ins::graph_api::GraphScript;

const HOUR_S: u64 = 3_600;

impl WhatsappStage {
    /// Posts a customer's message with this age in seconds.
    async fn post_aged_message(&self, id: &str, ago_s: u64) -> String {
        let message = json!({"id": id, "type": "text", "text": {"body": id},
            "timestamp": (now_s() - ago_s).to_string()});
        self.post_webhook(&message_webhook(message)).await;
        self.wait_until_delivered().await;
        self.room_of(BUDI).await
    }

    /// Returns the delivery of the last message, with its attempts.
    async fn last_send(&self) -> Value {
        let query = [("kind", "channel_send")];
        let listed = self.office.get("/api/v2/webhooks/deliveries", &query).await.data();
        let id = items(&listed["deliveries"])[0]["id"].clone();
        let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        let path = format!("/api/v2/webhooks/deliveries/{id}");
        self.office.get(&path, &[]).await.data()
    }
}

async fn template(by: &Worker, room: &str) -> crate::support::answer::Answer {
    let content = json!({"name": "hello", "language": {"code": "id"}, "components": []});
    let payload = json!({"type": "template", "content": content});
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    by.post(&path, json!({"type": "custom", "message": "hello?", "payload": payload})).await
}

#[tokio::test]
async fn after_the_window_replies_are_refused_and_templates_are_sent() {
    let stage = WhatsappStage::start().await;
    let room = stage.post_aged_message("wamid.old", 25 * HOUR_S).await;
    let admin = stage.admin().await;
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    let refused = admin.post(&path, json!({"message": "too late"})).await;
    let told = refused.errors(409, "window_closed").message;
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    let closes_at = rooms["data"]["customer_rooms"][0]["window_closes_at"].clone();
    assert!(told.contains(closes_at.as_str().expect("a time")), "{told} {closes_at}");
    let bot = json!({"sender_email": "shop_admin@bot.example", "room_id": room,
        "message": "too late", "type": "text"});
    stage.office.post("/shop/bot", bot).await.errors(409, "window_closed");
    assert_eq!(stage.wait_for_texts(&room, 1).await.len(), 1, "nothing is posted");
    assert!(stage.graph.sent().is_empty());
    template(&admin, &room).await.data();
    let sent = stage.graph.sends(1).await;
    assert_eq!(sent[0].body["template"]["name"], "hello");
    // A message of the customer opens the window again.
    stage.post_aged_message("wamid.new", 23 * HOUR_S).await;
    stage.post_reply(&admin, &room, "in time").await;
    stage.wait_for_state(&room, "in time", "sent").await;
}

#[tokio::test]
async fn a_customers_message_delivered_late_leaves_the_window_open() {
    let stage = WhatsappStage::start().await;
    let room = stage.post_aged_message("wamid.now", 0).await;
    stage.post_aged_message("wamid.late", 48 * HOUR_S).await;
    let admin = stage.admin().await;
    stage.post_reply(&admin, &room, "in time").await;
    stage.wait_for_state(&room, "in time", "sent").await;
}

#[tokio::test]
async fn a_late_message_that_opens_another_room_leaves_the_window_open() {
    let stage = WhatsappStage::start().await;
    let admin = stage.admin().await;
    admin.post("/api/v1/admin/service/set_sessional", json!({"is_sessional": true})).await.json();
    let first = stage.post_aged_message("wamid.now", 0).await;
    admin.resolve(&first).await.data();
    let second = stage.post_aged_message("wamid.late", 48 * HOUR_S).await;
    assert_ne!(first, second);
    stage.post_reply(&admin, &second, "in time").await;
    stage.wait_for_state(&second, "in time", "sent").await;
}

#[tokio::test]
async fn a_send_refused_for_a_closed_window_is_attempted_once_more() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    let replay = async || {
        let mut send = stage.last_send().await;
        let id = send["delivery"]["id"].take();
        let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        stage
            .office
            .post(&format!("/api/v2/webhooks/deliveries/{id}/replay"), json!({}))
            .await
            .data();
    };
    let waits = async |what: &str, attempts: u32| {
        let due = crate::support::waiting::until(what, async || {
            let send = stage.last_send().await["delivery"].take();
            let is_so = send["standing"] == "waiting" && send["attempts"] == attempts;
            is_so.then(|| send["due_at"].clone())
        });
        due.await
    };
    // WhatsApp refuses at once.
    stage.graph.script(GraphScript::Refused(400, 131_047));
    stage.post_reply(&admin, &room, "first").await;
    waits("the send waits for its next attempt", 1).await;
    assert_eq!(stage.status(&room, "first").await["state"], "queued");
    assert!(stage.graph.sent().is_empty());
    stage.graph.script(GraphScript::Refused(400, 131_047));
    replay().await;
    let failed = stage.wait_for_state(&room, "first", "failed").await;
    assert_eq!(failed["code"], "window_closed");
    // WhatsApp accepts the message and reports the failure later.
    stage.post_reply(&admin, &room, "second").await;
    let sent = stage.graph.sends(1).await.remove(0);
    stage.wait_for_state(&room, "second", "sent").await;
    for _ in 0..2 {
        stage.post_webhook(&status(&sent.id, Some(&sent.tag()), "failed", Some(131_047))).await;
    }
    waits("the next attempt is scheduled", 2).await;
    assert_eq!(stage.status(&room, "second").await["state"], "sent");
    assert_eq!(stage.graph.sent().len(), 1);
    replay().await;
    let again = stage.graph.sends(2).await.remove(1);
    assert_eq!(again.tag(), sent.tag());
    stage.wait_until_delivered().await;
    stage.post_webhook(&status(&again.id, Some(&sent.tag()), "failed", Some(131_047))).await;
    let failed = stage.wait_for_state(&room, "second", "failed").await;
    assert_eq!(failed["code"], "131047");
    assert_eq!(stage.graph.sent().len(), 2, "the message is sent again only once");
}
