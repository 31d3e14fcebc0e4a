//! Messages to Messenger and Instagram customers: delivery states, the messaging window, limits,
//! and tokens that become invalid.

use std::sync::Arc;

use confab_domain::ids::RoomId;
use serde_json::json;
use tokio::sync::Notify;

use super::stage::{ANA, FB, IG, PageStage, now_ms};
use crate::support::caller::sent;
use crate::support::stand_ins::graph_api::GraphScript;

const HOUR_MS: i64 = 3_600_000;

impl PageStage {
    /// Posts a customer's message with this age.
    async fn post_aged_message(&self, mid: &str, ago_ms: i64) -> String {
        let message = json!({"message": {"mid": mid, "text": mid}});
        let said = self.at(ANA, message, now_ms() - ago_ms);
        assert_eq!(self.post_webhook(&[said]).await.status, 200);
        self.wait_until_delivered().await;
        self.room_of(ANA).await
    }

    /// Posts a receipt of the customer.
    async fn receipt(&self, what: serde_json::Value) {
        assert_eq!(self.post_webhook(&[self.by(ANA, what)]).await.status, 200);
        self.wait_until_delivered().await;
    }
}

#[tokio::test]
async fn receipts_by_message_id_and_by_watermark_only_raise_the_state() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    for text in ["first", "second"] {
        stage.post_reply(&admin, &room, text).await;
        stage.wait_for_state(&room, text, "sent").await;
    }
    let mids: Vec<_> = stage.graph.said().into_iter().map(|it| it.id).collect();
    let states = async || {
        let mut states = Vec::new();
        for text in ["first", "second"] {
            states.push(stage.status(&room, text).await["state"].clone());
        }
        states
    };
    let delivered = json!({"delivery": {"mids": [mids[0], "m_of_others"], "watermark": 5}});
    stage.receipt(delivered.clone()).await;
    assert_eq!(states().await, ["delivered", "sent"]);
    // An old or invalid watermark changes nothing.
    for watermark in [json!(1_000), json!(0), json!(-5), json!("x")] {
        stage.receipt(json!({"read": {"watermark": watermark}})).await;
    }
    assert_eq!(states().await, ["delivered", "sent"]);
    stage.receipt(json!({"read": {"watermark": now_ms()}})).await;
    assert_eq!(states().await, ["read", "read"]);
    stage.receipt(delivered).await;
    stage.receipt(json!({"delivery": {"mids": mids}})).await;
    assert_eq!(states().await, ["read", "read"], "states only rise");
    stage.post_reply(&admin, &room, "third").await;
    stage.wait_for_state(&room, "third", "sent").await;
    // Receipts of another customer concern only that customer's messages.
    let theirs = stage.by("9191", json!({"read": {"watermark": now_ms() + HOUR_MS}}));
    assert_eq!(stage.post_webhook(&[theirs]).await.status, 200);
    stage.wait_until_delivered().await;
    assert_eq!(stage.status(&room, "third").await["state"], "sent");
    let id = RoomId(room.parse().expect("an id"));
    let people = stage.server.store.marked_people(id, 10).await.expect("read");
    let ana = people.iter().find(|(user, _)| user.user_id.as_str() == format!("fb-{ANA}"));
    let (_, mark) = ana.expect("the customer is in the room");
    assert_eq!(mark.read_number, 3, "the receipt is also recorded in the room");
}

