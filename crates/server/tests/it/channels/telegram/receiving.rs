//! Events of customers at a provider are posted in their rooms, once and in order.

use confab_domain::webhooks::event_kind::EventKind;
use serde_json::json;

use super::stage::{ANA, Stage, message};
use crate::realtime::watcher::Watcher;
use crate::support::answer::items;
use crate::support::waiting::until_so;

#[tokio::test]
async fn the_assigned_agent_can_read_and_answer_and_another_agent_cannot_post() {
    let stage = Stage::polling().await;
    let agent = stage.office.hire("nina", "agent").await;
    let stranger = stage.office.hire("otto", "agent").await;
    stage.bot.writes(ANA, "hello");
    let room = stage.room_of(ANA).await;
    assert_eq!(stage.wait_for_texts(&room, 1).await, ["hello"]);
    stage.office.assign_room(&room, &agent).await.data();
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    let answer = json!({"message": "How can I help?"});
    stranger.post(&path, answer.clone()).await.errors(403, "not_serving");
    agent.post(&path, answer).await.data();
    let sent = stage.bot.sends(1).await;
    assert_eq!(sent[0].method, "sendMessage");
    assert_eq!(sent[0].body, json!({"chat_id": ANA, "text": "How can I help?"}));
    stage.wait_for_state(&room, "How can I help?", "sent").await;
    let read = agent.get(&path, &[]).await.json();
    let texts: Vec<_> = items(&read["data"]["comments"]).iter().map(message).collect();
    assert!(texts.contains(&"hello") && texts.contains(&"How can I help?"), "{texts:?}");
    let listed = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    let row = &items(&listed["data"]["customer_rooms"])[0];
    assert_eq!((&row["source"], &row["name"]), (&json!("telegram"), &json!("Ana Silva")));
}

#[tokio::test]
async fn repeated_and_reversed_updates_are_posted_once_and_in_order() {
    let stage = Stage::hooked().await;
    let customers = [77, 78, 79];
    let mut updates = Vec::new();
    for number in 0..8 {
        for chat in customers {
            updates.push(stage.bot.message(chat, json!({"text": format!("{chat} says {number}")})));
        }
    }
    // Each update arrives three times, some long after the others.
    for (place, update) in updates.iter().enumerate() {
        stage.post_webhook(update).await;
        stage.post_webhook(&updates[place / 2]).await;
    }
    for update in updates.iter().rev() {
        assert_eq!(stage.post_webhook(update).await.status, 200);
    }
    let (mut lost, mut twice, mut out_of_order) = (0, 0, 0);
    stage.wait_until_delivered().await;
    for chat in customers {
        let room = stage.room_of(chat).await;
        let said = stage.wait_for_texts(&room, 8).await;
        let expected: Vec<_> = (0..8).map(|number| format!("{chat} says {number}")).collect();
        lost += expected.iter().filter(|it| !said.contains(it)).count();
        twice += said.len().saturating_sub(8);
        out_of_order += usize::from(said != expected);
    }
    println!("72 updates of 24 messages: lost {lost}, twice {twice}, out of order {out_of_order}");
    assert_eq!((lost, twice, out_of_order), (0, 0, 0));
}

#[tokio::test]
async fn button_presses_edits_and_replies_are_posted_as_the_matching_type() {
    let stage = Stage::polling().await;
    let first = stage.bot.writes(ANA, "hello");
    let room = stage.room_of(ANA).await;
    stage.wait_for_texts(&room, 1).await;
    let button = |label: &str| {
        json!({"label": label, "type": "postback", "postback_text": format!("I take {label}"),
            "payload": {"url": "#", "method": "get", "payload": {"choice": label}}})
    };
    let payload = json!({"text": "Which?", "buttons": [button("tea"), button("coffee")]});
    stage.post_as_bot(&room, json!({"type": "buttons", "payload": payload})).await.data();
    let sent = stage.bot.sends(1).await;
    let keyboard = &sent[0].body["reply_markup"]["inline_keyboard"];
    let pressed = items(keyboard).iter().flat_map(|row| items(row)).nth(1).expect("a button");
    let query = json!({"id": "q1", "from": {"id": ANA, "first_name": "Ana"},
        "message": {"message_id": 9, "chat": {"id": ANA, "type": "private"}},
        "data": pressed["callback_data"]});
    stage.bot.tell(&stage.bot.numbered(json!({"callback_query": query})));
    stage.bot.called("answerCallbackQuery", 1).await;
    assert_eq!(stage.wait_for_texts(&room, 3).await[2], "I take coffee");
    let mut edited = first["message"].clone();
    edited["text"] = json!("hello again");
    edited["edit_date"] = json!(1_800_000_100);
    stage.bot.tell(&stage.bot.numbered(json!({"edited_message": edited})));
    until_so("the message is edited", async || {
        stage.wait_for_texts(&room, 3).await[0] == "hello again"
    })
    .await;
    let to = json!({"message_id": first["message"]["message_id"],
        "chat": {"id": ANA, "type": "private"}});
    let reply = stage.bot.message(ANA, json!({"text": "I meant this", "reply_to_message": to}));
    stage.bot.tell(&reply);
    stage.wait_for_texts(&room, 4).await;
    let reply = stage.conversation(&room).await.pop().expect("the last");
    assert_eq!((&reply["type"], message(&reply)), (&json!("reply"), "I meant this"));
    assert_eq!(reply["payload"]["replied_comment_message"], "hello again");
}

