//! All eleven message types: text and payload of their comments (spec 2.2, wire facts 3.3).

use serde_json::{Value, json};

use crate::support::test_server::TestServer;

/// Posts a message and checks its text and payload, in the response and when loaded.
async fn check(server: &TestServer, sent: Value, shown: &str, payload: Value) {
    let mut body = json!({"user_id": "ana", "room_id": "support"});
    for (key, value) in sent.as_object().expect("fields") {
        body[key] = value.clone();
    }
    let comment = server.post("post_comment", body).await.results()["comment"].take();
    assert_eq!(comment["type"], sent["type"]);
    assert_eq!(comment["message"], shown, "{sent}");
    assert_eq!(comment["payload"], payload, "{sent}");
    let loaded = &server.load_comments("support").await[0];
    assert_eq!(loaded["id"], comment["id"]);
    assert_eq!(loaded["type"], sent["type"]);
    assert_eq!(loaded["message"], shown, "{sent}");
    assert_eq!(loaded["payload"], payload, "{sent}");
}

fn button(label: &str) -> Value {
    let action = json!({"url": "https://shop.example/buy", "method": "get", "payload": null});
    json!({"label": label, "type": "postback", "payload": action, "postback_text": "buy it"})
}

#[tokio::test]
async fn a_text_message_has_its_posted_text_and_ignores_a_payload() {
    let server = TestServer::with_support_room().await;
    let body = json!({
        "user_id": "ana", "room_id": "support", "type": "text", "message": "hello",
        "payload": {"ignored": true},
    });
    let results = server.post("post_comment", body).await.results();
    assert_eq!(results["comment"]["message"], "hello");
    assert_eq!(results["comment"]["payload"], json!({}));
    assert_eq!(server.load_comments("support").await[0]["payload"], Value::Null);
}

#[tokio::test]
async fn a_buttons_message_has_an_empty_text_and_its_payload_unchanged() {
    let server = TestServer::with_support_room().await;
    let link = json!({"label": "Look", "type": "link", "payload": {"url": "https://a.example"}});
    let payload = json!({"text": "What now?", "buttons": [button("Buy"), link]});
    check(&server, json!({"type": "buttons", "payload": payload}), "", payload.clone()).await;
}

#[tokio::test]
async fn a_card_has_the_text_of_its_payload_and_default_postback_texts() {
    let server = TestServer::with_support_room().await;
    let link = json!({"label": "Look", "type": "link", "payload": {"url": "https://a.example"}});
    let card = |buttons: Value| {
        json!({
            "text": "A red bag", "image": "https://img.example/bag.png", "title": "Bag",
            "description": "Red,\nand large", "url": "https://shop.example/bag",
            "buttons": buttons,
        })
    };
    let mut filled = link.clone();
    filled["postback_text"] = json!("");
    let (sent, shown) = (card(json!([button("Buy"), link])), card(json!([button("Buy"), filled])));
    check(&server, json!({"type": "card", "payload": sent}), "A red bag", shown).await;
    let older = json!({"text": "t", "image_url": "https://img.example/x.png"});
    let both = json!({
        "text": "t", "image_url": "https://img.example/x.png", "image": "https://img.example/x.png",
    });
    check(&server, json!({"type": "card", "payload": older}), "t", both).await;
}

#[tokio::test]
async fn a_carousel_has_an_empty_text_and_default_postback_texts() {
    let server = TestServer::with_support_room().await;
    let action = json!({
        "type": "postback", "postback_text": "more",
        "payload": {"url": "https://shop.example/more", "method": "get", "payload": {"n": 1}},
    });
    let cards = |postback_text: Option<&str>| {
        let mut plain = json!({"label": "Go", "type": "postback"});
        if let Some(text) = postback_text {
            plain["postback_text"] = json!(text);
        }
        json!({"cards": [{
            "image": "https://img.example/1.png", "title": "One", "description": "first\ncard",
            "default_action": action, "buttons": [button("Buy"), plain],
        }]})
    };
    check(&server, json!({"type": "carousel", "payload": cards(None)}), "", cards(Some(""))).await;
}

