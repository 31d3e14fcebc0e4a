//! Tests of the keys of each type: which are required, their types, and the path in problems
//! (design/message-api).

use serde_json::Value;

use super::{examples, read};

/// Required keys by type, with the problem when one is missing.
const NEEDED: [(&str, &str, &str); 18] = [
    ("account_linking", "/text", "payload.text"),
    ("account_linking", "/url", "payload.url"),
    ("buttons", "/text", "payload.text"),
    ("buttons", "/buttons", "payload.buttons"),
    ("buttons", "/buttons/0/label", "payload.buttons[0].label"),
    ("buttons", "/buttons/0/type", "payload.buttons[0].type"),
    ("buttons", "/buttons/1/payload", "payload.buttons[1].payload.url"),
    ("buttons", "/buttons/1/payload/url", "payload.buttons[1].payload.url"),
    ("card", "/text", "payload.text"),
    ("card", "/buttons/1/label", "payload.buttons[1].label"),
    ("carousel", "/cards", "payload.cards"),
    ("carousel", "/cards/0/buttons/0/type", "payload.cards[0].buttons[0].type"),
    ("contact_person", "/name", "payload.name"),
    ("contact_person", "/value", "payload.value"),
    ("custom", "/type", "payload.type"),
    ("file_attachment", "/url", "payload.url"),
    ("location", "/latitude", "payload.latitude"),
    ("location", "/longitude", "payload.longitude"),
];

/// Keys that may be absent or `null`.
const OPTIONAL: [(&str, &str); 36] = [
    ("account_linking", "/redirect_url"),
    ("account_linking", "/params"),
    ("button_postback_response", "/url"),
    ("button_postback_response", "/method"),
    ("button_postback_response", "/payload"),
    ("buttons", "/buttons/0/payload"),
    ("buttons", "/buttons/0/payload/url"),
    ("buttons", "/buttons/0/payload/method"),
    ("buttons", "/buttons/0/payload/payload"),
    ("card", "/image"),
    ("card", "/title"),
    ("card", "/description"),
    ("card", "/url"),
    ("card", "/buttons"),
    ("card", "/buttons/0/postback_text"),
    ("card", "/buttons/0/payload"),
    ("carousel", "/cards/0/image"),
    ("carousel", "/cards/0/title"),
    ("carousel", "/cards/0/description"),
    ("carousel", "/cards/0/default_action"),
    ("carousel", "/cards/0/default_action/type"),
    ("carousel", "/cards/0/default_action/postback_text"),
    ("carousel", "/cards/0/default_action/payload"),
    ("carousel", "/cards/0/default_action/payload/url"),
    ("carousel", "/cards/0/default_action/payload/method"),
    ("carousel", "/cards/0/buttons"),
    ("carousel", "/cards/0/buttons/0/postback_text"),
    ("contact_person", "/type"),
    ("file_attachment", "/caption"),
    ("file_attachment", "/file_name"),
    ("file_attachment", "/size"),
    ("file_attachment", "/pages"),
    ("location", "/name"),
    ("location", "/address"),
    ("location", "/map_url"),
    ("reply", "/text"),
];

/// Keys with string values, with their path in problems.
const TEXTS: [(&str, &str, &str); 27] = [
    ("button_postback_response", "/method", "payload.method"),
    ("account_linking", "/text", "payload.text"),
    ("buttons", "/text", "payload.text"),
    ("buttons", "/buttons/0/label", "payload.buttons[0].label"),
    ("buttons", "/buttons/1/type", "payload.buttons[1].type"),
    ("buttons", "/buttons/0/payload/method", "payload.buttons[0].payload.method"),
    ("card", "/text", "payload.text"),
    ("card", "/title", "payload.title"),
    ("card", "/description", "payload.description"),
    ("card", "/buttons/0/label", "payload.buttons[0].label"),
    ("card", "/buttons/0/postback_text", "payload.buttons[0].postback_text"),
    ("carousel", "/cards/0/title", "payload.cards[0].title"),
    ("carousel", "/cards/0/description", "payload.cards[0].description"),
    ("carousel", "/cards/1/title", "payload.cards[1].title"),
    ("carousel", "/cards/0/buttons/0/label", "payload.cards[0].buttons[0].label"),
    ("carousel", "/cards/0/default_action/type", "payload.cards[0].default_action.type"),
    (
        "carousel",
        "/cards/0/default_action/postback_text",
        "payload.cards[0].default_action.postback_text",
    ),
    (
        "carousel",
        "/cards/0/default_action/payload/method",
        "payload.cards[0].default_action.payload.method",
    ),
    ("contact_person", "/name", "payload.name"),
    ("contact_person", "/value", "payload.value"),
    ("contact_person", "/type", "payload.type"),
    ("custom", "/type", "payload.type"),
    ("file_attachment", "/caption", "payload.caption"),
    ("file_attachment", "/file_name", "payload.file_name"),
    ("location", "/name", "payload.name"),
    ("location", "/address", "payload.address"),
    ("reply", "/text", "payload.text"),
];