/// Telegram: "the message originated the query can contain no callback buttons with this data".
#[tokio::test]
async fn a_press_of_a_button_that_was_never_sent_posts_nothing_and_is_given_up() {
    let stage = Stage::polling().await;
    stage.bot.writes(ANA, "hello");
    let room = stage.room_of(ANA).await;
    stage.wait_for_texts(&room, 1).await;
    let chat = json!({"id": ANA, "type": "private"});
    let button = json!({"text": "Tea", "callback_data": "of another tool"});
    let keyboard = json!({"inline_keyboard": [[button]]});
    let press = |id: &str, data: &str| {
        let message = json!({"message_id": 9, "chat": chat, "reply_markup": keyboard});
        stage.bot.numbered(json!({"callback_query": {"id": id,
            "from": {"id": ANA, "first_name": "Ana"}, "message": message, "data": data}}))
    };
    for (id, data) in [("q1", "pay:1000"), ("q2", "confab:7:0"), ("q3", "of another tool")] {
        stage.bot.tell(&press(id, data));
    }
    assert_eq!(
        stage.wait_for_texts(&room, 2).await,
        ["hello", "Tea"],
        "only the button of the keyboard is posted"
    );
    stage.wait_until_delivered().await;
    assert_eq!(stage.wait_for_texts(&room, 2).await.len(), 2);
    let events = stage.deliveries(EventKind::ChannelEvent).await;
    let given_up = events.iter().filter(|it| it["standing"] == "failed").count();
    assert_eq!(given_up, 2, "the presses are listed as given up");
}

#[tokio::test]
async fn a_photo_is_stored_with_its_message_and_a_missing_file_is_named() {
    let stage = Stage::polling().await;
    stage.bot.add_file("photo-1", &[7; 100_000]);
    let sizes = json!([
        {"file_id": "small", "width": 10, "height": 10, "file_size": 10},
        {"file_id": "photo-1", "width": 800, "height": 600, "file_size": 100_000},
    ]);
    stage.bot.tell(&stage.bot.message(ANA, json!({"photo": sizes, "caption": "my cat"})));
    let room = stage.room_of(ANA).await;
    stage.wait_for_texts(&room, 1).await;
    let said = stage.conversation(&room).await.remove(0);
    assert_eq!(
        (&said["type"], &said["payload"]["caption"]),
        (&json!("file_attachment"), &json!("my cat"))
    );
    let url = said["payload"]["url"].as_str().expect("an address");
    let file = reqwest::get(url).await.expect("served").bytes().await.expect("whole");
    assert_eq!(file, vec![7; 100_000]);
    let missing = json!([{"file_id": "gone", "width": 8, "height": 6}]);
    stage.bot.tell(&stage.bot.message(ANA, json!({"photo": missing, "caption": "lost"})));
    let said = stage.wait_for_texts(&room, 2).await;
    assert!(said[1].contains("lost") && said[1].contains("could not be fetched"), "{said:?}");
    let large = json!({"file_id": "x", "file_name": "film.mkv", "file_size": 90_000_000});
    stage.bot.tell(&stage.bot.message(ANA, json!({"document": large})));
    let said = stage.wait_for_texts(&room, 3).await;
    assert_eq!(said[2], "The file film.mkv is too large to be brought here.");
}

#[tokio::test]
async fn group_messages_are_ignored_and_noted_once_in_health() {
    let stage = Stage::polling().await;
    let mut update = stage.bot.message(-100, json!({"text": "hello all"}));
    update["message"]["chat"]["type"] = json!("group");
    stage.bot.tell(&update);
    stage.bot.writes(ANA, "hello");
    let room = stage.room_of(ANA).await;
    assert_eq!(stage.wait_for_texts(&room, 1).await, ["hello"]);
    until_so("the group is noted in health", async || {
        items(&stage.health().await["notes"]).len() == 1
    })
    .await;
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(items(&rooms["data"]["customer_rooms"]).len(), 1);
}

#[tokio::test]
async fn a_connected_agent_receives_the_messages_of_a_telegram_customer() {
    let stage = Stage::polling().await;
    let agent = stage.office.hire("nina", "agent").await;
    stage.bot.writes(ANA, "hello");
    let room = stage.room_of(ANA).await;
    // The room is created before its session.
    stage.wait_for_texts(&room, 1).await;
    stage.office.assign_room(&room, &agent).await.data();
    let shown = stage.office.shown(agent.id).await;
    let token = shown["sdk_key"].as_str().expect("a key");
    let watching = Watcher::try_start(&stage.server, token, "").await;
    let Ok(mut watcher) = watching else { panic!("the watcher connects") };
    stage.bot.writes(ANA, "are you there?");
    while watcher.next_text().await.1 != "are you there?" {}
}

#[tokio::test]
async fn a_message_of_an_unsupported_type_is_posted_as_a_placeholder() {
    let stage = Stage::polling().await;
    let poll = json!({"id": "1", "question": "Tea?", "options": []});
    stage.bot.tell(&stage.bot.message(ANA, json!({"poll": poll})));
    let room = stage.room_of(ANA).await;
    let said = stage.wait_for_texts(&room, 1).await;
    assert!(said[0].starts_with("unsupported message (poll)"), "{said:?}");
    assert_eq!(stage.deliveries(EventKind::ChannelEvent).await.len(), 1);
}