#[tokio::test]
async fn a_file_has_its_url_in_brackets_as_text_and_the_message_as_caption() {
    let server = TestServer::with_support_room().await;
    let shown = "[file] https://files.example/a.pdf [/file]";
    let file = json!({
        "url": "https://files.example/a.pdf", "caption": "The bill", "file_name": "a.pdf",
        "size": 12345, "pages": 2,
    });
    check(&server, json!({"type": "file_attachment", "payload": file}), shown, file.clone()).await;
    let bare = json!({"url": "https://files.example/a.pdf"});
    let captioned = json!({"url": "https://files.example/a.pdf", "caption": "Look at this"});
    let sent = json!({"type": "file_attachment", "message": "Look at this", "payload": bare});
    check(&server, sent, shown, captioned).await;
}

#[tokio::test]
async fn a_custom_message_has_an_empty_text_and_its_payload_unchanged() {
    let server = TestServer::with_support_room().await;
    let contents = [json!({"a": [1, {"b": null}]}), json!([1, "x"]), json!("<x>1</x>"), json!(4)];
    for content in contents {
        let payload = json!({"type": "promo", "content": content});
        check(&server, json!({"type": "custom", "payload": payload}), "", payload.clone()).await;
    }
}

#[tokio::test]
async fn account_linking_has_the_text_of_its_payload() {
    let server = TestServer::with_support_room().await;
    let payload = json!({
        "text": "Please sign in", "url": "https://login.example", "redirect_url": "https://b.example",
        "params": {
            "user_id": "ana", "topic_id": 1, "button_text": "Sign in", "view_title": "Sign in",
            "success_message": "done",
        },
    });
    let sent = json!({"type": "account_linking", "payload": payload});
    check(&server, sent, "Please sign in", payload.clone()).await;
}

#[tokio::test]
async fn the_text_of_a_location_is_its_name_address_and_map_url() {
    let server = TestServer::with_support_room().await;
    let payload = json!({
        "name": "Shop", "address": "Main street 1", "latitude": -7.75, "longitude": 110.37,
        "map_url": "https://maps.example/1",
    });
    let shown = "Shop - Main street 1\nhttps://maps.example/1";
    check(&server, json!({"type": "location", "payload": payload}), shown, payload.clone()).await;
}

#[tokio::test]
async fn a_contact_has_its_name_and_value_as_text_and_is_a_phone_by_default() {
    let server = TestServer::with_support_room().await;
    let mail = json!({"name": "Bob", "value": "bob@example.org", "type": "email"});
    let sent = json!({"type": "contact_person", "payload": mail});
    check(&server, sent, "Bob - bob@example.org", mail.clone()).await;
    let bare = json!({"name": "Bob", "value": "0812"});
    let phone = json!({"name": "Bob", "value": "0812", "type": "phone"});
    check(&server, json!({"type": "contact_person", "payload": bare}), "Bob - 0812", phone).await;
}

#[tokio::test]
async fn a_button_postback_has_the_posted_text_and_payload() {
    let server = TestServer::with_support_room().await;
    let pressed = json!({"url": "https://shop.example/buy", "method": "get", "payload": {"n": 1}});
    let sent = json!({"type": "button_postback_response", "message": "Buy", "payload": pressed});
    check(&server, sent, "Buy", pressed.clone()).await;
    let bare = json!({"type": "button_postback_response", "message": "Buy"});
    check(&server, bare, "Buy", json!({})).await;
}

#[tokio::test]
async fn a_reply_has_the_text_of_its_payload() {
    let server = TestServer::with_support_room().await;
    let first = server.post_comment("bob", "support", "Are you there?").await;
    let payload = json!({"text": "Yes", "replied_comment_id": first["id"]});
    let answer = server.post_typed("ana", "support", "reply", payload).await;
    assert_eq!(answer.results()["comment"]["message"], "Yes");
    assert_eq!(server.texts("support").await, ["Yes", "Are you there?"]);
}

#[tokio::test]
async fn an_unknown_type_is_refused_with_a_list_of_the_allowed_types() {
    let server = TestServer::with_support_room().await;
    for kind in ["picture", "TEXT", "system_event", " text"] {
        let body = json!({
            "user_id": "ana", "room_id": "support", "message": "hi", "type": kind, "payload": {},
        });
        let refused = server.post("post_comment", body).await.refused(400, "invalid_request");
        refused.says(
            "account_linking, button_postback_response, buttons, card, carousel, contact_person, \
             custom, file_attachment, location, reply, text",
        );
    }
    assert!(server.texts("support").await.is_empty());
}
