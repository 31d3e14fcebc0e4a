//! Tests of payloads that the server completes with facts (spec 2.4, wire facts 3.3).

use std::sync::Arc;

use confab_domain::agents::agent::Person;
use confab_domain::ids::{AgentId, AppId, MessageId, RoomId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::messages::conversation_event::{ConversationEvent, ConversationEventKind};
use confab_domain::messages::incomplete_payload::Incomplete;
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::people::user::{Realm, User, UserId};
use confab_domain::time::Timestamp;

use crate::complete_payload;

/// Returns message 41, posted by ana.
fn posted(kind: MessageKind, text: &str, payload: Option<&str>) -> PostedMessage {
    let sender = User {
        key: UserKey(2),
        app: AppId(1),
        realm: Realm::App,
        user_id: UserId::from_stored("ana@x.example".to_owned()),
        username: "Ana \"A\"".to_owned(),
        avatar_url: String::new(),
        extras: None,
        is_active: true,
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    };
    let message = Message {
        id: MessageId(41),
        room: RoomId(10),
        number: 7,
        before: None,
        sender: UserKey(2),
        kind,
        text: text.to_owned(),
        payload: payload.map(JsonText::from_checked),
        extras: None,
        client_unique_id: None,
        posted_at: Timestamp(0),
        is_deleted: false,
    };
    PostedMessage { message, sender: Arc::new(sender) }
}

/// Returns the completed payload of a reply with the text "Yes".
fn reply(payload: &str, replied: &PostedMessage) -> String {
    let json = JsonText::from_checked(payload);
    let complete = complete_payload(Incomplete::Reply { json: &json, text: "Yes", replied });
    complete.as_str().to_owned()
}

/// Returns the completed payload of a system event.
fn system_event(payload: &str, room_name: &str) -> String {
    let json = JsonText::from_checked(payload);
    let complete = complete_payload(Incomplete::SystemEvent { json: &json, room_name });
    complete.as_str().to_owned()
}

#[test]
fn a_reply_contains_the_replied_message() {
    let text = posted(MessageKind::Text, "Is it?\n", None);
    let expected = concat!(
        r#"{"text":"Yes","replied_comment_id":41,"replied_comment_message":"Is it?\n","#,
        r#""replied_comment_sender_username":"Ana \"A\"","#,
        r#""replied_comment_sender_email":"ana@x.example","#,
        r#""replied_comment_type":"text","replied_comment_payload":{}}"#,
    );
    assert_eq!(reply(r#"{"text":"Yes","replied_comment_id":41}"#, &text), expected);
}

#[test]
fn a_reply_to_another_type_contains_its_payload_verbatim() {
    let payload = r#"{"type":"poll","content":[1.0, 12345678901234567890, 1e999]}"#;
    let poll = posted(MessageKind::Custom, "", Some(payload));
    let complete = reply(r#"{"text":"Yes","replied_comment_id":41}"#, &poll);
    let ending = r#""replied_comment_type":"custom","replied_comment_payload":"#;
    assert!(complete.ends_with(&format!("{ending}{payload}}}")), "{complete}");
    assert!(complete.contains(r#""replied_comment_message":"","#), "{complete}");
}

#[test]
fn a_reply_posted_as_message_has_its_text_in_the_payload() {
    let complete =
        reply(r#"{"replied_comment_id":41}"#, &posted(MessageKind::Text, "Is it?", None));
    assert!(complete.contains(r#""text":"Yes""#), "{complete}");
}

#[test]
fn the_replied_id_is_returned_as_an_integer() {
    let complete =
        reply(r#"{"replied_comment_id":" 41"}"#, &posted(MessageKind::Text, "Is it?", None));
    assert!(complete.starts_with(r#"{"replied_comment_id":41,"#), "{complete}");
}

#[test]
fn claims_of_the_caller_about_the_replied_message_are_overwritten() {
    let claims = r#"{"replied_comment_payload":{"x":1},"replied_comment_type":"card",
        "replied_comment_sender_email":"eve","replied_comment_sender_username":"Eve",
        "replied_comment_message":"I owe you","replied_comment_id":41,"text":"Yes"}"#;
    let complete = reply(claims, &posted(MessageKind::Text, "Is it?", None));
    let expected = concat!(
        r#"{"replied_comment_payload":{},"replied_comment_type":"text","#,
        r#""replied_comment_sender_email":"ana@x.example","#,
        r#""replied_comment_sender_username":"Ana \"A\"","#,
        r#""replied_comment_message":"Is it?","replied_comment_id":41,"text":"Yes"}"#,
    );
    assert_eq!(complete, expected);
}

#[test]
fn unknown_keys_of_a_reply_are_preserved() {
    let sent = r#"{"mood":{"happy":1.0},"text":"Yes","replied_comment_id":41}"#;
    let complete = reply(sent, &posted(MessageKind::Text, "Is it?", None));
    assert!(complete.starts_with(sent.strip_suffix('}').expect("an object")), "{complete}");
}

#[test]
fn a_system_event_is_wrapped_with_its_room_name() {
    let expected = r#"{"payload":{"a":1.0},"room_name":"Support \"1\"\n","type":"custom"}"#;
    assert_eq!(system_event(r#"{"a":1.0}"#, "Support \"1\"\n"), expected);
    for payload in ["{}", "[1, 2.0]", r#""plain""#, "1e999", "true"] {
        let expected = format!(r#"{{"payload":{payload},"room_name":"","type":"custom"}}"#);
        assert_eq!(system_event(payload, ""), expected);
    }
}

#[test]
fn a_conversation_event_has_the_shape_of_every_system_event() {
    let person = |id, name: &str| Some(Person { id: AgentId(id), name: name.to_owned() });
    let what = ConversationEventKind::AgentJoined;
    let event = ConversationEvent { what, agent: person(2, "Ana \"A\""), by: None };
    let complete = complete_payload(Incomplete::Conversation { event: &event, room_name: "R" });
    let expected = concat!(
        r#"{"payload":{"agent":{"id":2,"name":"Ana \"A\""},"by":null,"type":"agent_joined"},"#,
        r#""room_name":"R","type":"custom"}"#,
    );
    assert_eq!(complete.as_str(), expected);
    assert_eq!(event.text(), "Ana \"A\" joined this conversation");
}
