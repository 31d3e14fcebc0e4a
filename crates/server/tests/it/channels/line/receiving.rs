//! Messages of LINE customers are posted in their rooms, in order and once.

use serde_json::{Value, json};

use super::stage::{LineStage, SARI};
use crate::support::answer::items;
use crate::support::waiting::until_so;

#[tokio::test]
async fn only_the_assigned_agent_can_read_and_answer_a_customers_message() {
    let stage = LineStage::start().await;
    let agent = stage.office.hire("nina", "agent").await;
    let stranger = stage.office.hire("zoe", "agent").await;
    stage.writes("hello").await;
    let room = stage.room_of(SARI).await;
    stage.wait_for_texts(&room, 1).await;
    stage.office.assign_room(&room, &agent).await.data();
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    let read = agent.get(&path, &[]).await.json();
    let first = &read["data"]["comments"][0];
    assert_eq!((&first["message"], &first["username"]), (&json!("hello"), &json!("Sari")));
    assert_eq!(first["user_avatar_url"], "https://profile.line-scdn.example/1");
    stage.post_reply(&agent, &room, "good morning").await;
    let sent = stage.line.sends(1).await;
    assert_eq!(sent[0].message(), &json!({"type": "text", "text": "good morning"}));
    stage.wait_for_state(&room, "good morning", "sent").await;
    let refused = stranger.get(&path, &[]).await;
    assert!([403, 404].contains(&refused.status), "{}", refused.text);
    let refused = stranger.post(&path, json!({"message": "x"})).await;
    assert!([403, 404].contains(&refused.status), "{}", refused.text);
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(rooms["data"]["customer_rooms"][0]["source"], "line");
}

#[tokio::test]
async fn repeated_and_reversed_events_are_posted_once_and_in_order() {
    let stage = LineStage::start().await;
    let customers: Vec<_> = (0..3).map(|it| format!("U{it}")).collect();
    let mut webhooks = Vec::new();
    for number in 0..4 {
        let said = |from: &String, half: u32| {
            stage.line.text(from, &format!("{from} says {number}.{half}"))
        };
        let all: Vec<_> =
            customers.iter().flat_map(|from| [said(from, 0), said(from, 1)]).collect();
        webhooks.push(all);
    }
    for (place, events) in webhooks.iter().enumerate() {
        stage.post_webhook(events).await;
        let mut again = webhooks[place / 2].clone();
        again.reverse();
        again.iter_mut().for_each(|it| it["deliveryContext"]["isRedelivery"] = json!(true));
        stage.post_webhook(&again).await;
    }
    for events in webhooks.iter().rev() {
        assert_eq!(stage.post_webhook(events).await.status, 200);
    }
    stage.wait_until_delivered().await;
    let (mut lost, mut twice, mut out_of_order) = (0, 0, 0);
    for from in &customers {
        let room = stage.room_of(from).await;
        let said = stage.wait_for_texts(&room, 8).await;
        let expected: Vec<_> = (0..4)
            .flat_map(|number| [0, 1].map(|half| format!("{from} says {number}.{half}")))
            .collect();
        lost += expected.iter().filter(|it| !said.contains(it)).count();
        twice += said.len().saturating_sub(8);
        out_of_order += usize::from(said != expected);
    }
    println!("24 messages in 12 webhooks: lost {lost}, twice {twice}, out of order {out_of_order}");
    assert_eq!((lost, twice, out_of_order), (0, 0, 0));
}

