//! Tests that recognize a repeated post of a stored message (D-0002).

use confab_domain::ids::MessageId;
use confab_domain::json_text::JsonText;
use confab_domain::messages::payload::Payload;

use crate::payload::is_same_payload;

fn json(text: &str) -> JsonText {
    JsonText::from_checked(text.to_owned())
}

#[test]
fn payloads_are_compared_by_value_without_the_additions_of_the_server() {
    let stored = json(r#"{"a":1,"b":[true,null]}"#);
    let custom = |text| Payload::Custom(json(text));
    assert!(is_same_payload(&custom(r#"{ "b": [true, null], "a": 1 }"#), Some(&stored)));
    assert!(!is_same_payload(&custom(r#"{"a":2,"b":[true,null]}"#), Some(&stored)));
    assert!(is_same_payload(&Payload::Text, None));
    assert!(!is_same_payload(&Payload::Text, Some(&stored)));
    assert!(!is_same_payload(&custom("{}"), None));
    let event = json(r#"{"payload":{"to":5},"room_name":"Before","type":"custom"}"#);
    assert!(is_same_payload(&Payload::SystemEvent(json(r#"{"to":5}"#)), Some(&event)));
    assert!(!is_same_payload(&Payload::SystemEvent(json(r#"{"to":6}"#)), Some(&event)));
    let reply = |to| {
        let to = MessageId(to);
        Payload::Reply { text: "yes".to_owned(), to, json: JsonText::empty_object() }
    };
    let stored = json(r#"{"text":"yes","replied_comment_id":7,"replied_comment_message":"?"}"#);
    assert!(is_same_payload(&reply(7), Some(&stored)));
    assert!(!is_same_payload(&reply(8), Some(&stored)));
}
