//! No event of a customer is lost: it becomes a message, a reduced message, or a failed delivery
//! that an admin sees and can replay (design/channels).

use confab_domain::webhooks::event_kind::EventKind;
use serde_json::{Value, json};

use super::email::stage::{self as email, EmailStage, header};
use super::messenger::stage::{ANA, FB, PageStage};
use super::telegram::stage::Stage;
use super::whatsapp::stage::{self as whatsapp, WhatsappStage};
use crate::support::answer::text;
use crate::support::caller::unique_id;
use crate::support::office::Office;
use crate::support::waiting::{until, until_so};

const BOB: &str = "5151515151";

async fn begin_sessions(office: &Office) {
    let body = json!({"is_sessional": true});
    office.post("/api/v1/admin/service/set_sessional", body).await.data();
}

/// Blocks or unblocks the customer of a room.
async fn block(stage: &PageStage, room: &str, is_blocked: bool) {
    let body = json!({"room_id": room, "is_blocked": is_blocked});
    stage.office.post("/api/v1/customer/block", body).await.data();
}

fn reply(mid: &str, to: &str, said: &str) -> Value {
    json!({"message": {"mid": mid, "text": said, "reply_to": {"mid": to}}})
}

#[tokio::test]
async fn a_reply_to_a_message_of_an_earlier_session_is_posted_with_a_quotation() {
    let stage = WhatsappStage::start().await;
    begin_sessions(&stage.office).await;
    let admin = stage.admin().await;
    let room = stage.with_room().await;
    stage.office.assign_room(&room, &admin).await.data();
    stage.post_reply(&admin, &room, "Is it the blue one?\nOr the red one?").await;
    let name = stage.graph.sends(1).await.remove(0).id;
    stage.wait_for_state(&room, "Is it the blue one?\nOr the red one?", "sent").await;
    admin.resolve(&room).await.data();
    let message = json!({"id": "wamid.reply", "type": "text", "text": {"body": "The blue one"},
        "context": {"from": "628111111111", "id": name}});
    assert_eq!(stage.post_webhook(&whatsapp::message_webhook(message)).await.status, 200);
    stage.wait_until_delivered().await;
    let new = stage.room_of(whatsapp::BUDI).await;
    assert_ne!(new, room);
    let expected = "> Is it the blue one?\n> Or the red one?\n\nThe blue one";
    assert_eq!(stage.wait_for_texts(&new, 1).await, [expected]);
    let message = stage.conversation(&new).await.remove(0);
    assert_eq!(
        (&message["type"], &message["extras"]["reply_to_external"]),
        (&json!("text"), &json!(name))
    );
}

#[tokio::test]
async fn a_mail_that_replies_to_another_customers_mail_is_posted_without_quoting_it() {
    let stage = EmailStage::start().await;
    let admin = stage.office.hire("adam", "admin").await;
    let room = stage.with_room(email::ANA).await;
    stage.office.assign_room(&room, &admin).await.data();
    stage.post_reply(&admin, &room, "Your order is in Jakarta.").await;
    let sent = stage.mails(1).await.remove(0);
    stage.wait_for_state(&room, "Your order is in Jakarta.", "sent").await;
    let id = header(&sent, "Message-ID").to_owned();
    assert!(id.starts_with('<'), "{sent}");
    let headers =
        format!("Subject: Fwd: Order 7\nMessage-ID: <2@other.example>\nIn-Reply-To: {id}");
    stage.deliver_mail("bob@other.example", &headers, "Bob answers for Ana.");
    let his = stage.room_of("bob@other.example").await;
    assert_ne!(his, room);
    assert_eq!(stage.wait_for_texts(&his, 1).await, ["Bob answers for Ana."]);
    let shown = json!(stage.conversation(&his).await).to_string();
    assert!(!shown.contains("Jakarta") && !shown.contains("Where is it"), "{shown}");
    assert_eq!(
        stage.wait_for_texts(&room, 2).await.len(),
        2 + 1,
        "only the event of Adam's assignment was added"
    );
}

#[tokio::test]
async fn a_reply_to_a_message_of_another_customer_is_posted_without_quoting_it() {
    let stage = PageStage::start(FB).await;
    stage.post_webhook(&[stage.text(ANA, "m_secret", "my card is 4111")]).await;
    stage.post_webhook(&[stage.by(BOB, reply("m_bob", "m_secret", "what is this?"))]).await;
    stage.wait_until_delivered().await;
    let room = stage.room_of(BOB).await;
    assert_eq!(stage.wait_for_texts(&room, 1).await, ["what is this?"]);
    let like = json!({"reaction": {"mid": "m_secret", "action": "react", "emoji": "👍"}});
    stage.post_webhook(&[stage.by(BOB, like)]).await;
    stage.wait_until_delivered().await;
    let shown = stage.conversation(&room).await;
    assert_eq!(shown[1]["payload"]["content"], json!({"emoji": "👍", "replied_comment_id": null}));
    assert!(!json!(shown).to_string().contains("4111"), "{shown:?}");
}

#[tokio::test]
async fn a_reply_to_a_deleted_message_is_posted_as_a_text() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    let message = stage.conversation(&room).await.remove(0);
    stage.server.delete_messages(&[unique_id(&message)]).await.results();
    stage.post_webhook(&[stage.by(ANA, reply("m_2", "m_first", "as I said"))]).await;
    stage.wait_until_delivered().await;
    let shown = stage.conversation(&room).await;
    let last = shown.last().expect("a message");
    assert_eq!((&last["type"], &last["message"]), (&json!("text"), &json!("as I said")));
}

