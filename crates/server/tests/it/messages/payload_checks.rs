//! Required payload fields of each message type (design/message-api). Errors name the path of each
//! invalid field.

use serde_json::{Value, json};

use crate::support::test_server::TestServer;

#[tokio::test]
async fn an_invalid_payload_is_refused_with_the_path_of_the_field_and_not_posted() {
    let server = TestServer::with_support_room().await;
    let button = json!({"label": "x", "type": "postback"});
    let too_many: Vec<_> = (0..21).map(|_| button.clone()).collect();
    let cards: Vec<_> = (0..21).map(|_| json!({"title": "x"})).collect();
    let table: &[(&str, Value, &str)] = &[
        ("buttons", json!({"buttons": [button]}), "payload.text is required"),
        ("buttons", json!({"text": "t"}), "payload.buttons is required"),
        ("buttons", json!({"text": "t", "buttons": []}), "payload.buttons must have 1 to 20"),
        ("buttons", json!({"text": "t", "buttons": too_many}), "payload.buttons must have 1 to 20"),
        ("buttons", json!({"text": "t", "buttons": "x"}), "payload.buttons must be a list"),
        ("buttons", json!({"text": "t", "buttons": [5]}), "payload.buttons[0] must be a JSON"),
        ("buttons", json!({"text": "t", "buttons": [{"type": "link"}]}), "buttons[0].label is req"),
        (
            "buttons",
            json!({"text": "t", "buttons": [button, {"label": "x", "type": "call"}]}),
            "payload.buttons[1].type must be postback or link",
        ),
        (
            "buttons",
            json!({"text": "t", "buttons": [{"label": "x", "type": "link"}]}),
            "payload.buttons[0].payload.url is required",
        ),
        ("card", json!({"title": "t"}), "payload.text is required"),
        ("card", json!({"text": "t", "title": 5}), "payload.title must be a string"),
        ("card", json!({"text": "t", "buttons": too_many}), "payload.buttons must have 1 to 20"),
        ("card", json!({"text": "t", "url": "javascript:alert(1)"}), "payload.url must not be"),
        ("card", json!({"text": "t", "image": "data:text/html,x"}), "payload.image must be an"),
        ("carousel", json!({}), "payload.cards is required"),
        ("carousel", json!({"cards": []}), "payload.cards must have 1 to 20"),
        ("carousel", json!({"cards": cards}), "payload.cards must have 1 to 20"),
        ("carousel", json!({"cards": [{"title": 1}]}), "payload.cards[0].title must be a string"),
        (
            "carousel",
            json!({"cards": [{"default_action": {"payload": {"url": 1}}}]}),
            "payload.cards[0].default_action.payload.url must be a string",
        ),
        ("file_attachment", json!({"caption": "x"}), "payload.url is required"),
        ("file_attachment", json!({"url": "/a", "size": "big"}), "payload.size must be an integer"),
        ("file_attachment", json!({"url": "/a", "pages": 1.5}), "payload.pages must be an integer"),
        ("custom", json!({"content": 1}), "payload.type is required"),
        ("custom", json!({"type": "x"}), "payload.content is required"),
        ("custom", json!({"type": 5, "content": 1}), "payload.type must be a string"),
        ("location", json!({"latitude": 1}), "payload.longitude is required"),
        ("location", json!({"latitude": 91, "longitude": 0}), "payload.latitude must be a number"),
        ("location", json!({"latitude": 0, "longitude": -181}), "payload.longitude must be a num"),
        ("location", json!({"latitude": "x", "longitude": 0}), "payload.latitude must be a number"),
        ("location", json!({"latitude": "91", "longitude": 0}), "payload.latitude must be a num"),
        ("location", json!({"latitude": "", "longitude": 0}), "payload.latitude must be a number"),
        ("contact_person", json!({"value": "x"}), "payload.name is required"),
        ("contact_person", json!({"name": "x"}), "payload.value is required"),
        (
            "contact_person",
            json!({"name": "x", "value": "y", "type": "fax"}),
            "payload.type must be phone or email",
        ),
        ("account_linking", json!({"url": "https://a.example"}), "payload.text is required"),
        ("account_linking", json!({"text": "x"}), "payload.url is required"),
        ("reply", json!({"text": "x"}), "payload.replied_comment_id is required"),
        ("reply", json!({"text": "x", "replied_comment_id": "x"}), "replied_comment_id must be an"),
    ];
    for (kind, payload, problem) in table {
        let answer = server.post_typed("ana", "support", kind, payload.clone()).await;
        answer.refused(400, "invalid_request").says(problem);
    }
    assert!(server.texts("support").await.is_empty());
}

