//! Messages of WhatsApp customers are posted in their rooms, in order and once.

use confab_domain::webhooks::event_kind::EventKind;
use confab_test_servers::receiver::Receiver;
use serde_json::{Value, json};

use super::stage::{BUDI, WhatsappStage, message_webhook, now_s, webhook};
use crate::support::answer::{items, text};
use crate::support::client::Client;
use crate::support::waiting::until_so;

fn last(mut conversation: Vec<Value>) -> Value {
    conversation.pop().expect("the last")
}

#[tokio::test]
async fn only_the_assigned_agent_can_read_and_answer_a_customers_message() {
    let stage = WhatsappStage::start().await;
    let agent = stage.office.hire("nina", "agent").await;
    let stranger = stage.office.hire("zoe", "agent").await;
    let room = stage.with_room().await;
    stage.office.assign_room(&room, &agent).await.data();
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    let read = agent.get(&path, &[]).await.json();
    assert_eq!(read["data"]["comments"][0]["message"], "hello");
    assert_eq!(read["data"]["comments"][0]["username"], "Budi");
    stage.post_reply(&agent, &room, "good morning").await;
    let sent = stage.graph.sends(1).await;
    assert_eq!(
        (&sent[0].body["to"], &sent[0].body["text"]["body"]),
        (&json!(BUDI), &json!("good morning"))
    );
    stage.wait_for_state(&room, "good morning", "sent").await;
    let refused = stranger.get(&path, &[]).await;
    assert!([403, 404].contains(&refused.status), "{}", refused.text);
    let refused = stranger.post(&path, json!({"message": "x"})).await;
    assert!([403, 404].contains(&refused.status), "{}", refused.text);
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(rooms["data"]["customer_rooms"][0]["source"], "wa");
}