#[tokio::test]
async fn an_echo_of_a_sent_message_confirms_the_send_and_is_not_posted_again() {
    for kind in [FB, IG] {
        let stage = PageStage::start(kind).await;
        let room = stage.with_room().await;
        let admin = stage.admin().await;
        // The echo arrives before the response to the send, with our tag or without.
        for (text, has_tag) in [("tagged", true), ("bare", false)] {
            let released = Arc::new(Notify::new());
            stage.graph.script(GraphScript::Held(released.clone()));
            let before = stage.graph.said().len();
            stage.post_reply(&admin, &room, text).await;
            let sent = stage.graph.says(before + 1).await.remove(before);
            let mut message = json!({"mid": sent.id, "text": text});
            if has_tag {
                message["metadata"] = json!(sent.metadata());
            }
            stage.post_webhook(&[stage.echo(ANA, message.clone())]).await;
            stage.wait_for_state(&room, text, "sent").await;
            released.notify_one();
            stage.wait_until_delivered().await;
            stage.post_webhook(&[stage.echo(ANA, message)]).await;
            stage.wait_until_delivered().await;
        }
        // The response is lost, but the echo arrives.
        for (text, has_tag) in [("silent", true), ("more silent", false)] {
            stage.graph.script(GraphScript::TakenInSilence);
            let before = stage.graph.said().len();
            stage.post_reply(&admin, &room, text).await;
            let sent = stage.graph.says(before + 1).await.remove(before);
            let mut message = json!({"mid": sent.id, "text": text});
            if has_tag {
                message["metadata"] = json!(sent.metadata());
            }
            stage.post_webhook(&[stage.echo(ANA, message)]).await;
            stage.wait_for_state(&room, text, "sent").await;
            stage.post_reply(&admin, &room, &format!("after {text}")).await;
            stage.wait_for_state(&room, &format!("after {text}"), "sent").await;
        }
        let expected =
            ["tagged", "bare", "silent", "after silent", "more silent", "after more silent"];
        assert_eq!(stage.graph.texts(), expected, "each message is sent once and in order");
        let said = stage.wait_for_texts(&room, 7).await;
        assert_eq!(said[1..], expected, "each message is posted once");
        // The id in the echo identifies the message.
        let mid = stage.graph.said()[2].id.clone();
        let reply = json!({"mid": "m_re", "text": "yes", "reply_to": {"mid": mid}});
        stage.post_webhook(&[stage.by(ANA, json!({"message": reply}))]).await;
        stage.wait_for_texts(&room, 8).await;
        let replied = stage.conversation(&room).await.pop().expect("the last");
        assert_eq!(replied["payload"]["replied_comment_message"], "silent");
    }
}

#[tokio::test]
async fn after_a_day_only_agents_can_reply_and_only_with_human_agent_enabled() {
    for kind in [FB, IG] {
        let stage = PageStage::start(kind).await;
        let room = stage.post_aged_message("m_old", 25 * HOUR_MS).await;
        let admin = stage.admin().await;
        let path = format!("/api/v2/customer_rooms/{room}/messages");
        let refused = admin.post(&path, json!({"message": "too late"})).await;
        let told = refused.errors(409, "window_closed").message;
        let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
        let closes_at = rooms["data"]["customer_rooms"][0]["window_closes_at"].clone();
        assert!(told.contains(closes_at.as_str().expect("a time")), "{told} {closes_at}");
        stage.update(json!({"human_agent_enabled": true})).await.data();
        let refused = stage.post_as_bot(&room, json!({"message": "a bot", "type": "text"})).await;
        refused.errors(409, "window_closed");
        stage.post_reply(&admin, &room, "a person").await;
        let sent = stage.graph.says(1).await;
        let tag = (&sent[0].body["messaging_type"], &sent[0].body["tag"]);
        assert_eq!(tag, (&json!("MESSAGE_TAG"), &json!("HUMAN_AGENT")));
        // Within the window no message tag is needed, and bots can answer.
        stage.post_aged_message("m_new", HOUR_MS).await;
        stage.post_as_bot(&room, json!({"message": "a bot", "type": "text"})).await.data();
        stage.post_reply(&admin, &room, "a person again").await;
        for sent in &stage.graph.says(3).await[1..] {
            assert_eq!(sent.body["messaging_type"], "RESPONSE");
        }
        stage.update(json!({"human_agent_enabled": false})).await.data();
        stage.post_reply(&admin, &room, "in time").await;
        stage.wait_for_state(&room, "in time", "sent").await;
    }
}

#[tokio::test]
async fn after_a_week_agents_are_refused_even_with_human_agent_enabled() {
    let stage = PageStage::with(FB, json!({"human_agent_enabled": true})).await;
    let room = stage.post_aged_message("m_ancient", 169 * HOUR_MS).await;
    let admin = stage.admin().await;
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    let refused = admin.post(&path, json!({"message": "too late"})).await;
    refused.errors(409, "window_closed");
    assert_eq!(stage.wait_for_texts(&room, 1).await.len(), 1, "nothing is posted");
    assert!(stage.graph.said().is_empty());
}

