//! Messages to customers are sent through their provider, part by part.

use serde_json::json;

use super::stage::{ANA, Stage};
use crate::support::stand_ins::bot_api::Scripted;

async fn with_room() -> (Stage, String) {
    let stage = Stage::polling().await;
    stage.bot.writes(ANA, "hello");
    let room = stage.room_of(ANA).await;
    stage.wait_for_texts(&room, 1).await;
    (stage, room)
}

#[tokio::test]
async fn an_uploaded_file_is_sent_as_bytes_and_an_external_file_by_its_url() {
    let (stage, room) = with_room().await;
    let admin = stage.admin().await;
    let head = "--limit\r\nContent-Disposition: form-data; name=\"file\"; \
                filename=\"cat.png\"\r\n\r\n";
    let form = [head.as_bytes(), &[3; 200_000], b"\r\n--limit--\r\n"].concat();
    let request = admin.request(reqwest::Method::POST, "/api/v2/files");
    let request = request.header("Content-Type", "multipart/form-data; boundary=limit");
    let kept = crate::support::caller::sent(request.body(form)).await.data();
    let payload = json!({"url": kept["file"]["url"], "caption": "a cat"});
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    let body = json!({"type": "file_attachment", "payload": payload});
    admin.post(&path, body).await.data();
    let sent = stage.bot.sends(1).await;
    assert_eq!((sent[0].method.as_str(), sent[0].file.len()), ("sendPhoto", 200_000));
    assert_eq!(
        (&sent[0].body["chat_id"], &sent[0].body["caption"]),
        (&json!(ANA), &json!("a cat"))
    );
    let payload = json!({"url": "https://cdn.example.com/a.pdf", "caption": ""});
    let body = json!({"type": "file_attachment", "payload": payload});
    admin.post(&path, body).await.data();
    let sent = stage.bot.sends(2).await;
    assert_eq!(sent[1].method, "sendDocument");
    assert_eq!(sent[1].body["document"], "https://cdn.example.com/a.pdf");
}

#[tokio::test]
async fn editing_or_deleting_a_message_changes_it_at_telegram() {
    let (stage, room) = with_room().await;
    let admin = stage.admin().await;
    let said = stage.post_reply(&admin, &room, "helo").await;
    stage.wait_for_state(&room, "helo", "sent").await;
    let id = said["unique_temp_id"].as_str().expect("an id");
    let path = format!("/api/v2/customer_rooms/{room}/messages/{id}");
    admin.patch(&path, json!({"message": "hello"})).await.data();
    let edited = stage.bot.called("editMessageText", 1).await;
    assert_eq!(
        (&edited[0].body["chat_id"], &edited[0].body["text"]),
        (&json!(ANA), &json!("hello"))
    );
    admin.delete(&path).await.data();
    let deleted = stage.bot.called("deleteMessage", 1).await;
    assert_eq!(deleted[0].body["message_id"], edited[0].body["message_id"]);
}

#[tokio::test]
async fn a_reply_to_a_message_is_a_reply_at_telegram() {
    let stage = Stage::polling().await;
    let first = stage.bot.writes(ANA, "hello");
    let room = stage.room_of(ANA).await;
    stage.wait_for_texts(&room, 1).await;
    let admin = stage.admin().await;
    let theirs = stage.conversation(&room).await.remove(0);
    let payload = json!({"text": "to this", "replied_comment_id": theirs["id"]});
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    admin.post(&path, json!({"type": "reply", "payload": payload})).await.data();
    let sent = stage.bot.sends(1).await;
    let reply = &sent[0].body["reply_parameters"];
    assert_eq!(reply["message_id"], first["message"]["message_id"]);
}

#[tokio::test]
async fn a_long_text_is_sent_between_the_messages_around_it() {
    let (stage, room) = with_room().await;
    let admin = stage.admin().await;
    stage.post_reply(&admin, &room, "first").await;
    let long = "word ".repeat(790);
    stage.post_reply(&admin, &room, long.trim()).await;
    stage.post_reply(&admin, &room, "last").await;
    let sent = stage.bot.sends(3).await;
    assert_eq!(sent[0].body["text"], "first");
    assert_eq!(sent[sent.len() - 1].body["text"], "last");
}

#[tokio::test]
async fn a_message_to_a_customer_who_blocked_the_bot_fails_with_the_reason() {
    let (stage, room) = with_room().await;
    let admin = stage.admin().await;
    stage.bot.refuse("sendMessage", 403, "Forbidden: bot was blocked by the user");
    stage.post_reply(&admin, &room, "are you there?").await;
    let status = stage.wait_for_state(&room, "are you there?", "failed").await;
    assert_eq!(status["code"], "403");
    assert_eq!(status["reason"], "The customer blocked the bot.");
    stage.post_reply(&admin, &room, "still?").await;
    stage.wait_for_state(&room, "still?", "sent").await;
}

#[tokio::test]
async fn a_rate_limit_delays_messages_and_none_fails() {
    let (stage, room) = with_room().await;
    let admin = stage.admin().await;
    let limit = json!({"ok": false, "error_code": 429, "description": "Too Many Requests",
        "parameters": {"retry_after": 1}});
    for _ in 0..3 {
        stage.bot.script("sendMessage", Scripted::Answer(429, limit.clone()));
    }
    for number in 0..3 {
        stage.post_reply(&admin, &room, &format!("answer {number}")).await;
    }
    for number in 0..3 {
        stage.wait_for_state(&room, &format!("answer {number}"), "sent").await;
    }
    assert_eq!(stage.bot.texts_to(ANA), ["answer 0", "answer 1", "answer 2"]);
    assert_eq!(stage.health().await["state"], "ok");
}

#[tokio::test]
async fn a_send_without_a_response_is_repeated_once_and_then_fails_as_uncertain() {
    let (stage, room) = with_room().await;
    let admin = stage.admin().await;
    stage.bot.script("sendMessage", Scripted::TakenInSilence);
    stage.post_reply(&admin, &room, "once?").await;
    stage.wait_for_state(&room, "once?", "sent").await;
    assert_eq!(
        stage.bot.texts_to(ANA),
        ["once?", "once?"],
        "the first send has an unknown outcome"
    );
    stage.bot.script("sendMessage", Scripted::TakenInSilence);
    stage.bot.script("sendMessage", Scripted::TakenInSilence);
    stage.post_reply(&admin, &room, "twice?").await;
    let status = stage.wait_for_state(&room, "twice?", "failed").await;
    assert_eq!(status["code"], "uncertain");
    assert_eq!(stage.bot.texts_to(ANA).len(), 4, "each message is sent at most twice");
}