#[tokio::test]
async fn repeated_and_reversed_webhooks_are_posted_once_and_in_order() {
    let stage = WhatsappStage::start().await;
    let customers: Vec<_> = (0..3).map(|it| format!("62812000000{it}")).collect();
    let mut webhooks = Vec::new();
    for number in 0..4 {
        let message = |from: &String, half: u32| {
            json!({"from": from, "id": format!("wamid.{from}.{number}.{half}"), "type": "text",
                "timestamp": now_s().to_string(),
                "text": {"body": format!("{from} says {number}.{half}")}})
        };
        // Two messages of each customer in one webhook.
        let all: Vec<_> =
            customers.iter().flat_map(|from| [message(from, 0), message(from, 1)]).collect();
        webhooks.push(webhook(json!({"messages": all})));
    }
    for (place, it) in webhooks.iter().enumerate() {
        stage.post_webhook(it).await;
        stage.post_webhook(&webhooks[place / 2]).await;
    }
    for it in webhooks.iter().rev() {
        assert_eq!(stage.post_webhook(it).await.status, 200);
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
async fn each_kind_of_whatsapp_message_is_posted_as_the_matching_type() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    stage.graph.add_file("media-1", &[7; 100_000]);
    let mut count = 1;
    let mut brought = async |message: Value| {
        stage.post_webhook(&message_webhook(message)).await;
        count += 1;
        stage.wait_for_texts(&room, count).await;
        last(stage.conversation(&room).await)
    };
    let image = json!({"id": "media-1", "mime_type": "image/jpeg", "caption": "my cat"});
    let it = brought(json!({"id": "wamid.2", "type": "image", "image": image})).await;
    assert_eq!(
        (&it["type"], &it["payload"]["caption"]),
        (&json!("file_attachment"), &json!("my cat"))
    );
    let gone = json!({"id": "gone", "mime_type": "application/pdf", "filename": "bill.pdf"});
    let it = brought(json!({"id": "wamid.3", "type": "document", "document": gone})).await;
    assert_eq!(it["message"], "The file bill.pdf could not be fetched from the provider.");
    let place = json!({"latitude": -6.2, "longitude": 106.8, "name": "Monas"});
    let it = brought(json!({"id": "wamid.4", "type": "location", "location": place})).await;
    assert_eq!((&it["type"], &it["payload"]["name"]), (&json!("location"), &json!("Monas")));
    let card = json!({"name": {"formatted_name": "Sari"}, "phones": [{"phone": "+62 81"}]});
    let it = brought(json!({"id": "wamid.5", "type": "contacts", "contacts": [card]})).await;
    assert_eq!((&it["type"], &it["payload"]["name"]), (&json!("contact_person"), &json!("Sari")));
    let it = brought(json!({"id": "wamid.6", "type": "button",
        "button": {"payload": "YES", "text": "Yes, please"}}))
    .await;
    assert_eq!(it["type"], "button_postback_response");
    let order = json!({"catalog_id": "1", "product_items": [{"product_retailer_id": "a"}]});
    let it = brought(json!({"id": "wamid.7", "type": "order", "order": order})).await;
    assert_eq!((&it["type"], &it["payload"]["type"]), (&json!("custom"), &json!("order")));
    let it =
        brought(json!({"id": "wamid.8", "type": "unsupported", "unsupported": {"type": "poll"},
        "errors": [{"code": 131051, "title": "Unsupported"}]}))
        .await;
    assert_eq!(it["message"], "unsupported message (poll)");
    let it = brought(json!({"id": "wamid.9", "type": "text", "text": {"body": "this one"},
        "context": {"id": "wamid.first", "from": BUDI}}))
    .await;
    assert_eq!(
        (&it["type"], &it["payload"]["replied_comment_message"]),
        (&json!("reply"), &json!("hello"))
    );
    stage
        .post_webhook(&message_webhook(json!({"id": "wamid.10", "type": "edit", "edit": {
        "original_message_id": "wamid.first",
        "message": {"type": "text", "text": {"body": "hello again"}}}})))
        .await;
    until_so("the message is edited", async || {
        stage.wait_for_texts(&room, 9).await[0] == "hello again"
    })
    .await;
    stage
        .post_webhook(&message_webhook(json!({"id": "wamid.11", "type": "revoke",
        "revoke": {"original_message_id": "wamid.first"}})))
        .await;
    until_so("the message is deleted", async || stage.server.texts(&room).await.len() == 8).await;
    stage.wait_until_delivered().await;
}

#[tokio::test]
async fn a_button_press_notifies_the_bot_and_a_reaction_does_not() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let bot = Receiver::start().await;
    stage.server.tell("bot", &bot.url, &json!({})).await;
    let button = |label: &str| {
        json!({"label": label, "type": "postback", "postback_text": format!("I take {label}"),
            "payload": {"url": "#", "method": "get", "payload": {"choice": label}}})
    };
    let payload = json!({"text": "Which?", "buttons": [button("tea"), button("coffee")]});
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    let admin = stage.admin().await;
    admin.post(&path, json!({"type": "buttons", "payload": payload})).await.data();
    let sent = stage.graph.sends(1).await;
    let reply = sent[0].body["interactive"]["action"]["buttons"][1]["reply"].clone();
    assert_eq!(reply["title"], "coffee");
    let press = json!({"id": "wamid.press", "type": "interactive", "interactive": {
        "type": "button_reply", "button_reply": {"id": reply["id"], "title": "coffee"}}});
    stage.post_webhook(&message_webhook(press)).await;
    assert_eq!(stage.wait_for_texts(&room, 3).await[2], "I take coffee");
    assert!(bot.next().await.text().contains("I take coffee"));
    let reaction = json!({"id": "wamid.heart", "type": "reaction",
        "reaction": {"message_id": sent[0].id, "emoji": "\u{2764}"}});
    stage.post_webhook(&message_webhook(reaction)).await;
    stage.wait_for_texts(&room, 4).await;
    let it = last(stage.conversation(&room).await);
    assert_eq!((&it["type"], &it["payload"]["type"]), (&json!("custom"), &json!("reaction")));
    stage.writes("wamid.after", "and sugar").await;
    assert!(bot.next().await.text().contains("and sugar"), "the bot is not notified of reactions");
}

#[tokio::test]
async fn a_phone_number_and_a_user_id_identify_the_same_customer() {
    let stage = WhatsappStage::start().await;
    let both = json!({"id": "wamid.1", "type": "text", "from_user_id": "ID.abc", "from": BUDI,
        "text": {"body": "with both"}});
    stage.post_webhook(&message_webhook(both)).await;
    let room = stage.room_of(BUDI).await;
    stage.wait_for_texts(&room, 1).await;
    let hidden = json!({"id": "wamid.2", "type": "text", "from_user_id": "ID.abc",
        "text": {"body": "without a number"}});
    stage.post_webhook(&message_webhook(hidden)).await;
    assert_eq!(stage.wait_for_texts(&room, 2).await[1], "without a number");
    let moved = json!({"id": "wamid.3", "type": "system", "from_user_id": "ID.abc", "from": BUDI,
        "system": {"type": "user_changed_number", "wa_id": "62999", "user_id": "ID.new",
            "body": "changed"}});
    stage.post_webhook(&message_webhook(moved)).await;
    // Another id is another lane: its messages do not wait for the move.
    stage.wait_until_delivered().await;
    let newer = json!({"id": "wamid.4", "type": "text", "from": "62999", "from_user_id": "ID.new",
        "text": {"body": "from the new number"}});
    stage.post_webhook(&message_webhook(newer)).await;
    assert_eq!(stage.wait_for_texts(&room, 3).await[2], "from the new number");
    let admin = stage.admin().await;
    stage.post_reply(&admin, &room, "answered").await;
    let sent = stage.graph.sends(1).await;
    assert_eq!(sent[0].body["to"], "62999", "the message goes to the new number");
    // A customer who has always hidden the number is identified by the other id.
    let alone = json!({"id": "wamid.5", "type": "text", "from_user_id": "ID.alone",
        "text": {"body": "hello"}});
    stage.post_webhook(&message_webhook(alone)).await;
    let room = stage.room_of("ID.alone").await;
    stage.wait_for_texts(&room, 1).await;
    stage.post_reply(&admin, &room, "hi").await;
    let sent = stage.graph.sends(2).await;
    assert_eq!(sent[1].body["recipient"], "ID.alone");
    assert!(sent[1].body.get("to").is_none());
}

