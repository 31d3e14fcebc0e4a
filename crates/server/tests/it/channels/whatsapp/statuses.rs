//! Delivery states reported by WhatsApp: late, twice, out of order, or before the response to the
//! send.

use std::sync::Arc;

use confab_domain::ids::RoomId;
use serde_json::json;
use tokio::sync::Notify;

use super::stage::{BUDI, WhatsappStage, status};
use crate::dashboard::inbox::Page;
use crate::support::office::Office;
use crate::support::stand_ins::graph_api::GraphScript;

#[tokio::test]
async fn statuses_in_any_order_only_raise_the_state() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    stage.post_reply(&admin, &room, "answer").await;
    let sent = stage.graph.sends(1).await.remove(0);
    stage.wait_for_state(&room, "answer", "sent").await;
    let (id, tag) = (sent.id.as_str(), sent.tag());
    for (word, code, expected) in [
        ("delivered", None, "delivered"),
        ("sent", None, "delivered"),
        ("delivered", None, "delivered"),
        ("failed", Some(131_026), "delivered"),
        ("read", None, "read"),
        ("delivered", None, "read"),
        ("failed", Some(131_047), "read"),
    ] {
        stage.post_webhook(&status(id, Some(&tag), word, code)).await;
        stage.wait_until_delivered().await;
        assert_eq!(stage.status(&room, "answer").await["state"], expected, "after {word}");
    }
    // Statuses without a tag are matched by the message id.
    stage.post_reply(&admin, &room, "second").await;
    let sent = stage.graph.sends(2).await.remove(1);
    stage.wait_for_state(&room, "second", "sent").await;
    stage.post_webhook(&status(&sent.id, None, "read", None)).await;
    stage.wait_for_state(&room, "second", "read").await;
    // Statuses of messages that this server did not send change nothing.
    for tag in [Some("1.2.3"), Some("x"), None] {
        assert_eq!(stage.post_webhook(&status("wamid.other", tag, "read", None)).await.status, 200);
    }
    stage.wait_until_delivered().await;
}

#[tokio::test]
async fn delivery_states_are_sent_live_to_the_assigned_agent_only() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let serving = stage.office.hire("ayu", "agent").await;
    let idle = stage.office.hire("ida", "agent").await;
    stage.office.assign_room(&room, &serving).await.data();
    let other = Office::of(&stage.server.create_app("other").await).hire("eve", "admin").await;
    let mut page = Page::of(&serving).await;
    page.open(&room).await;
    let mut strangers = [Page::of(&idle).await, Page::of(&other).await];
    for stranger in &mut strangers {
        stranger.say(json!({"type": "open", "room_id": room})).await;
        stranger.until("error").await;
    }
    let said = stage.post_reply(&serving, &room, "answer").await;
    let sent = stage.graph.sends(1).await.remove(0);
    let told = page.until("channel_status").await;
    let id = said["id"].to_string();
    assert_eq!((&told["room_id"], &told["comment_id"]), (&json!(room), &json!(id)));
    assert_eq!(told["channel_status"]["state"], "sent");
    for (word, code, state) in
        [("delivered", None, "delivered"), ("sent", None, "delivered"), ("read", None, "read")]
    {
        stage.post_webhook(&status(&sent.id, Some(&sent.tag()), word, code)).await;
        let told = page.until("channel_status").await;
        assert_eq!(told["channel_status"]["state"], state, "after {word}");
    }
    stage.post_reply(&serving, &room, "in vain").await;
    let sent = stage.graph.sends(2).await.remove(1);
    stage.post_webhook(&status(&sent.id, Some(&sent.tag()), "failed", Some(131_026))).await;
    let mut told = page.until("channel_status").await;
    while told["channel_status"]["state"] != "failed" {
        told = page.until("channel_status").await;
    }
    assert_eq!(told["channel_status"], stage.status(&room, "in vain").await);
    for stranger in &mut strangers {
        stranger.say(json!({"type": "ping"})).await;
        loop {
            let frame = stranger.next().await;
            assert_ne!(
                frame["type"], "channel_status",
                "other agents receive no delivery state: {frame}"
            );
            if frame["type"] == "pong" {
                break;
            }
        }
    }
}

#[tokio::test]
async fn a_status_that_arrives_before_the_response_to_the_send_is_applied() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    for (said, word, code, expected) in
        [("first", "read", None, "read"), ("second", "failed", Some(131_026), "failed")]
    {
        let released = Arc::new(Notify::new());
        stage.graph.script(GraphScript::Held(released.clone()));
        let before = stage.graph.sent().len();
        stage.post_reply(&admin, &room, said).await;
        let sent = stage.graph.sends(before + 1).await.remove(before);
        stage.post_webhook(&status(&sent.id, Some(&sent.tag()), word, code)).await;
        stage.wait_for_state(&room, said, expected).await;
        released.notify_one();
        stage.wait_until_delivered().await;
        let status = stage.status(&room, said).await;
        assert_eq!(status["state"], expected, "the response does not lower the state");
        if let Some(code) = code {
            assert_eq!(status["code"], code.to_string());
            assert_eq!(status["reason"], "The customer cannot be reached at WhatsApp.");
        }
    }
}