/// Keys with web addresses, with their path in problems.
const URLS: [(&str, &str, &str); 13] = [
    ("button_postback_response", "/url", "payload.url"),
    ("account_linking", "/url", "payload.url"),
    ("account_linking", "/redirect_url", "payload.redirect_url"),
    ("buttons", "/buttons/0/payload/url", "payload.buttons[0].payload.url"),
    ("buttons", "/buttons/1/payload/url", "payload.buttons[1].payload.url"),
    ("card", "/image", "payload.image"),
    ("card", "/url", "payload.url"),
    ("card", "/buttons/1/payload/url", "payload.buttons[1].payload.url"),
    ("carousel", "/cards/0/image", "payload.cards[0].image"),
    (
        "carousel",
        "/cards/0/default_action/payload/url",
        "payload.cards[0].default_action.payload.url",
    ),
    ("carousel", "/cards/0/buttons/0/payload/url", "payload.cards[0].buttons[0].payload.url"),
    ("file_attachment", "/url", "payload.url"),
    ("location", "/map_url", "payload.map_url"),
];

/// Returns the problems of a type's example after one value was replaced.
fn problems_with(kind: &str, pointer: &str, value: Value) -> Vec<String> {
    let mut payload: Value = serde_json::from_str(&examples::of(kind)).expect("JSON");
    *payload.pointer_mut(pointer).expect(pointer) = value;
    read(kind, Some("Hello"), &payload.to_string()).err().unwrap_or_default()
}

/// Returns the problems of a type's example after one key was removed.
fn problems_without(kind: &str, pointer: &str) -> Vec<String> {
    let mut payload: Value = serde_json::from_str(&examples::of(kind)).expect("JSON");
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let object = payload.pointer_mut(parent).and_then(Value::as_object_mut);
    object.expect("an object").remove(key).expect(pointer);
    read(kind, Some("Hello"), &payload.to_string()).err().unwrap_or_default()
}

#[test]
fn a_missing_required_key_is_reported() {
    for (kind, pointer, path) in NEEDED {
        let wrong = [format!("{path} is required")];
        assert_eq!(problems_without(kind, pointer), wrong, "{kind} {pointer}");
        assert_eq!(problems_with(kind, pointer, Value::Null), wrong, "{kind} {pointer} null");
    }
}

#[test]
fn an_optional_key_may_be_missing_or_null() {
    let nothing: [&str; 0] = [];
    for (kind, pointer) in OPTIONAL {
        assert_eq!(problems_without(kind, pointer), nothing, "{kind} {pointer}");
        assert_eq!(problems_with(kind, pointer, Value::Null), nothing, "{kind} {pointer} null");
    }
}

#[test]
fn a_text_that_is_not_a_string_is_reported() {
    let others = [Value::from(5), Value::from(true), Value::Array(vec![]), serde_json::json!({})];
    for (kind, pointer, path) in TEXTS.iter().chain(&URLS) {
        for other in &others {
            let wrong = [format!("{path} must be a string")];
            assert_eq!(problems_with(kind, pointer, other.clone()), wrong, "{kind} {pointer}");
        }
    }
}

#[test]
fn an_address_with_a_scheme_other_than_http_is_refused() {
    for (kind, pointer, path) in URLS.iter().filter(|it| !is_pressed(it)) {
        for url in ["javascript:alert(1)", "data:text/html,x", "tel:+62", " Java\tScript:x"] {
            let wrong = [format!("{path} must be an http or https URL")];
            assert_eq!(problems_with(kind, pointer, url.into()), wrong, "{kind} {pointer} {url}");
        }
    }
}

