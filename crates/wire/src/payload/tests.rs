//! Tests of each message type: what it accepts, refuses and returns (spec 2.2, wire facts 3.3).

mod examples;

mod any_json;
mod buttons;
mod cards;
mod completing;
mod known_keys;
mod other_types;
mod ratings;
mod repeating;
mod returned_text;

use confab_domain::messages::message::Draft;
use confab_domain::messages::payload::Payload;
use confab_domain::refusal::Refusal;

use crate::body::Body;
use crate::message_api::comments::PostComment;
use crate::reading::json_string;

/// Result of an accepted post: the shown text, and the payload before facts complete it.
#[derive(Debug, PartialEq)]
struct Answer {
    message: String,
    payload: String,
}

/// Reads a post and returns its result or its problems. `payload` is JSON, `message` plain text.
fn read(kind: &str, message: Option<&str>, payload: &str) -> Result<Answer, Vec<String>> {
    let message = message.map_or_else(|| "null".to_owned(), json_string);
    let post = format!(
        r#"{{"user_id":"ana","room_id":"support","type":"{kind}","message":{message},
            "payload":{payload}}}"#
    );
    let body = Body::from_json(post.as_bytes());
    match body.and_then(|body| PostComment::read(&body, None)) {
        Ok(PostComment { draft, .. }) => Ok(Answer {
            message: draft.payload.shown_text(&draft.text),
            payload: payload_of(&draft).to_owned(),
        }),
        Err(Refusal::Invalid(problems)) => Err(problems.iter().map(ToString::to_string).collect()),
        Err(other) => panic!("reading returned a decision: {other}"),
    }
}

/// Returns the payload of an accepted post without `message`.
fn answered(kind: &str, payload: &str) -> String {
    read(kind, None, payload).unwrap_or_else(|wrong| panic!("{kind} {payload}: {wrong:?}")).payload
}

/// Returns the problems of a refused post without `message`.
fn problems(kind: &str, payload: &str) -> Vec<String> {
    read(kind, None, payload).err().unwrap_or_else(|| panic!("accepted: {kind} {payload}"))
}

fn payload_of(draft: &Draft) -> &str {
    match &draft.payload {
        Payload::Text | Payload::Conversation(_) | Payload::RatingQuestion(_) => "nothing",
        Payload::Buttons(json)
        | Payload::Carousel(json)
        | Payload::Custom(json)
        | Payload::ButtonPostbackResponse { json, .. }
        | Payload::SystemEvent(json)
        | Payload::Card { json, .. }
        | Payload::FileAttachment { json, .. }
        | Payload::AccountLinking { json, .. }
        | Payload::ContactPerson { json, .. }
        | Payload::Location { json, .. }
        | Payload::Reply { json, .. } => json.as_str(),
    }
}

#[test]
fn a_full_example_of_every_type_is_returned_as_sent() {
    for (kind, payload) in examples::all() {
        let answer = read(kind, Some("Hello"), &payload).expect(kind);
        let expected = if kind == "text" { "nothing" } else { &payload };
        assert_eq!(answer.payload, expected, "{kind}");
    }
}

#[test]
fn eleven_types_can_be_posted_and_no_others() {
    let posted: Vec<_> = examples::all().into_iter().map(|(kind, _)| kind).collect();
    let allowed = "account_linking, button_postback_response, buttons, card, carousel, \
                   contact_person, custom, file_attachment, location, reply, text";
    assert_eq!(posted.join(", "), allowed);
    for kind in ["system_event", "Text", "text ", "image", "custom_sub_type"] {
        let wrong = read(kind, Some("Hello"), "{}").err();
        assert_eq!(wrong, Some(vec![format!("type must be one of {allowed}")]), "{kind}");
    }
}