#[tokio::test]
async fn a_status_confirms_a_send_without_a_response_so_nothing_is_sent_twice() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    stage.graph.script(GraphScript::TakenInSilence);
    stage.post_reply(&admin, &room, "once?").await;
    let sent = stage.graph.sends(1).await.remove(0);
    stage.post_webhook(&status(&sent.id, Some(&sent.tag()), "delivered", None)).await;
    stage.wait_for_state(&room, "once?", "delivered").await;
    stage.post_reply(&admin, &room, "next").await;
    stage.wait_for_state(&room, "next", "sent").await;
    assert_eq!(
        stage.graph.texts_to(BUDI),
        ["once?", "next"],
        "each message is sent once and in order"
    );
    // The id in the status identifies the message.
    let reply = json!({"id": "wamid.re", "type": "text", "text": {"body": "yes"},
        "context": {"id": sent.id}});
    stage.post_webhook(&super::stage::message_webhook(reply)).await;
    stage.wait_for_texts(&room, 4).await;
    let replied = stage.conversation(&room).await.pop().expect("the last");
    assert_eq!(replied["payload"]["replied_comment_message"], "once?");
}

#[tokio::test]
async fn a_rate_limit_delays_messages_and_an_invalid_token_stops_the_channel() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    for code in [130_429, 4, 80_007] {
        stage.graph.script(GraphScript::Refused(400, code));
    }
    stage.post_reply(&admin, &room, "limited").await;
    stage.wait_for_state(&room, "limited", "sent").await;
    stage.graph.script(GraphScript::Refused(400, 131_026));
    stage.post_reply(&admin, &room, "unreachable").await;
    let failed = stage.wait_for_state(&room, "unreachable", "failed").await;
    assert_eq!(failed["code"], "131026");
    let token = stage.graph.set_token("EAAG-second-token-of-the-number-2222");
    stage.post_reply(&admin, &room, "waits").await;
    super::stage::wait_for_health(&stage, "unauthorized").await;
    assert_eq!(stage.status(&room, "waits").await["state"], "queued");
    assert!(
        !stage.health().await.to_string().contains("EAAG"),
        "a token repeated by Meta is masked"
    );
    let query = [("kind", "channel_send")];
    let log = stage.office.get("/api/v2/webhooks/deliveries", &query).await;
    assert!(!log.text.contains("EAAG"));
    let update = format!("/api/v2/wa/connect/{}/update", stage.channel);
    stage.office.post(&update, json!({"access_token": token})).await.data();
    stage.wait_for_state(&room, "waits", "sent").await;
    super::stage::wait_for_health(&stage, "ok").await;
}

#[tokio::test]
async fn delivered_and_read_statuses_are_the_customers_receipts_in_the_room() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    stage.post_reply(&admin, &room, "answer").await;
    let sent = stage.graph.sends(1).await.remove(0);
    stage.wait_for_state(&room, "answer", "sent").await;
    let receipt = async || {
        let id = RoomId(room.parse().expect("an id"));
        let people = stage.server.store.marked_people(id, 10).await.expect("read");
        let mut budi = people.into_iter().filter(|(user, _)| user.user_id.as_str() == BUDI);
        let (_, mark) = budi.next().expect("the customer is in the room");
        (mark.received_number.max(mark.read_number), mark.read_number)
    };
    let (received, read) = receipt().await;
    assert_eq!(received, read, "the customer has read only their own messages");
    stage.post_webhook(&status(&sent.id, Some(&sent.tag()), "delivered", None)).await;
    stage.wait_until_delivered().await;
    assert_eq!(receipt().await, (received + 1, read));
    for word in ["read", "delivered"] {
        stage.post_webhook(&status(&sent.id, Some(&sent.tag()), word, None)).await;
        stage.wait_until_delivered().await;
        assert_eq!(receipt().await, (received + 1, read + 1), "after {word}");
    }
}

#[tokio::test]
async fn a_blocked_account_is_misconfigured_and_its_messages_stay_queued() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    stage.graph.script(GraphScript::Refused(403, 131_031));
    stage.post_reply(&admin, &room, "waits").await;
    super::stage::wait_for_health(&stage, "misconfigured").await;
    assert_eq!(stage.status(&room, "waits").await["state"], "queued");
    assert!(stage.graph.sent().is_empty());
}
