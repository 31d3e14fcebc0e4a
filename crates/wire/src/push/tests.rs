//! Tests of notifications: content, replacement by `extras`, truncation.

use std::sync::Arc;

use confab_domain::ids::{AppId, MessageId, RoomId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::people::user::{Realm, User, UserId};
use confab_domain::push::push_facts::PushDevice;
use confab_domain::push::pushing::Push;
use confab_domain::rooms::room::{Room, RoomKind, RoomUniqueId};
use confab_domain::time::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::webhook_api::masking::masked;

struct Post {
    kind: RoomKind,
    message_kind: MessageKind,
    text: String,
    extras: Option<&'static str>,
}

fn post(text: &str) -> Post {
    let (kind, message_kind) = (RoomKind::Group, MessageKind::Text);
    Post { kind, message_kind, text: text.to_owned(), extras: None }
}

fn stored(post: &Post) -> String {
    let sender = User {
        key: UserKey(2),
        app: AppId(1),
        realm: Realm::App,
        user_id: UserId::parse("user_id", "ana").expect("valid"),
        username: "Ana".to_owned(),
        avatar_url: String::new(),
        extras: None,
        is_active: true,
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    };
    let message = Message {
        id: MessageId(77),
        room: RoomId(10),
        number: 1,
        before: None,
        sender: sender.key,
        kind: post.message_kind,
        text: post.text.clone(),
        payload: None,
        extras: post.extras.map(JsonText::from_checked),
        client_unique_id: None,
        posted_at: Timestamp(0),
        is_deleted: false,
    };
    let unique_id = RoomUniqueId::from_trusted("support".to_owned());
    let room = Room {
        name: "Support".to_owned(),
        ..Room::new(RoomId(10), AppId(1), unique_id, post.kind, Timestamp(0))
    };
    let posted = PostedMessage { message, sender: Arc::new(sender) };
    let device = PushDevice { user: UserKey(3), token: "token-1".to_owned(), is_development: true };
    let push = Push { posted: &posted, room: &room, device: &device };
    body(&push, &["SERVICE".to_owned(), "ACME-1".to_owned()])
}

fn shown(post: &Post) -> Value {
    let stored = stored(post);
    let envelope = Envelope::open(&stored).expect("an envelope");
    assert_eq!((&*envelope.device_token, envelope.is_development), ("token-1", true));
    let sent = envelope.notification.get();
    assert!(sent.len() <= limits::PUSH_BYTES_MAX, "{} bytes", sent.len());
    serde_json::from_str(sent).expect("JSON")
}

#[test]
fn a_notification_shows_room_sender_and_text() {
    let payload = json!({
        "room_id": "10", "room_type": "group", "comment_id": 77, "comment_id_str": "77",
        "unique_temp_id": shown(&post("x"))["payload"]["unique_temp_id"], "type": "text",
    });
    let alert = json!({"title": "Support", "body": "Ana: Hello \"you\""});
    let expected = json!({"aps": {"alert": alert, "sound": "default"}, "payload": payload});
    assert_eq!(shown(&post("Hello \"you\"")), expected);
}

#[test]
fn single_rooms_are_titled_by_sender_and_events_name_no_sender() {
    let single = Post { kind: RoomKind::Single, ..post("Hello") };
    assert_eq!(shown(&single)["aps"]["alert"], json!({"title": "Ana", "body": "Hello"}));
    let event = Post { message_kind: MessageKind::SystemEvent, ..post("Bob joined") };
    assert_eq!(shown(&event)["aps"]["alert"]["body"], "Bob joined");
}

#[test]
fn a_notification_in_extras_is_sent_verbatim() {
    let own = r#"{"a":1,"service_ios_pn":{"aps":{"badge":1.0,"alert":"Hi"}}}"#;
    let text = stored(&Post { extras: Some(own), ..post("Hello") });
    assert!(text.contains(r#""notification":{"aps":{"badge":1.0,"alert":"Hi"}}}"#), "{text}");
    let other = r#"{"acme-1_ios_pn":{"aps":{}}}"#;
    assert_eq!(shown(&Post { extras: Some(other), ..post("Hello") }), json!({"aps": {}}));
}

#[test]
fn an_invalid_notification_in_extras_is_ignored() {
    let large = format!(r#"{{"service_ios_pn":{{"aps":"{}"}}}}"#, "x".repeat(4_096));
    let large: &'static str = large.leak();
    let others = ["[]", r#"{"service_ios_pn":"Hi"}"#, r#"{"service_ios_pn":null}"#, large];
    for extras in others.into_iter().chain([r#"{"other_ios_pn":{}}"#]) {
        let shown = shown(&Post { extras: Some(extras), ..post("Hello") });
        assert_eq!(shown["aps"]["alert"]["body"], "Ana: Hello");
    }
}

#[test]
fn a_long_text_is_truncated_and_remains_json() {
    for piece in ["a", "é", "👍", "\"", "\u{1}", "\n"] {
        let text = piece.repeat(5_000);
        let shown = shown(&post(&text));
        let body = shown["aps"]["alert"]["body"].as_str().expect("a text").to_owned();
        let shown_part = body.strip_prefix("Ana: ").and_then(|it| it.strip_suffix('…'));
        let shown_part = shown_part.expect("the body is truncated").to_owned();
        assert!(text.starts_with(&shown_part), "{piece:?}");
        // Not one more piece would have fitted.
        let stored = stored(&post(&format!("{shown_part}{piece}{}", piece.repeat(5_000))));
        let sent = Envelope::open(&stored).expect("an envelope").notification.get().len();
        assert!(sent > limits::PUSH_BYTES_MAX - 8, "{sent} bytes of {piece:?}");
    }
}

#[test]
fn a_notification_that_only_wakes_the_app_is_silent() {
    let is_silent = |own: &'static str| {
        let stored = stored(&Post { extras: Some(own), ..post("Hello") });
        Envelope::open(&stored).expect("an envelope").is_silent()
    };
    assert!(is_silent(r#"{"service_ios_pn":{"aps":{"content-available":1}}}"#));
    assert!(!is_silent(r#"{"service_ios_pn":{"aps":{"content-available":1,"alert":"x"}}}"#));
    assert!(!is_silent(r#"{"service_ios_pn":{"aps":{}}}"#));
    assert!(!is_silent("{}"));
}

#[test]
fn a_device_token_is_masked_in_shown_bodies() {
    let stored = stored(&post("Hello"));
    assert!(masked(&stored).contains(r#""device_token":"***""#));
    assert!(!masked(&stored).contains("token-1"));
}
