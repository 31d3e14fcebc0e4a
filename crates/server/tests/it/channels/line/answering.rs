//! Messages to LINE customers: free replies while a reply token is fresh, else pushes
//! (design/channels).

use serde_json::json;

use super::stage::{LineStage, SARI};
use crate::support::stand_ins::line_api::LineScript;

#[tokio::test]
async fn a_fresh_reply_token_is_used_once_and_later_messages_are_pushed() {
    let stage = LineStage::start().await;
    let admin = stage.admin().await;
    stage.writes("hello").await;
    let room = stage.room_of(SARI).await;
    stage.wait_for_texts(&room, 1).await;
    for answer in ["first", "second"] {
        stage.post_reply(&admin, &room, answer).await;
        stage.wait_for_state(&room, answer, "sent").await;
    }
    stage.writes("and now?").await;
    stage.wait_for_texts(&room, 4).await;
    stage.post_reply(&admin, &room, "third").await;
    stage.wait_for_state(&room, "third", "sent").await;
    let ways: Vec<_> = stage.line.sent().iter().map(|it| it.is_reply()).collect();
    assert_eq!(ways, [true, false, true]);
    assert_eq!(stage.line.sent()[1].body["to"], SARI);
    assert_eq!(stage.line.texts(), ["first", "second", "third"]);
}

#[tokio::test]
async fn an_expired_or_used_reply_token_causes_a_push() {
    let stage = LineStage::start().await;
    let admin = stage.admin().await;
    let room = stage.with_room().await;
    stage.post_reply(&admin, &room, "late").await;
    stage.wait_for_state(&room, "late", "sent").await;
    stage.writes("again").await;
    stage.wait_for_texts(&room, 3).await;
    stage.line.script(LineScript::Refused(400, "Invalid reply token"));
    stage.post_reply(&admin, &room, "spent").await;
    stage.wait_for_state(&room, "spent", "sent").await;
    let ways: Vec<_> = stage.line.sent().iter().map(|it| it.is_reply()).collect();
    assert_eq!(ways, [false, false]);
    assert_eq!(stage.line.texts(), ["late", "spent"]);
}

#[tokio::test]
async fn a_send_whose_request_or_response_is_lost_arrives_once() {
    let stage = LineStage::start().await;
    let admin = stage.admin().await;
    let room = stage.with_room().await;
    // Repeated pushes are recognized by their retry key.
    for _ in 0..2 {
        stage.line.script(LineScript::TakenInSilence);
    }
    stage.post_reply(&admin, &room, "pushed").await;
    stage.wait_for_state(&room, "pushed", "sent").await;
    stage.line.script(LineScript::Lost);
    stage.post_reply(&admin, &room, "lost on its way").await;
    stage.wait_for_state(&room, "lost on its way", "sent").await;
    // A reply is recognized by its token, which is valid once.
    stage.writes("again").await;
    stage.wait_for_texts(&room, 4).await;
    stage.line.script(LineScript::TakenInSilence);
    stage.post_reply(&admin, &room, "replied").await;
    stage.wait_for_state(&room, "replied", "sent").await;
    stage.wait_until_delivered().await;
    assert_eq!(stage.line.texts(), ["pushed", "lost on its way", "replied"]);
    assert!(stage.line.sent()[2].is_reply());
}

