//! Tests that the example of each kind has every field of spec 2.5, with its JSON type.

use confab_domain::webhooks::event_kind::EventKind;
use serde_json::Value;

use super::{an_example, value};

/// Path and type of a field: `int`, `text`, `bool`, `object`, `array`, or `json` for any type.
type Field = (&'static str, &'static str);

const CHANNEL: &[Field] = &[("id", "int"), ("name", "text"), ("source", "text")];

const DASHBOARD_USER: &[Field] = &[
    ("avatar_url", "text"),
    ("created_at", "text"),
    ("email", "text"),
    ("force_offline", "bool"),
    ("id", "int"),
    ("is_available", "bool"),
    ("is_verified", "bool"),
    ("last_login", "text"),
    ("name", "text"),
    ("sdk_email", "text"),
    ("sdk_key", "text"),
    ("type", "int"),
    ("type_as_string", "text"),
    ("updated_at", "text"),
];

const FROM: &[Field] = &[
    ("avatar_url", "text"),
    ("email", "text"),
    ("id", "int"),
    ("id_str", "text"),
    ("name", "text"),
];

const BOT_MESSAGE: &[Field] = &[
    ("comment_before_id", "int"),
    ("comment_before_id_str", "text"),
    ("created_at", "text"),
    ("disable_link_preview", "bool"),
    ("extras", "json"),
    ("id", "int"),
    ("id_str", "text"),
    ("payload", "json"),
    ("text", "text"),
    ("timestamp", "text"),
    ("type", "text"),
    ("unique_temp_id", "text"),
];

const ALLOCATION: &[Field] = &[
    ("app_code", "text"),
    ("app_id", "text"),
    ("avatar_url", "text"),
    ("candidate_agent", "object"),
    ("email", "text"),
    ("extras", "text"),
    ("is_new_session", "bool"),
];

const CUSTOM_BUTTON: &[Field] = &[
    ("additional_info", "array"),
    ("additional_info/0", "object"),
    ("agent/email", "text"),
    ("agent/name", "text"),
    ("agent/type", "text"),
    ("channel_id", "int"),
    ("channel_name", "text"),
    ("channel_type", "text"),
    ("customer/avatar", "text"),
    ("customer/name", "text"),
    ("customer/user_id", "text"),
    ("customer_properties", "array"),
    ("customer_properties/0/id", "int"),
    ("customer_properties/0/label", "text"),
    ("customer_properties/0/value", "text"),
];

const RESOLVED: &[Field] = &[
    ("app_code", "text"),
    ("customer/additional_info", "array"),
    ("customer/avatar", "text"),
    ("customer/name", "text"),
    ("customer/user_id", "text"),
    ("resolved_by/email", "text"),
    ("resolved_by/id", "int"),
    ("resolved_by/is_available", "bool"),
    ("resolved_by/name", "text"),
    ("resolved_by/type", "text"),
    ("service/first_comment_id", "text"),
    ("service/id", "int"),
    ("service/is_resolved", "bool"),
    ("service/last_comment_id", "text"),
    ("service/notes", "text"),
    ("service/room_id", "text"),
    ("service/source", "text"),
];

const OPENING_MESSAGE: &[Field] = &[
    ("id", "int"),
    ("id_str", "text"),
    ("payload", "json"),
    ("text", "text"),
    ("timestamp", "text"),
    ("type", "text"),
];

const ROOM: &[Field] = &[
    ("id", "text"),
    ("id_str", "text"),
    ("is_public_channel", "bool"),
    ("name", "text"),
    ("options", "text"),
];

const ROOM_OPTIONS: &[Field] = &[
    ("channel", "text"),
    ("channel_details/channel_id", "int"),
    ("channel_details/name", "text"),
    ("channel_details/phone", "text"),
    ("is_resolved", "bool"),
    ("is_waiting", "bool"),
    ("source", "text"),
];

#[test]
fn the_bot_webhook_has_every_field() {
    let body = value(&an_example(EventKind::Bot));
    check(&body, "", &[("app_code", "text")]);
    check(&body, "/channel", CHANNEL);
    check(&body, "/payload/from", FROM);
    check(&body, "/payload/message", BOT_MESSAGE);
}

#[test]
fn the_agent_allocation_webhook_has_every_field() {
    let body = value(&an_example(EventKind::AgentAllocation));
    check(&body, "", ALLOCATION);
    check(&body, "/candidate_agent", DASHBOARD_USER);
    check(&inside(&body, "/extras"), "", &[("user_properties", "array")]);
}

#[test]
fn the_custom_button_webhook_has_every_field() {
    check(&value(&an_example(EventKind::CustomButton)), "", CUSTOM_BUTTON);
}

#[test]
fn the_mark_as_resolved_webhook_has_every_field() {
    let body = value(&an_example(EventKind::Resolved));
    check(&body, "", RESOLVED);
    check(&body, "/channel", CHANNEL);
}

#[test]
fn the_new_session_webhook_has_every_field() {
    let body = value(&an_example(EventKind::NewSession));
    check(&body, "", &[("is_new_session", "bool")]);
    check(&body, "/channel", CHANNEL);
    check(&body, "/payload/from", FROM);
    check(&body, "/payload/message", OPENING_MESSAGE);
    check(&body, "/payload/room", ROOM);
    check(&inside(&body, "/payload/room/options"), "", ROOM_OPTIONS);
    assert_eq!(body["is_new_session"], true);
}

#[test]
fn the_logout_webhook_has_every_field() {
    let body = value(&an_example(EventKind::LoggedOut));
    check(&body, "/payload", &[("action", "text"), ("timestamp", "int")]);
    check(&body, "/payload/user", DASHBOARD_USER);
    assert_eq!((&body["type"], &body["payload"]["action"]), (&"auth".into(), &"logout".into()));
}

#[track_caller]
fn check(body: &Value, under: &str, fields: &[Field]) {
    for (path, kind) in fields {
        let found = body.pointer(&format!("{under}/{path}"));
        let found = found.unwrap_or_else(|| panic!("{under}/{path} is missing"));
        assert!(is_of(found, kind), "{under}/{path} should be {kind}, is {found}");
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "int" => value.is_i64(),
        "text" => value.is_string(),
        "bool" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "json" => true,
        other => panic!("no such type: {other}"),
    }
}

/// Parses the JSON in a string.
fn inside(body: &Value, path: &str) -> Value {
    let text = body.pointer(path).and_then(Value::as_str).expect("text");
    serde_json::from_str(text).expect("JSON inside")
}