/// Whether the address is opened by a press.
fn is_pressed((kind, pointer, _): &(&str, &str, &str)) -> bool {
    pointer.ends_with("/payload/url")
        || (["card", "button_postback_response"].contains(kind) && *pointer == "/url")
}

#[test]
fn a_press_may_open_any_scheme_except_scripts_and_data() {
    let nothing: [&str; 0] = [];
    for (kind, pointer, path) in URLS.iter().filter(|it| is_pressed(it)) {
        for url in
            ["tel:+62", "mailto:a@x.y", "my-app://open", "intent:x", "javascripts:x", "x/data:y"]
        {
            assert_eq!(problems_with(kind, pointer, url.into()), nothing, "{kind} {pointer} {url}");
        }
        for url in
            ["javascript:alert(1)", "DATA:text/html,x", " vb\u{1}Script :x", "java\nscript:x"]
        {
            let wrong = [format!("{path} must not be a javascript, data or vbscript URL")];
            assert_eq!(problems_with(kind, pointer, url.into()), wrong, "{kind} {pointer} {url}");
        }
    }
}

#[test]
fn http_https_relative_and_empty_addresses_are_preserved() {
    let nothing: [&str; 0] = [];
    for (kind, pointer, _) in URLS {
        for url in ["http://x", " HTTPS://x.example/a:b\n", "/a", "a?b=c:d", "#e", ""] {
            let is_needed = ["account_linking", "file_attachment"].contains(&kind);
            if url.is_empty() && is_needed && pointer == "/url" {
                continue;
            }
            let wrong = problems_with(kind, pointer, url.into());
            assert_eq!(wrong, nothing, "{kind} {pointer} {url}");
        }
    }
}

#[test]
fn a_required_address_must_not_be_empty() {
    for kind in ["account_linking", "file_attachment"] {
        assert_eq!(problems_with(kind, "/url", "".into()), ["payload.url is required"], "{kind}");
    }
}

#[test]
fn a_value_other_than_the_expected_object_is_reported() {
    let objects = [
        ("account_linking", "/params", "payload.params"),
        ("buttons", "/buttons/0", "payload.buttons[0]"),
        ("buttons", "/buttons/0/payload", "payload.buttons[0].payload"),
        ("card", "/buttons/1", "payload.buttons[1]"),
        ("card", "/buttons/0/payload", "payload.buttons[0].payload"),
        ("carousel", "/cards/1", "payload.cards[1]"),
        ("carousel", "/cards/0/default_action", "payload.cards[0].default_action"),
        ("carousel", "/cards/0/default_action/payload", "payload.cards[0].default_action.payload"),
        ("carousel", "/cards/0/buttons/0", "payload.cards[0].buttons[0]"),
    ];
    for (kind, pointer, path) in objects {
        for other in [Value::from("{}"), Value::from(5), serde_json::json!([1])] {
            let wrong = [format!("{path} must be a JSON object")];
            assert_eq!(problems_with(kind, pointer, other), wrong, "{kind} {pointer}");
        }
    }
}

#[test]
fn a_value_other_than_the_expected_list_is_reported() {
    let lists = [
        ("buttons", "/buttons", "payload.buttons"),
        ("card", "/buttons", "payload.buttons"),
        ("carousel", "/cards", "payload.cards"),
        ("carousel", "/cards/0/buttons", "payload.cards[0].buttons"),
    ];
    for (kind, pointer, path) in lists {
        for other in [Value::from("[]"), Value::from(5), serde_json::json!({"0":{}})] {
            let wrong = [format!("{path} must be a list")];
            assert_eq!(problems_with(kind, pointer, other), wrong, "{kind} {pointer}");
        }
    }
}

#[test]
fn a_shown_text_with_nul_is_refused() {
    for (kind, pointer) in [("card", "/text"), ("contact_person", "/name"), ("reply", "/text")] {
        let path = pointer.replace('/', "payload.");
        let wrong = [format!("{path} must not contain the NUL character")];
        assert_eq!(problems_with(kind, pointer, "a\0b".into()), wrong, "{kind}");
    }
}
