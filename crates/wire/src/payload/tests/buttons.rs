//! Tests of `buttons` payloads and of single buttons (spec 2.2).

use super::{answered, problems};

/// Returns a `buttons` payload with these buttons.
fn with(buttons: &[&str]) -> String {
    format!(r#"{{"text":"Go on?","buttons":[{}]}}"#, buttons.join(","))
}

const YES: &str = r#"{"label":"Yes","type":"postback"}"#;

#[test]
fn buttons_are_returned_without_an_added_postback_text() {
    assert_eq!(answered("buttons", &with(&[YES])), with(&[YES]));
    let null = r#"{"label":"Yes","type":"postback","postback_text":null}"#;
    assert_eq!(answered("buttons", &with(&[null])), with(&[null]));
}

#[test]
fn buttons_are_returned_with_their_whitespace() {
    let payload =
        "{ \"buttons\" : [ {\"label\":\"\\u0041\", \"type\":\"postback\"} ],\n\"text\":\"Go\"}";
    assert_eq!(answered("buttons", payload), payload);
}

#[test]
fn one_to_twenty_buttons_are_accepted() {
    for count in [1, 3, 4, 20] {
        assert_eq!(answered("buttons", &with(&vec![YES; count])), with(&vec![YES; count]));
    }
    for count in [0, 21] {
        let wrong = problems("buttons", &with(&vec![YES; count]));
        assert_eq!(wrong, ["payload.buttons must have 1 to 20 items"], "{count} buttons");
    }
}

#[test]
fn a_button_is_of_type_postback_or_link() {
    for kind in ["locate", "", "Postback", "link "] {
        let button = format!(r#"{{"label":"Yes","type":"{kind}"}}"#);
        let wrong = problems("buttons", &with(&[YES, &button]));
        assert_eq!(wrong, ["payload.buttons[1].type must be postback or link"], "{kind}");
    }
}

#[test]
fn a_link_needs_its_address_and_nothing_else() {
    let link = r#"{"label":"Shop","type":"link","payload":{"url":"https://shop.example"}}"#;
    assert_eq!(answered("buttons", &with(&[link])), with(&[link]));
    for payload in ["", r#","payload":null"#, r#","payload":{}"#, r#","payload":{"url":null}"#] {
        let link = format!(r#"{{"label":"Shop","type":"link"{payload}}}"#);
        let wrong = problems("buttons", &with(&[YES, &link]));
        assert_eq!(wrong, ["payload.buttons[1].payload.url is required"], "{link}");
    }
}

#[test]
fn the_payload_of_a_press_may_be_any_json() {
    for payload in ["null", "{}", "[1]", "\"x\"", "1.0", "true", "1e999"] {
        let button =
            format!(r#"{{"label":"Yes","type":"postback","payload":{{"payload":{payload}}}}}"#);
        assert_eq!(answered("buttons", &with(&[&button])), with(&[&button]));
    }
}

#[test]
fn a_button_that_is_not_an_object_is_reported_once_and_the_others_are_still_read() {
    let wrong = problems("buttons", &with(&["null", YES, "{}"]));
    let expected = [
        "payload.buttons[0] must be a JSON object",
        "payload.buttons[2].label is required",
        "payload.buttons[2].type is required",
    ];
    assert_eq!(wrong, expected);
}

#[test]
fn a_repeated_key_is_refused() {
    let payload = r#"{"text":"Go","buttons":[{"type":"postback","label":"a","label":"b"}]}"#;
    assert_eq!(problems("buttons", payload), ["payload.buttons[0] must not repeat the key label"]);
    let payload = r#"{"text":"Go","text":"Stop","buttons":[]}"#;
    assert_eq!(problems("buttons", payload), ["payload must not repeat the key text"]);
}