#[tokio::test]
async fn a_message_written_on_the_business_phone_is_posted_as_system_and_not_sent() {
    let stage = WhatsappStage::start().await;
    let room = stage.with_room().await;
    let bot = Receiver::start().await;
    stage.server.tell("bot", &bot.url, &json!({})).await;
    let echo = json!({"from": "628111111111", "to": BUDI, "id": "wamid.phone", "type": "text",
        "timestamp": now_s().to_string(), "text": {"body": "from the phone"}});
    let mut echoed = webhook(json!({"message_echoes": [echo]}));
    echoed["entry"][0]["changes"][0]["field"] = json!("smb_message_echoes");
    stage.post_webhook(&echoed).await;
    stage.post_webhook(&echoed).await;
    assert_eq!(stage.wait_for_texts(&room, 2).await, ["hello", "from the phone"]);
    let it = last(stage.conversation(&room).await);
    assert_eq!(it["username"], "System");
    assert_eq!(it["channel_status"]["state"], "sent");
    stage.wait_until_delivered().await;
    assert!(stage.graph.sent().is_empty());
    stage.writes("wamid.reply", "thanks").await;
    assert!(bot.next().await.text().contains("thanks"), "the bot is not notified of echoes");
    assert_eq!(stage.wait_for_texts(&room, 3).await.len(), 3, "the message is posted once");
}

#[tokio::test]
async fn read_marks_are_sent_to_customers_if_the_channel_enables_them() {
    let stage = WhatsappStage::with(json!({"read_enabled": true})).await;
    let room = stage.with_room().await;
    until_so("the message is marked as read", async || stage.graph.read() == ["wamid.first"]).await;
    let update = format!("/api/v2/wa/connect/{}/update", stage.channel);
    stage.office.post(&update, json!({"read_enabled": false})).await.data();
    stage.writes("wamid.second", "and this").await;
    stage.wait_for_texts(&room, 2).await;
    stage.wait_until_delivered().await;
    assert_eq!(stage.graph.read(), ["wamid.first"]);
    let query = [("kind", EventKind::ChannelEvent.as_str())];
    let listed = stage.office.get("/api/v2/webhooks/deliveries", &query).await.data();
    assert_eq!(items(&listed["deliveries"]).len(), 2);
}

/// Spec 2.5: `room.options` holds `channel_details` with the number of the channel.
#[tokio::test]
async fn room_options_have_the_channels_number_in_webhooks_and_both_apis() {
    let stage = WhatsappStage::start().await;
    let receiver = Receiver::start().await;
    let body = json!({"url": receiver.url, "enabled": true});
    stage.office.post("/api/v2/app/config/new_session_webhook", body).await.data();
    let room = stage.with_room().await;
    let phone = |options: &Value| {
        let options: Value = serde_json::from_str(text(options)).expect("JSON");
        options["channel_details"]["phone"].clone()
    };
    let told = receiver.next().await.json();
    assert_eq!(phone(&told["payload"]["room"]["options"]), "628111111111");
    let server = &stage.server;
    let found = server.get("get_rooms_info", &[("room_ids[]", &room)]).await.results();
    assert_eq!(phone(&found["rooms"][0]["room_options"]), "628111111111");
    let nina = stage.office.hire("nina", "agent").await;
    stage.office.assign_room(&room, &nina).await.data();
    let token = text(&stage.office.shown(nina.id).await["sdk_key"]).to_owned();
    let sdk = Client { caller: nina.caller.clone(), user: nina.user_id(), token };
    let found = sdk.get("get_room_by_id", &[("id", &room)]).await.results();
    assert_eq!(phone(&found["room"]["options"]), "628111111111");
}