#[tokio::test]
async fn long_texts_are_split_and_files_are_uploaded_or_sent_by_url() {
    for kind in [FB, IG] {
        let stage = PageStage::start(kind).await;
        let room = stage.with_room().await;
        let admin = stage.admin().await;
        stage.post_reply(&admin, &room, &"word ".repeat(450)).await;
        let pieces = if kind == FB { 2 } else { 3 };
        let sent = stage.graph.says(pieces).await;
        let texts = sent.iter().map(|it| it.message()["text"].as_str().expect("a text"));
        let joined = texts.collect::<Vec<_>>().join(" ");
        assert_eq!(joined.split_whitespace().count(), 450, "no word is lost");
        let head = "--limit\r\nContent-Disposition: form-data; name=\"file\"; \
                    filename=\"dog.png\"\r\n\r\n";
        let form = [head.as_bytes(), &[3; 2_000], b"\r\n--limit--\r\n"].concat();
        let request = admin.request(reqwest::Method::POST, "/api/v2/files");
        let request = request.header("Content-Type", "multipart/form-data; boundary=limit");
        let kept = sent_file(request.body(form)).await;
        let payload = json!({"url": kept, "caption": "a dog"});
        let body = json!({"type": "file_attachment", "payload": payload});
        stage.post_reply_with(&admin, &room, body).await;
        let sent = stage.graph.says(pieces + 2).await;
        let attachment = &sent[pieces].message()["attachment"];
        assert_eq!(attachment["type"], "image");
        if kind == FB {
            assert!(attachment["payload"]["attachment_id"].is_string(), "{attachment}");
        } else {
            assert_eq!(attachment["payload"]["url"], kept);
        }
        assert_eq!(sent[pieces + 1].message()["text"], "a dog");
    }
}

async fn sent_file(request: reqwest::RequestBuilder) -> String {
    let kept = sent(request).await.data();
    kept["file"]["url"].as_str().expect("an address").to_owned()
}

#[tokio::test]
async fn rate_limits_delay_messages_and_permanent_errors_fail_with_the_reason() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    for code in [613, 80_006] {
        stage.graph.script(GraphScript::Refused(400, code));
    }
    stage.graph.script(GraphScript::Page(502, "<html>"));
    stage.post_reply(&admin, &room, "limited").await;
    stage.wait_for_state(&room, "limited", "sent").await;
    for (code, text) in [(551, "unreachable"), (100, "wrong")] {
        stage.graph.script(GraphScript::Refused(400, code));
        stage.post_reply(&admin, &room, text).await;
        let failed = stage.wait_for_state(&room, text, "failed").await;
        assert_eq!(failed["code"], code.to_string());
        assert!(failed["reason"].as_str().is_some_and(|it| !it.is_empty()));
    }
    // A page under a temporary limit waits, and no message is given up.
    stage.graph.script(GraphScript::RefusedAs(400, 10, 1_893_063));
    stage.post_reply(&admin, &room, "waits").await;
    stage.wait_for_health("limited").await;
    assert_eq!(stage.status(&room, "waits").await["state"], "queued");
}

#[tokio::test]
async fn messages_wait_for_an_invalid_token_and_are_sent_once_it_is_replaced() {
    for kind in [FB, IG] {
        let stage = PageStage::start(kind).await;
        let admin = stage.admin().await;
        let room = stage.with_room().await;
        let token = stage.graph.set_token("EAAG-second-token-of-the-page-2222");
        for number in 0..3 {
            stage.post_reply(&admin, &room, &format!("answer {number}")).await;
        }
        stage.wait_for_health("unauthorized").await;
        assert_eq!(stage.health().await["waiting"], 3);
        assert!(
            !stage.health().await.to_string().contains("EAAG"),
            "a token repeated by Meta is masked"
        );
        let log =
            stage.office.get("/api/v2/webhooks/deliveries", &[("kind", "channel_send")]).await;
        assert!(!log.text.contains("EAAG"));
        stage.update(json!({"access_token": "EAAG-wrong"})).await.errors(400, "invalid_request");
        stage.update(json!({"access_token": token})).await.data();
        for number in 0..3 {
            stage.wait_for_state(&room, &format!("answer {number}"), "sent").await;
        }
        assert_eq!(stage.graph.texts(), ["answer 0", "answer 1", "answer 2"]);
        stage.wait_for_health("ok").await;
    }
}
