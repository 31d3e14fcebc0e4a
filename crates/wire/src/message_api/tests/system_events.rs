//! `POST /post_system_event_message` (spec 4.1, 2.4).

use confab_domain::app::AppCode;
use confab_domain::messages::message::Draft;
use confab_domain::messages::payload::Payload;

use super::{form, json, parsed};
use crate::body::Body;
use crate::message_api::comments::PostComment;

fn read_body(body: &Body<'_>, idempotency_key: Option<&str>) -> Result<Draft, Vec<String>> {
    let app = AppCode::parse("shop-1").expect("a code");
    parsed(PostComment::read_system_event(body, idempotency_key, &app)).map(|post| post.draft)
}

/// Parses a system event for the room "support". `fields` is JSON without the braces.
fn read(fields: &str) -> Result<Draft, Vec<String>> {
    read_body(&json(&format!(r#"{{"room_id":"support",{fields}}}"#)), None)
}

/// Returns the problems of a system event.
fn problems(fields: &str) -> Vec<String> {
    read(fields).err().unwrap_or_else(|| panic!("accepted: {fields}"))
}

/// Returns the parsed payload of a system event.
fn payload(json: &str) -> String {
    let fields = format!(r#""system_event_type":"custom","message":"x","payload":{json}"#);
    match read(&fields).expect(json).payload {
        Payload::SystemEvent(json) => json.as_str().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_system_user_of_the_app_is_the_sender() {
    let draft = read(r#""system_event_type":"custom","message":"Ana joined""#).expect("an event");
    assert_eq!(draft.sender.as_str(), "system@shop-1");
    assert_eq!(draft.payload.shown_text(&draft.text), "Ana joined");
    assert_eq!(draft.payload.kind().as_str(), "system_event");
    assert_eq!((draft.extras, draft.unique_id), (None, None));
}

#[test]
fn the_event_type_must_be_custom() {
    for kind in ["create_room", "", "Custom"] {
        let wrong = problems(&format!(r#""message":"x","system_event_type":"{kind}""#));
        assert_eq!(wrong, ["system_event_type must be custom"], "{kind}");
    }
    assert_eq!(problems(r#""message":"x""#), ["system_event_type is required"]);
    let wrong = problems(r#""message":"x","system_event_type":5"#);
    assert_eq!(wrong, ["system_event_type must be a string"]);
}

#[test]
fn a_message_is_required_and_has_at_most_4000_characters() {
    for missing in ["", r#","message":"""#, r#","message":null"#] {
        let wrong = problems(&format!(r#""system_event_type":"custom"{missing}"#));
        assert_eq!(wrong, ["message is required"], "{missing}");
    }
    let of = |count| format!(r#""system_event_type":"custom","message":"{}""#, "é".repeat(count));
    assert!(read(&of(4000)).is_ok());
    assert_eq!(problems(&of(4001)), ["message has 4001 characters, at most 4000 are allowed"]);
}

#[test]
fn a_room_is_required() {
    let body = r#"{"system_event_type":"custom","message":"x"}"#;
    assert_eq!(read_body(&json(body), None), Err(vec!["room_id is required".to_owned()]));
}

#[test]
fn the_payload_may_be_any_json_and_keeps_its_digits() {
    for json in [r#"{"a":1.0}"#, "[1, 12345678901234567890]", "1e999", "false", r#""plain \/""#] {
        assert_eq!(payload(json), json);
    }
    assert_eq!(payload(r#""""#), r#""""#);
}

#[test]
fn an_absent_payload_is_an_empty_object() {
    assert_eq!(payload("null"), "{}");
    let draft = read(r#""system_event_type":"custom","message":"x""#).expect("an event");
    assert!(matches!(draft.payload, Payload::SystemEvent(json) if json.as_str() == "{}"));
}

#[test]
fn json_in_a_payload_string_is_parsed() {
    assert_eq!(payload(r#"" {\"a\":1.0}\n""#), r#"{"a":1.0}"#);
    assert_eq!(payload(r#""[1, 2]""#), "[1, 2]");
    let wrong = problems(r#""system_event_type":"custom","message":"x","payload":"{a}""#);
    assert_eq!(wrong, ["payload contains invalid JSON"]);
}

#[test]
fn extras_may_contain_a_push_payload() {
    let extras = r#"{"service_ios_pn":{"aps":{"badge":1.0}}}"#;
    let fields = format!(r#""system_event_type":"custom","message":"x","extras":{extras}"#);
    assert_eq!(read(&fields).expect("an event").extras.expect("extras").as_str(), extras);
    let wrong = problems(r#""system_event_type":"custom","message":"x","extras":"plain""#);
    assert_eq!(wrong, ["extras must be JSON or a string that contains JSON"]);
}

#[test]
fn the_idempotency_key_is_the_unique_id_if_the_body_has_none() {
    let event = r#"{"room_id":5,"system_event_type":"custom","message":"x"}"#;
    let unique_id = |body: &str, key: &str| {
        let draft = read_body(&json(body), Some(key))?;
        Ok::<_, Vec<String>>(draft.unique_id.map(|id| id.to_string()))
    };
    assert_eq!(unique_id(event, "key"), Ok(Some("key".to_owned())));
    let given = event.replace('}', r#","unique_temp_id":"body"}"#);
    assert_eq!(unique_id(&given, "key"), Ok(Some("body".to_owned())));
    let wrong = vec!["Idempotency-Key must not contain control characters".to_owned()];
    assert_eq!(unique_id(event, "a\tb"), Err(wrong));
}

#[test]
fn every_invalid_field_of_an_event_is_reported() {
    let expected = [
        "system_event_type must be custom",
        "message is required",
        "unique_temp_id must be a string",
    ];
    assert_eq!(problems(r#""system_event_type":"add_member","unique_temp_id":5"#), expected);
}

#[test]
fn an_event_may_be_urlencoded() {
    let body = form("room_id=5&system_event_type=custom&message=Hi&payload=%7B%22a%22%3A1.0%7D");
    let draft = read_body(&body, None).expect("an event");
    assert_eq!(draft.text, "Hi");
    assert!(matches!(draft.payload, Payload::SystemEvent(json) if json.as_str() == r#"{"a":1.0}"#));
}