#[tokio::test]
async fn images_are_sent_by_url_and_other_files_as_links_in_texts() {
    let stage = LineStage::start().await;
    let admin = stage.admin().await;
    let room = stage.with_room().await;
    for url in ["https://cdn.example.com/cat.png", "https://cdn.example.com/bill.pdf"] {
        let payload = json!({"url": url, "caption": ""});
        let body = json!({"type": "file_attachment", "payload": payload});
        stage.post_reply_with(&admin, &room, body).await;
    }
    let sent = stage.line.sends(2).await;
    assert_eq!(sent[0].message()["originalContentUrl"], "https://cdn.example.com/cat.png");
    assert_eq!(sent[1].message()["text"], "bill.pdf\nhttps://cdn.example.com/bill.pdf");
    let head = "--limit\r\nContent-Disposition: form-data; name=\"file\"; \
                filename=\"dog.png\"\r\n\r\n";
    let form = [head.as_bytes(), &[3; 2_000], b"\r\n--limit--\r\n"].concat();
    let request = admin.request(reqwest::Method::POST, "/api/v2/files");
    let request = request.header("Content-Type", "multipart/form-data; boundary=limit");
    let kept = crate::support::caller::sent(request.body(form)).await.data();
    let payload = json!({"url": kept["file"]["url"], "caption": "a dog"});
    stage
        .post_reply_with(&admin, &room, json!({"type": "file_attachment", "payload": payload}))
        .await;
    let sent = stage.line.sends(4).await;
    assert_eq!(sent[2].message()["originalContentUrl"], kept["file"]["url"]);
    assert_eq!(sent[3].message()["text"], "a dog");
}

#[tokio::test]
async fn a_rate_limit_delays_messages_and_a_used_up_quota_fails_with_the_reason() {
    let stage = LineStage::start().await;
    let admin = stage.admin().await;
    let room = stage.with_room().await;
    stage.line.script(LineScript::Refused(429, "The API rate limit has been exceeded."));
    stage.post_reply(&admin, &room, "slowly").await;
    stage.wait_for_state(&room, "slowly", "sent").await;
    stage.line.script(LineScript::Refused(429, "You have reached your monthly limit."));
    stage.post_reply(&admin, &room, "too much").await;
    let status = stage.wait_for_state(&room, "too much", "failed").await;
    assert_eq!(status["code"], "quota_spent");
    // The refusal changes the channel's health at once, before the next check.
    stage.wait_for_health("limited").await;
    stage.line.set_quota_used(1000);
    let path = format!("/api/v2/channels/{}/check", stage.channel);
    let health = stage.office.post(&path, json!({})).await.data();
    assert_eq!(health["health"]["state"], "limited");
    stage.line.script(LineScript::Refused(400, "The request body has 1 error(s)"));
    stage.post_reply(&admin, &room, "refused").await;
    let status = stage.wait_for_state(&room, "refused", "failed").await;
    assert_eq!(status["code"], "400");
    stage.post_reply(&admin, &room, "and it goes on").await;
    stage.wait_for_state(&room, "and it goes on", "sent").await;
}

#[tokio::test]
async fn health_shows_the_used_part_of_the_monthly_quota() {
    let stage = LineStage::start().await;
    stage.line.set_quota_used(420);
    let path = format!("/api/v2/channels/{}/check", stage.channel);
    let health = stage.office.post(&path, json!({})).await.data();
    assert_eq!(health["health"]["state"], "ok");
    let notes = health["health"]["notes"].to_string();
    assert!(notes.contains("420 of this month's 1000 messages are used."), "{notes}");
}

#[tokio::test]
async fn messages_wait_for_an_invalid_token_and_are_sent_once_it_is_replaced() {
    let stage = LineStage::start().await;
    let admin = stage.admin().await;
    let room = stage.with_room().await;
    let token = stage.line.set_token("line-second-token-of-the-account-2222");
    for number in 0..3 {
        stage.post_reply(&admin, &room, &format!("answer {number}")).await;
    }
    stage.wait_for_health("unauthorized").await;
    assert_eq!(stage.health().await["waiting"], 3);
    let update = format!("/api/v2/line/connect/{}/update", stage.channel);
    let refused = stage.office.post(&update, json!({"access_token": "wrong"})).await;
    refused.errors(400, "invalid_request").says("access_token");
    stage.office.post(&update, json!({"access_token": token})).await.data();
    for number in 0..3 {
        stage.wait_for_state(&room, &format!("answer {number}"), "sent").await;
    }
    assert_eq!(stage.line.texts(), ["answer 0", "answer 1", "answer 2"]);
    stage.wait_for_health("ok").await;
}
