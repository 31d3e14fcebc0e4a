//! Messages of Messenger customers are posted in their rooms, in order and once.

use confab_test_servers::receiver::Receiver;
use serde_json::{Value, json};

use super::page_stage::{ANA, FB, IG, PageStage, now_ms};
use crate::support::answer::items;
use crate::support::waiting::until_so;

fn last(mut conversation: Vec<Value>) -> Value {
    conversation.pop().expect("the last")
}

#[tokio::test]
async fn a_customer_writes_and_the_chosen_agent_reads_and_answers_and_a_stranger_finds_nothing() {
    let stage = PageStage::start(FB).await;
    let agent = stage.office.hire("nina", "agent").await;
    let stranger = stage.office.hire("zoe", "agent").await;
    let room = stage.with_room().await;
    stage.office.assign_room(&room, &agent).await.data();
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    let read = agent.get(&path, &[]).await.json();
    let first = &read["data"]["comments"][0];
    assert_eq!((&first["message"], &first["username"]), (&json!("hello"), &json!("Ana E")));
    stage.answers(&agent, &room, "good morning").await;
    let sent = stage.graph.says(1).await;
    assert_eq!(sent[0].body["recipient"]["id"], ANA);
    assert_eq!(sent[0].message()["text"], "good morning");
    assert_eq!(sent[0].body["messaging_type"], "RESPONSE");
    stage.state(&room, "good morning", "sent").await;
    let refused = stranger.get(&path, &[]).await;
    assert!([403, 404].contains(&refused.status), "{}", refused.text);
    let refused = stranger.post(&path, json!({"message": "x"})).await;
    assert!([403, 404].contains(&refused.status), "{}", refused.text);
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(rooms["data"]["customer_rooms"][0]["source"], "fb");
}

