//! Messages of Messenger customers are posted in their rooms, in order and once.

use confab_test_servers::receiver::Receiver;
use serde_json::{Value, json};

use super::stage::{ANA, FB, IG, PageStage, now_ms};
use crate::support::answer::items;
use crate::support::waiting::until_so;

fn last(mut conversation: Vec<Value>) -> Value {
    conversation.pop().expect("the last")
}

#[tokio::test]
async fn only_the_assigned_agent_can_read_and_answer_a_customers_message() {
    let stage = PageStage::start(FB).await;
    let agent = stage.office.hire("nina", "agent").await;
    let stranger = stage.office.hire("zoe", "agent").await;
    let room = stage.with_room().await;
    stage.office.assign_room(&room, &agent).await.data();
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    let read = agent.get(&path, &[]).await.json();
    let first = &read["data"]["comments"][0];
    assert_eq!((&first["message"], &first["username"]), (&json!("hello"), &json!("Ana E")));
    stage.post_reply(&agent, &room, "good morning").await;
    let sent = stage.graph.says(1).await;
    assert_eq!(sent[0].body["recipient"]["id"], ANA);
    assert_eq!(sent[0].message()["text"], "good morning");
    assert_eq!(sent[0].body["messaging_type"], "RESPONSE");
    stage.wait_for_state(&room, "good morning", "sent").await;
    let refused = stranger.get(&path, &[]).await;
    assert!([403, 404].contains(&refused.status), "{}", refused.text);
    let refused = stranger.post(&path, json!({"message": "x"})).await;
    assert!([403, 404].contains(&refused.status), "{}", refused.text);
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(rooms["data"]["customer_rooms"][0]["source"], "fb");
}

#[tokio::test]
async fn repeated_and_reversed_webhooks_are_posted_once_and_in_order() {
    for kind in [FB, IG] {
        let stage = PageStage::start(kind).await;
        let customers: Vec<_> = (0..3).map(|it| format!("500{it}")).collect();
        let began = now_ms();
        let mut webhooks = Vec::new();
        for number in 0..4 {
            let said = |from: &String, half: i64| {
                let text = format!("{from} says {number}.{half}");
                let mid = format!("m_{from}_{number}_{half}");
                let message = json!({"message": {"mid": mid, "text": text}});
                stage.at(from, message, began + number * 10 + half)
            };
            let all: Vec<_> =
                customers.iter().flat_map(|from| [said(from, 0), said(from, 1)]).collect();
            webhooks.push(all);
        }
        for (place, elements) in webhooks.iter().enumerate() {
            stage.post_webhook(elements).await;
            let mut again = webhooks[place / 2].clone();
            again.reverse();
            stage.post_webhook(&again).await;
        }
        for elements in webhooks.iter().rev() {
            assert_eq!(stage.post_webhook(elements).await.status, 200);
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
        println!(
            "{}: 24 messages in 12 webhooks: lost {lost}, twice {twice}, out of order \
             {out_of_order}",
            kind.word
        );
        assert_eq!((lost, twice, out_of_order), (0, 0, 0));
    }
}

#[tokio::test]
async fn each_kind_of_messenger_event_is_posted_as_the_matching_type() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    stage.graph.add_file("cat.jpg", &[7; 100_000]);
    let cdn = |name: &str| format!("{}/cdn/{name}", stage.graph.base);
    let mut count = 1;
    let mut brought = async |message: Value, more: usize| {
        stage.post_webhook(&[stage.by(ANA, json!({"message": message}))]).await;
        count += more;
        stage.wait_for_texts(&room, count).await;
        last(stage.conversation(&room).await)
    };
    let attached = |kind: &str, payload: Value| json!([{"type": kind, "payload": payload}]);
    let image = attached("image", json!({"url": cdn("cat.jpg")}));
    let it = brought(json!({"mid": "m_2", "text": "my cat", "attachments": image}), 2).await;
    assert_eq!((&it["type"], &it["payload"]["size"]), (&json!("file_attachment"), &json!(100_000)));
    let gone = attached("file", json!({"url": cdn("bill.pdf")}));
    let it = brought(json!({"mid": "m_3", "attachments": gone}), 1).await;
    assert!(it["message"].as_str().expect("a text").starts_with("The file bill.pdf"), "{it}");
    let place = json!({"coordinates": {"lat": -6.2, "long": 106.8}});
    let it = brought(json!({"mid": "m_4", "attachments": attached("location", place)}), 1).await;
    assert_eq!(it["type"], "location");
    let shared = attached("fallback", json!({"url": "https://shop.example/1", "title": "Tea"}));
    let it = brought(json!({"mid": "m_5", "attachments": shared}), 1).await;
    assert_eq!(it["message"], "Tea\nhttps://shop.example/1");
    let it = brought(json!({"mid": "m_6", "attachments": attached("poll", json!({}))}), 1).await;
    assert_eq!(it["message"], "unsupported message (poll)");
    let reply = json!({"mid": "m_7", "text": "this one", "reply_to": {"mid": "m_first"}});
    let it = brought(reply, 1).await;
    assert_eq!(
        (&it["type"], &it["payload"]["replied_comment_message"]),
        (&json!("reply"), &json!("hello"))
    );
    let edit = json!({"message_edit": {"mid": "m_first", "text": "hello again", "num_edit": 1}});
    stage.post_webhook(&[stage.by(ANA, edit)]).await;
    until_so("the message is edited", async || {
        stage.wait_for_texts(&room, 8).await[0] == "hello again"
    })
    .await;
    let before = stage.server.texts(&room).await.len();
    for noise in [
        json!({"optin": {"ref": "x"}}),
        json!({"referral": {"source": "ADS"}}),
        json!({"somethingNew": {}}),
    ] {
        assert_eq!(stage.post_webhook(&[stage.by(ANA, noise)]).await.status, 200);
    }
    stage.wait_until_delivered().await;
    assert_eq!(stage.server.texts(&room).await.len(), before, "these events post nothing");
}

