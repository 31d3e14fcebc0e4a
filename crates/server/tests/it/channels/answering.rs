//! Messages to customers are sent through their provider, part by part.

use serde_json::json;

use super::stage::{ANA, Stage};
use crate::support::bot_api::Scripted;

async fn with_room() -> (Stage, String) {
    let stage = Stage::polling().await;
    stage.bot.writes(ANA, "hello");
    let room = stage.room_of(ANA).await;
    stage.said(&room, 1).await;
    (stage, room)
}

#[tokio::test]
async fn a_file_of_ours_is_uploaded_and_one_of_others_is_linked() {
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
async fn what_an_agent_corrects_and_deletes_is_changed_at_the_service() {
    let (stage, room) = with_room().await;
    let admin = stage.admin().await;
    let said = stage.answers(&admin, &room, "helo").await;
    stage.state(&room, "helo", "sent").await;
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
async fn an_answer_to_a_message_answers_it_at_the_service_too() {
    let stage = Stage::polling().await;
    let first = stage.bot.writes(ANA, "hello");
    let room = stage.room_of(ANA).await;
    stage.said(&room, 1).await;
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
async fn a_long_text_is_sent_in_pieces_in_their_order() {
    let (stage, room) = with_room().await;
    let admin = stage.admin().await;
    stage.answers(&admin, &room, "first").await;
    let long = "word ".repeat(790);
    stage.answers(&admin, &room, long.trim()).await;
    stage.answers(&admin, &room, "last").await;
    let sent = stage.bot.sends(3).await;
    assert_eq!(sent[0].body["text"], "first");
    assert_eq!(sent[sent.len() - 1].body["text"], "last");
}

#[tokio::test]
async fn who_blocked_the_bot_is_not_reached_and_the_agent_is_told_why() {
    let (stage, room) = with_room().await;
    let admin = stage.admin().await;
    stage.bot.refuse("sendMessage", 403, "Forbidden: bot was blocked by the user");
    stage.answers(&admin, &room, "are you there?").await;
    let status = stage.state(&room, "are you there?", "failed").await;
    assert_eq!(status["code"], "403");
    assert_eq!(status["reason"], "The customer blocked the bot.");
    stage.answers(&admin, &room, "still?").await;
    stage.state(&room, "still?", "sent").await;
}

#[tokio::test]
async fn a_limit_pauses_the_channel_and_nothing_fails() {
    let (stage, room) = with_room().await;
    let admin = stage.admin().await;
    let limit = json!({"ok": false, "error_code": 429, "description": "Too Many Requests",
        "parameters": {"retry_after": 1}});
    for _ in 0..3 {
        stage.bot.script("sendMessage", Scripted::Answer(429, limit.clone()));
    }
    for number in 0..3 {
        stage.answers(&admin, &room, &format!("answer {number}")).await;
    }
    for number in 0..3 {
        stage.state(&room, &format!("answer {number}"), "sent").await;
    }
    assert_eq!(stage.bot.texts_to(ANA), ["answer 0", "answer 1", "answer 2"]);
    assert_eq!(stage.health().await["state"], "ok");
}

#[tokio::test]
async fn an_answer_that_nobody_heard_is_sent_once_more_and_then_said_to_be_unknown() {
    let (stage, room) = with_room().await;
    let admin = stage.admin().await;
    stage.bot.script("sendMessage", Scripted::TakenInSilence);
    stage.answers(&admin, &room, "once?").await;
    stage.state(&room, "once?", "sent").await;
    assert_eq!(stage.bot.texts_to(ANA), ["once?", "once?"], "nobody could know");
    stage.bot.script("sendMessage", Scripted::TakenInSilence);
    stage.bot.script("sendMessage", Scripted::TakenInSilence);
    stage.answers(&admin, &room, "twice?").await;
    let status = stage.state(&room, "twice?", "failed").await;
    assert_eq!(status["code"], "uncertain");
    assert_eq!(stage.bot.texts_to(ANA).len(), 4, "and not a third time");
}