#[tokio::test]
async fn each_kind_of_line_event_is_posted_as_the_matching_type() {
    let stage = LineStage::start().await;
    let room = stage.with_room().await;
    let mut count = 1;
    let mut brought = async |event: Value| {
        stage.post_webhook(&[event]).await;
        count += 1;
        stage.wait_for_texts(&room, count).await;
        stage.conversation(&room).await.pop().expect("the last")
    };
    let content = json!({"type": "image", "contentProvider": {"type": "line"}});
    let image = stage.line.message(SARI, content);
    // The file is not ready at the first request.
    stage.line.add_file(image["message"]["id"].as_str().expect("an id"), &[7; 100_000], 1);
    let it = brought(image).await;
    assert_eq!((&it["type"], &it["payload"]["size"]), (&json!("file_attachment"), &json!(100_000)));
    let gone = json!({"type": "file", "fileName": "bill.pdf", "fileSize": 100});
    let it = brought(stage.line.message(SARI, gone)).await;
    assert_eq!(it["message"], "The file bill.pdf could not be fetched from the provider.");
    let place = json!({"type": "location", "title": "Monas", "address": "Jakarta",
        "latitude": -6.2, "longitude": 106.8});
    let it = brought(stage.line.message(SARI, place)).await;
    assert_eq!((&it["type"], &it["payload"]["name"]), (&json!("location"), &json!("Monas")));
    let sticker = json!({"type": "sticker", "packageId": "1", "stickerId": "2",
        "keywords": ["happy"]});
    let it = brought(stage.line.message(SARI, sticker)).await;
    assert_eq!(it["message"].as_str().map(|it| it.contains("happy")), Some(true), "{it}");
    let first = stage.line.text(SARI, "this one");
    let it = brought(first.clone()).await;
    assert_eq!(it["message"], "this one");
    let quoted = json!({"type": "text", "text": "I mean it",
        "quotedMessageId": first["message"]["id"]});
    let it = brought(stage.line.message(SARI, quoted)).await;
    assert_eq!(
        (&it["type"], &it["payload"]["replied_comment_message"]),
        (&json!("reply"), &json!("this one"))
    );
    let unsent = json!({"messageId": first["message"]["id"]});
    stage.post_webhook(&[stage.line.event(SARI, "unsend", unsent)]).await;
    until_so("the message is deleted", async || {
        !stage.server.texts(&room).await.contains(&"this one".to_owned())
    })
    .await;
    let before = stage.server.texts(&room).await.len();
    for kind in ["follow", "unfollow", "accountLink", "somethingNew"] {
        assert_eq!(
            stage.post_webhook(&[stage.line.event(SARI, kind, json!({}))]).await.status,
            200
        );
    }
    stage.wait_until_delivered().await;
    assert_eq!(stage.server.texts(&room).await.len(), before, "these events post nothing");
}

#[tokio::test]
async fn pressing_a_button_posts_its_text_once_and_only_in_its_room() {
    let stage = LineStage::start().await;
    let room = stage.with_room().await;
    let admin = stage.admin().await;
    let button = |label: &str| {
        json!({"label": label, "type": "postback", "postback_text": format!("I take {label}"),
            "payload": {"url": "#", "method": "get", "payload": {"choice": label}}})
    };
    let payload = json!({"text": "Which?", "buttons": [button("tea"), button("coffee")]});
    stage.post_reply_with(&admin, &room, json!({"type": "buttons", "payload": payload})).await;
    let sent = stage.line.sends(1).await;
    let action = sent[0].message()["template"]["actions"][1].clone();
    assert_eq!(action["label"], "coffee");
    let press = stage.line.event(SARI, "postback", json!({"data": action["data"]}));
    stage.post_webhook(std::slice::from_ref(&press)).await;
    stage.post_webhook(&[press]).await;
    assert_eq!(stage.wait_for_texts(&room, 3).await[2], "I take coffee");
    let it = stage.conversation(&room).await.pop().expect("the last");
    assert_eq!(it["type"], "button_postback_response");
    // Another customer cannot press the button for this room.
    let press = stage.line.event("U9", "postback", json!({"data": action["data"]}));
    stage.post_webhook(&[press]).await;
    let other = stage.room_of("U9").await;
    stage.wait_for_texts(&other, 1).await;
    stage.wait_until_delivered().await;
    assert_eq!(stage.server.texts(&room).await.len(), 3, "the button press is posted once");
}

#[tokio::test]
async fn a_customer_without_a_name_is_accepted_and_group_messages_are_ignored() {
    let stage = LineStage::start().await;
    let mut group = stage.line.text(SARI, "hello all");
    group["source"] = json!({"type": "group", "groupId": "C1", "userId": SARI});
    stage.post_webhook(&[group, stage.line.text("U7", "who am I?")]).await;
    let room = stage.room_of("U7").await;
    assert_eq!(stage.wait_for_texts(&room, 1).await, ["who am I?"]);
    assert_eq!(stage.conversation(&room).await[0]["username"], "line-U7");
    let is_of_group = |it: &serde_json::Value| it.as_str().is_some_and(|it| it.contains("group"));
    let notes = async || items(&stage.health().await["notes"]).iter().any(is_of_group);
    until_so("the group is noted in health", notes).await;
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(items(&rooms["data"]["customer_rooms"]).len(), 1);
}

#[tokio::test]
async fn read_marks_are_sent_to_customers_if_the_channel_enables_them() {
    let stage = LineStage::start().await;
    let said = |text: &str| {
        stage.line.message(SARI, json!({"type": "text", "text": text, "markAsReadToken": "mark"}))
    };
    stage.post_webhook(&[said("first")]).await;
    let room = stage.room_of(SARI).await;
    stage.wait_for_texts(&room, 1).await;
    let update = format!("/api/v2/line/connect/{}/update", stage.channel);
    stage.office.post(&update, json!({"read_enabled": true})).await.data();
    stage.post_webhook(&[said("second")]).await;
    until_so("the message is marked as read", async || stage.line.read() == 1).await;
}