#[tokio::test]
async fn a_button_press_posts_its_text_once_and_a_reaction_is_a_custom_message() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    let bot = Receiver::start().await;
    stage.server.tell("bot", &bot.url, &json!({})).await;
    let admin = stage.admin().await;
    let button = |label: &str| {
        json!({"label": label, "type": "postback", "postback_text": format!("I take {label}"),
            "payload": {"url": "#", "method": "get", "payload": {"choice": label}}})
    };
    let payload = json!({"text": "Which?", "buttons": [button("tea"), button("coffee")]});
    stage.post_reply_with(&admin, &room, json!({"type": "buttons", "payload": payload})).await;
    let sent = stage.graph.says(1).await.remove(0);
    let pressed = sent.message()["attachment"]["payload"]["buttons"][1].clone();
    assert_eq!(pressed["title"], "coffee");
    let postback = json!({"mid": "m_press", "title": "coffee", "payload": pressed["payload"]});
    let press = stage.by(ANA, json!({"postback": postback}));
    stage.post_webhook(std::slice::from_ref(&press)).await;
    stage.post_webhook(&[press]).await;
    assert_eq!(stage.wait_for_texts(&room, 3).await[2], "I take coffee");
    assert_eq!(last(stage.conversation(&room).await)["type"], "button_postback_response");
    assert!(bot.next().await.text().contains("I take coffee"));
    let heart = json!({"mid": sent.id, "action": "react", "reaction": "love", "emoji": "\u{2764}"});
    stage.post_webhook(&[stage.by(ANA, json!({"reaction": heart}))]).await;
    stage.wait_for_texts(&room, 4).await;
    let it = last(stage.conversation(&room).await);
    assert_eq!((&it["type"], &it["payload"]["type"]), (&json!("custom"), &json!("reaction")));
    // Another customer cannot press the button for this room.
    let postback = json!({"mid": "m_other", "title": "coffee", "payload": pressed["payload"]});
    stage.post_webhook(&[stage.by("5151", json!({"postback": postback}))]).await;
    let other = stage.room_of("5151").await;
    stage.wait_for_texts(&other, 1).await;
    stage.wait_until_delivered().await;
    assert_eq!(stage.server.texts(&room).await.len(), 4, "the button press is posted once");
    // More than three buttons become quick replies, which return with the text.
    let many = ["a", "b", "c", "d"].map(button);
    let payload = json!({"text": "Many?", "buttons": many});
    stage.post_reply_with(&admin, &room, json!({"type": "buttons", "payload": payload})).await;
    let sent = stage.graph.says(2).await.remove(1);
    let reply = sent.message()["quick_replies"][3]["payload"].clone();
    let message = json!({"mid": "m_quick", "text": "d", "quick_reply": {"payload": reply}});
    stage.post_webhook(&[stage.by(ANA, json!({"message": message}))]).await;
    until_so("the button press is posted", async || {
        stage.server.texts(&room).await.contains(&"I take d".to_owned())
    })
    .await;
}