#[tokio::test]
async fn every_element_is_received_once_and_in_order_however_often_it_comes() {
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
            stage.bring(elements).await;
            let mut again = webhooks[place / 2].clone();
            again.reverse();
            stage.bring(&again).await;
        }
        for elements in webhooks.iter().rev() {
            assert_eq!(stage.bring(elements).await.status, 200);
        }
        stage.settles().await;
        let (mut lost, mut twice, mut out_of_order) = (0, 0, 0);
        for from in &customers {
            let room = stage.room_of(from).await;
            let said = stage.said(&room, 8).await;
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
async fn every_type_comes_in_as_what_it_is() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    stage.graph.add_file("cat.jpg", &[7; 100_000]);
    let cdn = |name: &str| format!("{}/cdn/{name}", stage.graph.base);
    let mut count = 1;
    let mut brought = async |message: Value, more: usize| {
        stage.bring(&[stage.by(ANA, json!({"message": message}))]).await;
        count += more;
        stage.said(&room, count).await;
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
    stage.bring(&[stage.by(ANA, edit)]).await;
    until_so("it is edited", async || stage.said(&room, 8).await[0] == "hello again").await;
    let before = stage.server.texts(&room).await.len();
    for noise in [
        json!({"optin": {"ref": "x"}}),
        json!({"referral": {"source": "ADS"}}),
        json!({"somethingNew": {}}),
    ] {
        assert_eq!(stage.bring(&[stage.by(ANA, noise)]).await.status, 200);
    }
    stage.settles().await;
    assert_eq!(stage.server.texts(&room).await.len(), before, "these say nothing");
}

#[tokio::test]
async fn a_press_finds_the_button_that_was_sent_and_a_reaction_opens_nothing() {
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
    stage.answers_with(&admin, &room, json!({"type": "buttons", "payload": payload})).await;
    let sent = stage.graph.says(1).await.remove(0);
    let pressed = sent.message()["attachment"]["payload"]["buttons"][1].clone();
    assert_eq!(pressed["title"], "coffee");
    let postback = json!({"mid": "m_press", "title": "coffee", "payload": pressed["payload"]});
    let press = stage.by(ANA, json!({"postback": postback}));
    stage.bring(std::slice::from_ref(&press)).await;
    stage.bring(&[press]).await;
    assert_eq!(stage.said(&room, 3).await[2], "I take coffee");
    assert_eq!(last(stage.conversation(&room).await)["type"], "button_postback_response");
    assert!(bot.next().await.text().contains("I take coffee"));
    let heart = json!({"mid": sent.id, "action": "react", "reaction": "love", "emoji": "\u{2764}"});
    stage.bring(&[stage.by(ANA, json!({"reaction": heart}))]).await;
    stage.said(&room, 4).await;
    let it = last(stage.conversation(&room).await);
    assert_eq!((&it["type"], &it["payload"]["type"]), (&json!("custom"), &json!("reaction")));
    // Another customer cannot press the button for this room.
    let postback = json!({"mid": "m_other", "title": "coffee", "payload": pressed["payload"]});
    stage.bring(&[stage.by("5151", json!({"postback": postback}))]).await;
    let other = stage.room_of("5151").await;
    stage.said(&other, 1).await;
    stage.settles().await;
    assert_eq!(stage.server.texts(&room).await.len(), 4, "and it was pressed once");
    // More than three buttons become quick replies, which return with the text.
    let many = ["a", "b", "c", "d"].map(button);
    let payload = json!({"text": "Many?", "buttons": many});
    stage.answers_with(&admin, &room, json!({"type": "buttons", "payload": payload})).await;
    let sent = stage.graph.says(2).await.remove(1);
    let reply = sent.message()["quick_replies"][3]["payload"].clone();
    let message = json!({"mid": "m_quick", "text": "d", "quick_reply": {"payload": reply}});
    stage.bring(&[stage.by(ANA, json!({"message": message}))]).await;
    until_so("it is pressed", async || {
        stage.server.texts(&room).await.contains(&"I take d".to_owned())
    })
    .await;
}

#[tokio::test]
async fn what_somebody_writes_in_the_page_inbox_is_said_by_the_app_and_sent_to_nobody() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    let bot = Receiver::start().await;
    stage.server.tell("bot", &bot.url, &json!({})).await;
    let message = json!({"mid": "m_inbox", "text": "from the page inbox", "app_id": 2_639_i64});
    let echo = stage.echo(ANA, message);
    stage.bring(std::slice::from_ref(&echo)).await;
    stage.bring(&[echo]).await;
    assert_eq!(stage.said(&room, 2).await, ["hello", "from the page inbox"]);
    let it = last(stage.conversation(&room).await);
    assert_eq!(
        (&it["username"], &it["channel_status"]["state"]),
        (&json!("System"), &json!("sent"))
    );
    stage.settles().await;
    assert!(stage.graph.said().is_empty());
    stage.writes("m_thanks", "thanks").await;
    assert!(bot.next().await.text().contains("thanks"), "the bot heard of no echo");
    assert_eq!(stage.said(&room, 3).await.len(), 3, "and it is said once");
    // Metadata of another tool is not ours.
    let message = json!({"mid": "m_tool", "text": "by a tool", "metadata": "1.2.3"});
    stage.bring(&[stage.echo(ANA, message)]).await;
    assert_eq!(stage.said(&room, 4).await[3], "by a tool");
}

#[tokio::test]
async fn somebody_without_a_name_is_taken_in_and_a_switched_off_channel_takes_nothing() {
    let stage = PageStage::start(FB).await;
    stage.bring(&[stage.text("7007", "m_who", "who am I?")]).await;
    let room = stage.room_of("7007").await;
    assert_eq!(stage.said(&room, 1).await, ["who am I?"]);
    assert_eq!(stage.conversation(&room).await[0]["username"], "fb-7007");
    stage.update(json!({"is_active": false})).await.data();
    stage.bring(&[stage.text("7007", "m_off", "anybody?")]).await;
    stage.update(json!({"is_active": true})).await.data();
    stage.bring(&[stage.text("7007", "m_on", "and now?")]).await;
    assert_eq!(stage.said(&room, 2).await, ["who am I?", "and now?"]);
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(items(&rooms["data"]["customer_rooms"]).len(), 1);
}

#[tokio::test]
async fn customers_see_that_they_were_read_if_the_channel_wants_it() {
    let stage = PageStage::start(FB).await;
    let room = stage.with_room().await;
    stage.update(json!({"read_enabled": true})).await.data();
    stage.writes("m_second", "and this").await;
    stage.said(&room, 2).await;
    until_so("it is shown", async || stage.graph.actions() == ["mark_seen"]).await;
}