#[tokio::test]
async fn an_edit_that_cannot_replace_the_message_is_posted_as_a_reply_to_it() {
    let stage = Stage::hooked().await;
    let chat = json!({"id": super::telegram::stage::ANA, "type": "private", "first_name": "Ana"});
    let update = |id: i64, key: &str, message: Value| {
        let mut message = message;
        (message["chat"], message["from"]) = (chat.clone(), chat.clone());
        (message["message_id"], message["date"]) = (json!(1), json!(1_700_000_000));
        json!({"update_id": id, key: message})
    };
    stage.post_webhook(&update(1, "message", json!({"text": "I am here"}))).await;
    let place = json!({"location": {"latitude": -6.2, "longitude": 106.8}});
    stage.post_webhook(&update(2, "edited_message", place.clone())).await;
    stage.post_webhook(&update(2, "edited_message", place)).await;
    let long = "x".repeat(4_050);
    stage.post_webhook(&update(3, "edited_message", json!({"text": long}))).await;
    stage.wait_until_delivered().await;
    let room = stage.room_of(super::telegram::stage::ANA).await;
    let shown = stage.conversation(&room).await;
    let kinds: Vec<_> = shown.iter().map(|it| text(&it["type"])).collect();
    assert_eq!(kinds, ["text", "location", "file_attachment"]);
    assert_eq!(shown[1]["extras"]["replied_comment_id"], shown[0]["id"]);
    assert_eq!(
        text(&shown[0]["message"]).len(),
        4_000,
        "the message has the beginning, the file the whole text"
    );
}

#[tokio::test]
async fn a_partly_deleted_message_is_deleted_whole_when_its_customer_deletes_it() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    let url = format!("{}/cdn/cat.jpg", stage.graph.base);
    stage.graph.add_file("cat.jpg", &[7; 100]);
    let image = json!({"type": "image", "payload": {"url": url}});
    let message = json!({"mid": "m_2", "text": "both", "attachments": [image.clone(), image]});
    stage.post_webhook(&[stage.by(ANA, json!({"message": message}))]).await;
    stage.wait_until_delivered().await;
    let shown = stage.conversation(&room).await;
    assert!(shown.len() > 2, "{shown:?}");
    stage.server.delete_messages(&[unique_id(&shown[1])]).await.results();
    let deleted = json!({"message": {"mid": "m_2", "is_deleted": true}});
    stage.post_webhook(&[stage.by(ANA, deleted)]).await;
    stage.wait_until_delivered().await;
    assert_eq!(stage.server.texts(&room).await, ["hello"]);
}

#[tokio::test]
async fn a_refused_event_is_given_up_and_admins_can_inspect_and_replay_it() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    assert_eq!(stage.health().await["given_up_events"], 0);
    block(&stage, &room, true).await;
    stage.writes("m_2", "are you there?").await;
    let failed = async || {
        let all = stage.deliveries(EventKind::ChannelEvent).await;
        all.into_iter().find(|it| it["standing"] == "failed")
    };
    let failed = until("the event is given up", failed).await;
    assert_eq!(stage.health().await["given_up_events"], 1);
    let path = format!("/api/v2/webhooks/deliveries/{}", failed["id"]);
    let shown = stage.office.get(&path, &[]).await.data()["delivery"].take();
    assert!(text(&shown["body"]).contains("are you there?"), "{shown}");
    assert!(text(&shown["attempt_list"][0]["answer"]).contains("deactivated"), "{shown}");
    // Only admins of this app can read a customer's event.
    let agent = stage.office.hire("nina", "agent").await;
    assert_eq!(agent.get(&path, &[]).await.status, 403);
    let other = Office::of(&stage.server.create_app("other").await);
    let stranger = other.hire("zoe", "admin").await;
    assert_eq!(other.get(&path, &[]).await.status, 404);
    assert_eq!(stranger.get(&path, &[]).await.status, 404);
    assert_eq!(stranger.post(&format!("{path}/replay"), json!({})).await.status, 404);
    let query = [("kind", "channel_event")];
    let listed = stranger.get("/api/v2/webhooks/deliveries", &query).await.data();
    assert_eq!(listed["deliveries"], json!([]));
    // A replay succeeds once the reason is gone.
    block(&stage, &room, false).await;
    let admin = stage.admin().await;
    assert_eq!(admin.post(&format!("{path}/replay"), json!({})).await.status, 200);
    until_so("the event is posted", async || {
        stage.server.texts(&room).await[0] == "are you there?"
    })
    .await;
    stage.wait_until_delivered().await;
    assert_eq!(stage.health().await["given_up_events"], 0);
}

#[tokio::test]
async fn health_counts_the_given_up_events_of_an_inactive_channel() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    let remove = json!({"room_id": room, "user_ids": [format!("fb-{ANA}")]});
    stage.server.post("remove_room_participants", remove).await.results();
    stage.writes("m_2", "let me in").await;
    until_so("the event is given up", async || stage.health().await["given_up_events"] == 1).await;
    stage.update(json!({"is_active": false})).await.data();
    let health = stage.health().await;
    assert_eq!((&health["state"], &health["given_up_events"]), (&json!("off"), &json!(1)));
}