#[tokio::test]
async fn a_message_from_the_page_inbox_is_posted_as_system_and_not_sent() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    let bot = Receiver::start().await;
    stage.server.tell("bot", &bot.url, &json!({})).await;
    let message = json!({"mid": "m_inbox", "text": "from the page inbox", "app_id": 2_639_i64});
    let echo = stage.echo(ANA, message);
    stage.post_webhook(std::slice::from_ref(&echo)).await;
    stage.post_webhook(&[echo]).await;
    assert_eq!(stage.wait_for_texts(&room, 2).await, ["hello", "from the page inbox"]);
    let it = last(stage.conversation(&room).await);
    assert_eq!(
        (&it["username"], &it["channel_status"]["state"]),
        (&json!("System"), &json!("sent"))
    );
    stage.wait_until_delivered().await;
    assert!(stage.graph.said().is_empty());
    stage.writes("m_thanks", "thanks").await;
    assert!(bot.next().await.text().contains("thanks"), "the bot is not notified of echoes");
    assert_eq!(stage.wait_for_texts(&room, 3).await.len(), 3, "the message is posted once");
    // Metadata of another tool is not ours.
    let message = json!({"mid": "m_tool", "text": "by a tool", "metadata": "1.2.3"});
    stage.post_webhook(&[stage.echo(ANA, message)]).await;
    assert_eq!(stage.wait_for_texts(&room, 4).await[3], "by a tool");
}

#[tokio::test]
async fn a_customer_without_a_name_is_accepted_and_an_inactive_channel_posts_nothing() {
    let stage = PageStage::start(FB).await;
    stage.post_webhook(&[stage.text("7007", "m_who", "who am I?")]).await;
    let room = stage.room_of("7007").await;
    assert_eq!(stage.wait_for_texts(&room, 1).await, ["who am I?"]);
    assert_eq!(stage.conversation(&room).await[0]["username"], "fb-7007");
    stage.update(json!({"is_active": false})).await.data();
    stage.post_webhook(&[stage.text("7007", "m_off", "anybody?")]).await;
    stage.update(json!({"is_active": true})).await.data();
    stage.post_webhook(&[stage.text("7007", "m_on", "and now?")]).await;
    assert_eq!(stage.wait_for_texts(&room, 2).await, ["who am I?", "and now?"]);
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(items(&rooms["data"]["customer_rooms"]).len(), 1);
}

#[tokio::test]
async fn read_marks_are_sent_to_customers_if_the_channel_enables_them() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    stage.update(json!({"read_enabled": true})).await.data();
    stage.writes("m_second", "and this").await;
    stage.wait_for_texts(&room, 2).await;
    until_so("the message is marked as read", async || stage.graph.actions() == ["mark_seen"])
        .await;
}
