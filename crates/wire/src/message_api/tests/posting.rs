//! `POST /post_comment` (spec 4.1, D-0002).

use confab_domain::ids::RoomId;
use confab_domain::messages::message::Draft;
use confab_domain::messages::payload::Payload;
use confab_domain::rooms::room::{RoomRef, RoomUniqueId};

use super::{json, parsed};
use crate::message_api::comments::PostComment;
use crate::reading::json_string;

/// Parses a post into its room and draft. `fields` is JSON without the braces.
fn read_with_header(
    fields: &str,
    idempotency_key: Option<&str>,
) -> Result<(RoomRef, Draft), Vec<String>> {
    let body = format!("{{{fields}}}");
    parsed(PostComment::read(&json(&body), idempotency_key)).map(|post| (post.room, post.draft))
}

fn read(fields: &str) -> Result<(RoomRef, Draft), Vec<String>> {
    read_with_header(fields, None)
}

/// Parses ana's text for the room "support", with additional fields.
fn text_with(fields: &str) -> Result<Draft, Vec<String>> {
    let post = format!(r#""user_id":"ana","room_id":"support","message":"Hello"{fields}"#);
    read(&post).map(|(_, draft)| draft)
}

fn room(room_id: &str) -> Result<RoomRef, Vec<String>> {
    let post = format!(r#""user_id":"ana","message":"Hello","room_id":{room_id}"#);
    read(&post).map(|(room, _)| room)
}

fn sender(user_id: &str) -> Result<String, Vec<String>> {
    let post = format!(r#""room_id":"support","message":"Hello","user_id":{user_id}"#);
    read(&post).map(|(_, draft)| draft.sender.as_str().to_owned())
}

fn message(message: &str) -> Result<String, Vec<String>> {
    let post = format!(r#""user_id":"ana","room_id":"support","message":{message}"#);
    read(&post).map(|(_, draft)| draft.text)
}

fn extras(extras: &str) -> Result<Option<String>, Vec<String>> {
    let draft = text_with(&format!(r#","extras":{extras}"#))?;
    Ok(draft.extras.map(|json| json.as_str().to_owned()))
}

fn unique_id(fields: &str, idempotency_key: &str) -> Result<Option<String>, Vec<String>> {
    let post = format!(r#""user_id":"ana","room_id":"support","message":"Hello"{fields}"#);
    let (_, draft) = read_with_header(&post, Some(idempotency_key))?;
    Ok(draft.unique_id.map(|id| id.to_string()))
}

fn unique(text: &str) -> RoomUniqueId {
    RoomUniqueId::from_trusted(text.to_owned())
}

#[test]
fn a_text_requires_only_sender_room_and_message() {
    let draft = text_with("").expect("a text");
    let expected = Draft {
        sender: draft.sender.clone(),
        text: "Hello".to_owned(),
        payload: Payload::Text,
        extras: None,
        unique_id: None,
    };
    assert_eq!(draft, expected);
    assert_eq!(draft.sender.as_str(), "ana");
    let missing = ["user_id is required", "room_id is required", "message is required"];
    assert_eq!(read("").expect_err("refused"), missing);
}

#[test]
fn an_absent_null_or_empty_type_means_text() {
    for kind in ["", r#","type":null"#, r#","type":"""#, r#","type":"text""#] {
        assert_eq!(text_with(kind).expect(kind).payload, Payload::Text);
    }
    let wrong = text_with(r#","type":5"#).err();
    assert_eq!(wrong, Some(vec!["type must be a string".to_owned()]));
}

#[test]
fn null_means_absent() {
    let nulls = r#","type":null,"payload":null,"extras":null,"unique_temp_id":null"#;
    assert_eq!(text_with(nulls), text_with(""));
    let wrong = read(r#""user_id":null,"room_id":null,"message":null"#).expect_err("refused");
    assert_eq!(wrong, ["user_id is required", "room_id is required", "message is required"]);
}

#[test]
fn unknown_fields_are_ignored() {
    assert_eq!(text_with(r#","disable_link_preview":true,"n":1e999"#), text_with(""));
}

#[test]
fn a_message_has_at_most_4000_characters() {
    for character in ["a", "é", "\u{1f600}"] {
        let text = character.repeat(4000);
        assert_eq!(message(&json_string(&text)), Ok(text));
        let wrong = message(&json_string(&character.repeat(4001))).err();
        let expected = "message has 4001 characters, at most 4000 are allowed".to_owned();
        assert_eq!(wrong, Some(vec![expected]));
    }
    assert!(
        message(&format!("\"{}\"", r"\u00e9".repeat(4000))).is_ok(),
        "an escape counts as one character"
    );
}

#[test]
fn an_empty_message_counts_as_missing() {
    assert_eq!(message(r#""""#), Err(vec!["message is required".to_owned()]));
    assert_eq!(message(r#"" ""#), Ok(" ".to_owned()));
}

#[test]
fn a_message_is_a_string_without_nul() {
    for wrong in ["5", "true", "{}", r#"["Hello"]"#] {
        assert_eq!(message(wrong), Err(vec!["message must be a string".to_owned()]));
    }
    let wrong = message(r#""a\u0000b""#);
    assert_eq!(wrong, Err(vec!["message must not contain the NUL character".to_owned()]));
}

#[test]
fn a_room_id_is_an_integer_or_a_string() {
    let either = RoomRef::Either(RoomId(55), unique("55"));
    assert_eq!(room("55"), Ok(either.clone()));
    assert_eq!(room(r#""55""#), Ok(either));
    assert_eq!(room(r#""support é""#), Ok(RoomRef::Unique(unique("support é"))));
    let long = "é".repeat(255);
    assert_eq!(room(&json_string(&long)), Ok(RoomRef::Unique(unique(&long))));
}

#[test]
fn an_invalid_room_id_is_refused() {
    for odd in ["5.5", "-5", "1e3", "true", "[5]", "{}"] {
        let expected = vec!["room_id must be a string or an integer".to_owned()];
        assert_eq!(room(odd), Err(expected), "{odd}");
    }
    for odd in ["a#b", "a+b", "a/b", "a\nb"] {
        let expected = vec!["room_id must not contain #, +, / or control characters".to_owned()];
        assert_eq!(room(&json_string(odd)), Err(expected), "{odd}");
    }
    assert_eq!(room(r#""""#), Err(vec!["room_id must not be empty".to_owned()]));
    let nul = vec!["room_id must not contain the NUL character".to_owned()];
    assert_eq!(room(r#""\u0000""#), Err(nul));
    let long = json_string(&"é".repeat(256));
    assert_eq!(room(&long), Err(vec!["room_id must have at most 255 characters".to_owned()]));
}

#[test]
fn a_sender_id_has_letters_digits_and_four_other_characters() {
    for fine in ["ana", "Ana.B-c_d@x.example", "7"] {
        assert_eq!(sender(&json_string(fine)), Ok(fine.to_owned()));
    }
    assert_eq!(sender("7"), Ok("7".to_owned()));
    for odd in ["a b", "aña", "a+b", "a/b", "a\tb", "ana\n"] {
        let expected = vec!["user_id may contain only letters, digits and . - _ @".to_owned()];
        assert_eq!(sender(&json_string(odd)), Err(expected), "{odd}");
    }
    assert_eq!(sender(r#""""#), Err(vec!["user_id must not be empty".to_owned()]));
    assert!(sender(&json_string(&"a".repeat(255))).is_ok());
    let long = sender(&json_string(&"a".repeat(256)));
    assert_eq!(long, Err(vec!["user_id must have at most 255 characters".to_owned()]));
}

#[test]
fn extras_may_be_any_json_and_keep_their_digits() {
    for json in [r#"{"b":1.0,"a":"\u0000"}"#, "[1, 12345678901234567890]", "1e999", "true"] {
        assert_eq!(extras(json), Ok(Some(json.to_owned())));
    }
}

#[test]
fn extras_may_be_json_in_a_string() {
    let opened = extras(r#"" {\"a\":1.0, \"b\":\"\\u0000\"}\n""#);
    assert_eq!(opened, Ok(Some(r#"{"a":1.0, "b":"\u0000"}"#.to_owned())));
    assert_eq!(extras(r#""[1, 2]""#), Ok(Some("[1, 2]".to_owned())));
    let expected = vec!["extras must be JSON or a string that contains JSON".to_owned()];
    for plain in [r#""plain""#, r#""5""#, r#""null""#] {
        assert_eq!(extras(plain), Err(expected.clone()), "{plain}");
    }
    for broken in [r#""{\"a\":}""#, r#""[1,]""#, r#""{} {}""#] {
        let expected = vec!["extras contains invalid JSON".to_owned()];
        assert_eq!(extras(broken), Err(expected), "{broken}");
    }
}

#[test]
fn the_idempotency_key_is_the_unique_id_if_the_body_has_none() {
    assert_eq!(unique_id("", "from the header"), Ok(Some("from the header".to_owned())));
    assert_eq!(unique_id(r#","unique_temp_id":null"#, "key"), Ok(Some("key".to_owned())));
    assert_eq!(text_with("").expect("a text").unique_id, None);
}

#[test]
fn the_unique_id_of_the_body_takes_precedence_over_the_idempotency_key() {
    assert_eq!(unique_id(r#","unique_temp_id":"body""#, "key"), Ok(Some("body".to_owned())));
}

#[test]
fn a_unique_id_has_at_most_128_characters_and_no_control_characters() {
    let fits = "é".repeat(128);
    let in_body =
        |text: &str| unique_id(&format!(r#","unique_temp_id":{}"#, json_string(text)), "");
    assert_eq!(in_body(&fits), Ok(Some(fits.clone())));
    assert_eq!(unique_id("", &fits), Ok(Some(fits.clone())));
    let long = format!("{fits}é");
    let refused = |field: &str, problem: &str| Err(vec![format!("{field} {problem}")]);
    let many = "must have at most 128 characters";
    assert_eq!(in_body(&long), refused("unique_temp_id", many));
    assert_eq!(unique_id("", &long), refused("Idempotency-Key", many));
    let control = "must not contain control characters";
    for odd in ["a\nb", "a\u{7f}", "\u{85}"] {
        assert_eq!(in_body(odd), refused("unique_temp_id", control));
        assert_eq!(unique_id("", odd), refused("Idempotency-Key", control));
    }
}
