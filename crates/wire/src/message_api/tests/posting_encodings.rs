//! The accepted and refused encodings of a post (wire facts 2).

use confab_domain::messages::message::Draft;

use super::{form, parsed};
use crate::body::Body;
use crate::message_api::comments::PostComment;

/// Parses a JSON body.
fn read_json(bytes: &[u8]) -> Result<Draft, Vec<String>> {
    let body = parsed(Body::from_json(bytes))?;
    parsed(PostComment::read(&body, None)).map(|post| post.draft)
}

/// Parses an urlencoded body.
fn read_form(text: &str) -> Result<Draft, Vec<String>> {
    parsed(PostComment::read(&form(text), None)).map(|post| post.draft)
}

#[test]
fn an_urlencoded_post_equals_a_json_post() {
    let forms = [
        (
            "user_id=ana&room_id=55&message=Hello+you%21%20%C3%A9",
            r#"{"user_id":"ana","room_id":55,"message":"Hello you! é"}"#,
        ),
        (
            "user_id=ana&room_id=5&type=&payload=&message=x&extras=%7B%22a%22%3A1.0%7D",
            r#"{"user_id":"ana","room_id":5,"message":"x","extras":{"a":1.0}}"#,
        ),
        (
            "user_id=ana&room_id=5&type=custom&payload=%7B%22type%22:%22x%22,%22content%22:1.0%7D",
            r#"{"user_id":"ana","room_id":5,"type":"custom","payload":{"type":"x","content":1.0}}"#,
        ),
        (
            "user_id=ana&room_id=5&message=x&unique_temp_id=once",
            r#"{"user_id":"ana","room_id":5,"message":"x","unique_temp_id":"once"}"#,
        ),
    ];
    for (form, json) in forms {
        assert_eq!(read_form(form), read_json(json.as_bytes()), "{form}");
        assert!(read_form(form).is_ok(), "{form}");
    }
}

#[test]
fn every_invalid_field_of_an_urlencoded_post_is_reported() {
    let wrong = read_form("user_id=a%20b&message=a%00b&payload=plain&extras=plain&type=card");
    let expected = [
        "user_id may contain only letters, digits and . - _ @",
        "room_id is required",
        "message must not contain the NUL character",
        "extras must be JSON or a string that contains JSON",
        "payload must be a JSON object",
    ];
    assert_eq!(wrong.expect_err("refused"), expected);
}

#[test]
fn a_body_must_be_an_object() {
    let check = |body: &str, problem: &str| {
        let expected = vec![format!("The body must be a JSON object{problem}")];
        assert_eq!(read_json(body.as_bytes()), Err(expected), "{body}");
    };
    for list in [r#"["ana","support","Hello"]"#, "[]", " [ [] ]"] {
        check(list, ", not a list");
    }
    ["5", "null", "true"].into_iter().for_each(|body| check(body, ""));
    check(r#""{}""#, ", not a string");
}

#[test]
fn a_byte_order_mark_before_the_body_is_skipped() {
    let plain = br#"{"user_id":"ana","room_id":5,"message":"x"}"#;
    let marked = [b"\xef\xbb\xbf".as_slice(), plain].concat();
    assert_eq!(read_json(&marked).expect("read"), read_json(plain).expect("read"));
}

#[test]
fn misspelled_optional_fields_are_reported_and_other_unknown_ones_ignored() {
    let read = |more: &str| {
        let body = format!(r#"{{"user_id":"ana","room_id":5,"message":"x",{more}}}"#);
        read_json(body.as_bytes()).map(drop)
    };
    let refused = |text: &str| Err(vec![text.to_owned()]);
    assert_eq!(
        read(r#""extra":{"a":1}"#),
        refused("extra is not a field of this call; use extras")
    );
    assert_eq!(read(r#""tpye":"text""#), refused("tpye is not a field of this call; use type"));
    let refused_temp = refused("uniqueTempId is not a field of this call; use unique_temp_id");
    assert_eq!(read(r#""uniqueTempId":"1""#), refused_temp);
    for skipped in [
        r#""disable_link_preview":true"#,
        r#""topic_id":"5","token":"t","comment":"x","name":"n","room_ids":[5]"#,
        r#""extra":{"a":1},"extras":{"a":1}"#,
    ] {
        assert_eq!(read(skipped), Ok(()), "{skipped}");
    }
}

#[test]
fn an_empty_body_counts_as_an_empty_object() {
    let missing = ["user_id is required", "room_id is required", "message is required"];
    for body in ["", " \n", "{}", " { } "] {
        assert_eq!(read_json(body.as_bytes()).expect_err("refused"), missing, "{body:?}");
    }
}

#[test]
fn a_repeated_field_is_refused() {
    let wrong = read_json(br#"{"user_id":"ana","user_id":"bob","room_id":5,"message":"x"}"#);
    let expected = vec!["The body must be a JSON object without repeated keys".to_owned()];
    assert_eq!(wrong, Err(expected));
}

#[test]
fn invalid_json_is_refused_with_its_position() {
    let wrong = read_json(b"{\"user_id\":\"ana\",\n\"room_id\":}");
    assert_eq!(wrong, Err(vec!["The body is not valid JSON (line 2, column 11)".to_owned()]));
    for broken in ["{", "{} {}", r#"{"user_id":ana}"#, r#"{"message":"a"#, "user_id=ana"] {
        let wrong = read_json(broken.as_bytes()).expect_err(broken);
        assert!(wrong[0].starts_with("The body is not valid JSON (line 1,"), "{wrong:?}");
    }
}

#[test]
fn invalid_utf8_is_refused() {
    let wrong = read_json(b"{\"message\":\"\xff\"}");
    assert_eq!(wrong, Err(vec!["The body is not valid UTF-8".to_owned()]));
}

#[test]
fn half_a_surrogate_pair_is_refused_anywhere_in_the_body() {
    let places = [
        r#""message":"\ud83d""#,
        r#""message":"x","payload":{"a":"\ude00"}"#,
        r#""message":"x","extras":{"\ud83d":1}"#,
        r#""message":"x","unknown":"\ud83dx""#,
    ];
    let expected =
        "The body contains half of a surrogate pair, which is not a character".to_owned();
    for place in places {
        let body = format!(r#"{{"user_id":"ana","room_id":5,{place}}}"#);
        assert_eq!(read_json(body.as_bytes()), Err(vec![expected.clone()]), "{place}");
    }
    let whole = r#"{"user_id":"ana","room_id":5,"message":"\ud83d\ude00"}"#;
    assert_eq!(read_json(whole.as_bytes()).expect("a text").text, "\u{1f600}");
}

#[test]
fn the_body_and_its_extras_may_be_nested_64_levels() {
    let nested = |levels: usize| {
        let extras = "[".repeat(levels) + &"]".repeat(levels);
        read_json(
            format!(r#"{{"user_id":"ana","room_id":5,"message":"x","extras":{extras}}}"#)
                .as_bytes(),
        )
    };
    assert!(nested(63).is_ok());
    let expected = "The body is nested too deeply, at most 64 levels are allowed".to_owned();
    assert_eq!(nested(64), Err(vec![expected]));
}

#[test]
fn a_thousand_siblings_do_not_count_as_nesting() {
    let neighbours = vec![r#"{"a":["]"]}"#; 1000].join(",");
    let body = format!(r#"{{"user_id":"a","room_id":5,"message":"x","extras":[{neighbours}]}}"#);
    assert!(read_json(body.as_bytes()).is_ok());
}
