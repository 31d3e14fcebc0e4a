//! Delivery states reported by WhatsApp: late, twice, out of order, or before the response to the
//! send.

use std::sync::Arc;

use confab_domain::ids::RoomId;
use serde_json::json;
use tokio::sync::Notify;

use super::whatsapp_stage::{BUDI, WhatsappStage, status};
use crate::dashboard::inbox::Page;
use crate::support::graph_api::GraphScript;
use crate::support::office::Office;

#[tokio::test]
async fn states_only_rise_in_whatever_order_they_come() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    stage.answers(&admin, &room, "answer").await;
    let sent = stage.graph.sends(1).await.remove(0);
    stage.state(&room, "answer", "sent").await;
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
        stage.bring(&status(id, Some(&tag), word, code)).await;
        stage.settles().await;
        assert_eq!(stage.status(&room, "answer").await["state"], expected, "after {word}");
    }
    // Statuses without a tag are matched by the message id.
    stage.answers(&admin, &room, "second").await;
    let sent = stage.graph.sends(2).await.remove(1);
    stage.state(&room, "second", "sent").await;
    stage.bring(&status(&sent.id, None, "read", None)).await;
    stage.state(&room, "second", "read").await;
    // Statuses of messages that this server did not send change nothing.
    for tag in [Some("1.2.3"), Some("x"), None] {
        assert_eq!(stage.bring(&status("wamid.other", tag, "read", None)).await.status, 200);
    }
    stage.settles().await;
}

#[tokio::test]
async fn those_who_look_on_see_how_far_an_answer_is_and_strangers_do_not() {
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
    let said = stage.answers(&serving, &room, "answer").await;
    let sent = stage.graph.sends(1).await.remove(0);
    let told = page.until("channel_status").await;
    let id = said["id"].to_string();
    assert_eq!((&told["room_id"], &told["comment_id"]), (&json!(room), &json!(id)));
    assert_eq!(told["channel_status"]["state"], "sent");
    for (word, code, state) in
        [("delivered", None, "delivered"), ("sent", None, "delivered"), ("read", None, "read")]
    {
        stage.bring(&status(&sent.id, Some(&sent.tag()), word, code)).await;
        let told = page.until("channel_status").await;
        assert_eq!(told["channel_status"]["state"], state, "after {word}");
    }
    stage.answers(&serving, &room, "in vain").await;
    let sent = stage.graph.sends(2).await.remove(1);
    stage.bring(&status(&sent.id, Some(&sent.tag()), "failed", Some(131_026))).await;
    let mut told = page.until("channel_status").await;
    while told["channel_status"]["state"] != "failed" {
        told = page.until("channel_status").await;
    }
    assert_eq!(told["channel_status"], stage.status(&room, "in vain").await);
    for stranger in &mut strangers {
        stranger.say(json!({"type": "ping"})).await;
        loop {
            let frame = stranger.next().await;
            assert_ne!(frame["type"], "channel_status", "it is not theirs: {frame}");
            if frame["type"] == "pong" {
                break;
            }
        }
    }
}

#[tokio::test]
async fn a_status_that_comes_before_the_answer_of_our_own_request_counts() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    for (said, word, code, expected) in
        [("first", "read", None, "read"), ("second", "failed", Some(131_026), "failed")]
    {
        let released = Arc::new(Notify::new());
        stage.graph.script(GraphScript::Held(released.clone()));
        let before = stage.graph.sent().len();
        stage.answers(&admin, &room, said).await;
        let sent = stage.graph.sends(before + 1).await.remove(before);
        stage.bring(&status(&sent.id, Some(&sent.tag()), word, code)).await;
        stage.state(&room, said, expected).await;
        released.notify_one();
        stage.settles().await;
        let status = stage.status(&room, said).await;
        assert_eq!(status["state"], expected, "the answer does not take it back");
        if let Some(code) = code {
            assert_eq!(status["code"], code.to_string());
            assert_eq!(status["reason"], "The customer cannot be reached at WhatsApp.");
        }
    }
}