#[test]
fn unknown_keys_are_preserved_in_place() {
    for (kind, payload) in examples::all() {
        if kind == "text" {
            continue;
        }
        let payload = payload.replacen('{', r#"{"app_key":{"b":[],"a":"\u0000\/"},"#, 1);
        assert_eq!(read(kind, Some("Hello"), &payload).expect(kind).payload, payload);
        let nested = payload.replace(r#"{"label""#, r#"{"icon":null,"label""#);
        assert_eq!(read(kind, Some("Hello"), &nested).expect(kind).payload, nested);
    }
}

#[test]
fn numbers_keep_their_digits() {
    let numbers = r#""n":[1.0,-0,1e2,12345678901234567890,0.1000,1e999,123456789012345678901]"#;
    for (kind, payload) in examples::all() {
        if kind == "text" {
            continue;
        }
        let payload = payload.replacen('{', &format!("{{{numbers},"), 1);
        assert_eq!(read(kind, Some("Hello"), &payload).expect(kind).payload, payload);
    }
    let postback = r#"{"url":"","payload":{"price":10.50}}"#;
    let button = format!(
        r#"{{"label":"Buy","type":"postback","payload":{postback},"postback_text":"","n":1.0}}"#
    );
    let card = format!(r#"{{"text":"Shoes","buttons":[{button}]}}"#);
    assert_eq!(answered("card", &card), card);
    let carousel = format!(r#"{{"cards":[{{"rank":1.0,"buttons":[{button}]}}]}}"#);
    assert_eq!(answered("carousel", &carousel), carousel);
}

#[test]
fn a_payload_may_be_a_string_with_json() {
    for (kind, payload) in examples::all() {
        let sent = read(kind, Some("Hello"), &payload);
        let in_string = json_string(&format!(" {payload}\n"));
        assert_eq!(read(kind, Some("Hello"), &in_string), sent, "{kind}");
    }
}

#[test]
fn a_string_with_invalid_json_is_refused() {
    let wrong = problems("custom", r#""{\"type\":\"poll\",\"content\":}""#);
    assert_eq!(wrong, ["payload contains invalid JSON"]);
    let wrong = problems("custom", r#""{\"type\":\"poll\",\"content\":\"\\ud800\"}""#);
    assert_eq!(wrong, ["payload contains half of a surrogate pair, which is not a character"]);
    let deep =
        format!(r#""{{\"type\":\"poll\",\"content\":{}1{}}}""#, "[".repeat(64), "]".repeat(64));
    let wrong = problems("custom", &deep);
    assert_eq!(wrong, ["payload is nested too deeply, at most 64 levels are allowed"]);
}

#[test]
fn every_type_except_text_and_pressed_buttons_needs_a_payload() {
    for (kind, _) in examples::all() {
        for payload in ["null", r#""""#] {
            let read = read(kind, Some("Hello"), payload);
            match kind {
                "text" | "button_postback_response" => assert!(read.is_ok(), "{kind} {payload}"),
                _ => assert_eq!(read, Err(vec!["payload is required".to_owned()]), "{kind}"),
            }
        }
    }
}

#[test]
fn a_payload_that_is_not_an_object_is_refused() {
    for (kind, _) in examples::all() {
        for payload in ["5", "true", "[]", r#""plain""#, r#""[{}]""#] {
            let read = read(kind, Some("Hello"), payload);
            match kind {
                "text" => assert!(read.is_ok(), "the payload of a text is ignored: {payload}"),
                _ => {
                    let wrong = vec!["payload must be a JSON object".to_owned()];
                    assert_eq!(read, Err(wrong), "{kind} {payload}");
                }
            }
        }
    }
}

#[test]
fn several_wrong_fields_give_several_problems() {
    let post = r#"{"user_id":"a b","room_id":true,"message":5,"type":"card","extras":"plain",
        "unique_temp_id":7,
        "payload":{"title":1,"url":"data:x","buttons":[{"type":"menu"}, 5, {}]}}"#;
    let body = Body::from_json(post.as_bytes()).expect("JSON");
    let Some(Refusal::Invalid(problems)) = PostComment::read(&body, None).err() else {
        panic!("accepted")
    };
    let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    let expected = [
        "user_id may contain only letters, digits and . - _ @",
        "room_id must be a string or an integer",
        "message must be a string",
        "extras must be JSON or a string that contains JSON",
        "payload.title must be a string",
        "payload.url must not be a javascript, data or vbscript URL",
        "payload.text is required",
        "payload.buttons[0].label is required",
        "payload.buttons[0].type must be postback or link",
        "payload.buttons[1] must be a JSON object",
        "payload.buttons[2].label is required",
        "payload.buttons[2].type is required",
        "unique_temp_id must be a string",
    ];
    assert_eq!(problems, expected);
}