#[tokio::test]
async fn every_type_except_text_and_button_postback_requires_a_payload() {
    let server = TestServer::with_support_room().await;
    let kinds = [
        "account_linking",
        "buttons",
        "card",
        "carousel",
        "contact_person",
        "custom",
        "file_attachment",
        "location",
        "reply",
    ];
    for kind in kinds {
        for payload in [json!(null), json!(""), json!(5), json!([1]), json!("text")] {
            let body = json!({
                "user_id": "ana", "room_id": "support", "message": "m", "type": kind,
                "payload": payload,
            });
            let answer = server.post("post_comment", body).await;
            answer.refused(400, "invalid_request").says("payload ");
        }
    }
    assert!(server.texts("support").await.is_empty());
}

#[tokio::test]
async fn message_is_required_for_a_button_postback_and_a_reply_without_text() {
    let server = TestServer::with_support_room().await;
    let answer = server.post_typed("ana", "support", "button_postback_response", json!({})).await;
    answer.refused(400, "invalid_request").says("message is required");

    let first = server.post_comment("bob", "support", "first").await;
    let payload = json!({"replied_comment_id": first["id"]});
    let answer = server.post_typed("ana", "support", "reply", payload.clone()).await;
    answer.refused(400, "invalid_request").says("message is required");
    let body = json!({
        "user_id": "ana", "room_id": "support", "type": "reply", "message": "from the message",
        "payload": payload,
    });
    let comment = server.post("post_comment", body).await.results()["comment"].take();
    assert_eq!(comment["message"], "from the message");
    assert_eq!(comment["payload"]["text"], "from the message");
}

#[tokio::test]
async fn all_invalid_fields_of_a_post_are_reported_at_once() {
    let server = TestServer::with_support_room().await;
    let body = json!({
        "user_id": "a b", "room_id": "", "type": "card", "message": "x".repeat(4001),
        "payload": {"title": 1, "buttons": [{"label": 2}]},
    });
    let refused = server.post("post_comment", body).await.refused(400, "invalid_request");
    for part in [
        "user_id may contain",
        "room_id must not be empty",
        "message has 4001",
        "payload.title must",
        "payload.text is required",
        "payload.buttons[0].label must",
        "payload.buttons[0].type is",
    ] {
        refused.says(part);
    }
}

#[tokio::test]
async fn app_links_several_buttons_and_string_coordinates_are_echoed() {
    let server = TestServer::with_support_room().await;
    let links =
        ["tel:+62811", "mailto:a@x.y", "whatsapp://send?text=hi", "my-app:open", "/here", ""];
    let button = |url: &str| json!({"label": "x", "type": "link", "payload": {"url": url}});
    let buttons: Vec<_> = links.into_iter().map(button).collect();
    let table = [
        ("buttons", json!({"text": "t", "buttons": buttons})),
        ("card", json!({"text": "t", "url": "tel:112", "image": "https://x.y/z.png"})),
        ("location", json!({"latitude": "-6.2", "longitude": "106.8", "name": "n"})),
    ];
    for (kind, payload) in table {
        let posted = server.post_typed("ana", "support", kind, payload.clone()).await.results();
        let comment = &posted["comment"];
        for (key, value) in payload.as_object().expect("keys") {
            assert_eq!(&comment["payload"][key], value, "{kind} {key}");
        }
    }
    let action = json!({"type": "postback", "payload": {"url": "my-app://x", "method": "get"}});
    let carousel = json!({"cards": [{"title": "t", "default_action": action}]});
    server.post_typed("ana", "support", "carousel", carousel).await.results();
}

#[tokio::test]
async fn links_that_execute_script_are_refused_in_any_spelling() {
    let server = TestServer::with_support_room().await;
    for url in [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "  javascript:alert(1)",
        "java\tscript:alert(1)",
        "java\r\nscript:alert(1)",
        "\u{1}javascript:alert(1)",
        "javascript :alert(1)",
        "\u{a0}javascript:x",
        "java\u{200b}script:x",
        "data:text/html,<script>",
        "DATA:text/html;base64,xx",
        "vbscript:x",
        "VbScript:x",
    ] {
        let button = json!({"label": "x", "type": "link", "payload": {"url": url}});
        let action = json!({"payload": {"url": url}});
        for (kind, payload) in [
            ("buttons", json!({"text": "t", "buttons": [button]})),
            ("card", json!({"text": "t", "url": url})),
            ("card", json!({"text": "t", "buttons": [button]})),
            ("carousel", json!({"cards": [{"buttons": [button]}]})),
            ("carousel", json!({"cards": [{"default_action": action}]})),
        ] {
            let answer = server.post_typed("ana", "support", kind, payload).await;
            answer.refused(400, "invalid_request").says("url must not be");
        }
    }
    assert!(server.texts("support").await.is_empty());
}