#[tokio::test]
async fn a_status_ends_an_unknown_outcome_and_nothing_is_sent_twice() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    stage.graph.script(GraphScript::TakenInSilence);
    stage.answers(&admin, &room, "once?").await;
    let sent = stage.graph.sends(1).await.remove(0);
    stage.bring(&status(&sent.id, Some(&sent.tag()), "delivered", None)).await;
    stage.state(&room, "once?", "delivered").await;
    stage.answers(&admin, &room, "next").await;
    stage.state(&room, "next", "sent").await;
    assert_eq!(stage.graph.texts_to(BUDI), ["once?", "next"], "in order, and each once");
    // The id in the status identifies the message.
    let reply = json!({"id": "wamid.re", "type": "text", "text": {"body": "yes"},
        "context": {"id": sent.id}});
    stage.bring(&super::whatsapp_stage::said(reply)).await;
    stage.said(&room, 4).await;
    let replied = stage.conversation(&room).await.pop().expect("the last");
    assert_eq!(replied["payload"]["replied_comment_message"], "once?");
}

#[tokio::test]
async fn a_limit_pauses_and_nothing_fails_and_a_dead_token_stops_the_channel() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    for code in [130_429, 4, 80_007] {
        stage.graph.script(GraphScript::Refused(400, code));
    }
    stage.answers(&admin, &room, "limited").await;
    stage.state(&room, "limited", "sent").await;
    stage.graph.script(GraphScript::Refused(400, 131_026));
    stage.answers(&admin, &room, "unreachable").await;
    let failed = stage.state(&room, "unreachable", "failed").await;
    assert_eq!(failed["code"], "131026");
    let token = stage.graph.set_token("EAAG-second-token-of-the-number-2222");
    stage.answers(&admin, &room, "waits").await;
    super::whatsapp_stage::is(&stage, "unauthorized").await;
    assert_eq!(stage.status(&room, "waits").await["state"], "queued");
    assert!(!stage.health().await.to_string().contains("EAAG"), "Meta repeats what it is shown");
    let query = [("kind", "channel_send")];
    let log = stage.office.get("/api/v2/webhooks/deliveries", &query).await;
    assert!(!log.text.contains("EAAG"));
    let update = format!("/api/v2/wa/connect/{}/update", stage.channel);
    stage.office.post(&update, json!({"access_token": token})).await.data();
    stage.state(&room, "waits", "sent").await;
    super::whatsapp_stage::is(&stage, "ok").await;
}

#[tokio::test]
async fn a_customer_who_has_it_or_read_it_has_a_receipt_in_the_room() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    stage.answers(&admin, &room, "answer").await;
    let sent = stage.graph.sends(1).await.remove(0);
    stage.state(&room, "answer", "sent").await;
    let receipt = async || {
        let id = RoomId(room.parse().expect("an id"));
        let people = stage.server.store.marked_people(id, 10).await.expect("read");
        let mut budi = people.into_iter().filter(|(user, _)| user.user_id.as_str() == BUDI);
        let (_, mark) = budi.next().expect("the customer is in the room");
        (mark.received_number.max(mark.read_number), mark.read_number)
    };
    let (received, read) = receipt().await;
    assert_eq!(received, read, "what they said themselves");
    stage.bring(&status(&sent.id, Some(&sent.tag()), "delivered", None)).await;
    stage.settles().await;
    assert_eq!(receipt().await, (received + 1, read));
    for word in ["read", "delivered"] {
        stage.bring(&status(&sent.id, Some(&sent.tag()), word, None)).await;
        stage.settles().await;
        assert_eq!(receipt().await, (received + 1, read + 1), "after {word}");
    }
}

#[tokio::test]
async fn a_blocked_account_is_misconfigured_and_nothing_is_given_up_for_it() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    stage.graph.script(GraphScript::Refused(403, 131_031));
    stage.answers(&admin, &room, "waits").await;
    super::whatsapp_stage::is(&stage, "misconfigured").await;
    assert_eq!(stage.status(&room, "waits").await["state"], "queued");
    assert!(stage.graph.sent().is_empty());
}
