//! Tests of the `message` of a response, per type (spec 2.2), and of when a request needs one
//! (design/message-api).

use super::{examples, problems, read};

/// Returns the shown text of a type's example, posted with or without `message`.
fn shown(kind: &str, message: Option<&str>) -> String {
    read(kind, message, &examples::of(kind)).expect(kind).message
}

#[test]
fn a_text_is_returned_as_posted() {
    let text = " Hello,\n\"you\" – \u{1f600} ";
    assert_eq!(shown("text", Some(text)), text);
}

#[test]
fn buttons_carousels_and_custom_messages_have_an_empty_shown_text() {
    for kind in ["buttons", "carousel", "custom"] {
        assert_eq!(shown(kind, None), "", "{kind}");
        assert_eq!(shown(kind, Some("Hello")), "", "{kind}");
    }
}

#[test]
fn a_card_is_shown_by_its_text() {
    assert_eq!(shown("card", None), "New shoes");
    assert_eq!(shown("card", Some("Hello")), "New shoes");
}

#[test]
fn an_account_linking_is_shown_by_its_text() {
    assert_eq!(shown("account_linking", None), "Please sign in");
    assert_eq!(shown("account_linking", Some("Hello")), "Please sign in");
}

#[test]
fn a_file_is_shown_by_its_wrapped_address() {
    let wrapped = "[file] https://files.example/plan.pdf [/file]";
    assert_eq!(shown("file_attachment", None), wrapped);
    assert_eq!(shown("file_attachment", Some("Hello")), wrapped);
}

#[test]
fn a_location_is_shown_by_name_address_and_map() {
    let place = "Old Market - Main street 1\nhttps://maps.example/?q=-7.756,110.3775";
    assert_eq!(shown("location", None), place);
    assert_eq!(shown("location", Some("Hello")), place);
}

#[test]
fn a_location_without_name_address_or_map_leaves_no_empty_parts() {
    let shown_by = |rest: &str| {
        let payload = format!(r#"{{"latitude":1,"longitude":2{rest}}}"#);
        read("location", None, &payload).map(|answer| answer.message)
    };
    assert_eq!(shown_by(""), Ok(String::new()));
    assert_eq!(shown_by(r#","name":"Market""#), Ok("Market".to_owned()));
    assert_eq!(shown_by(r#","map_url":"http://m""#), Ok("http://m".to_owned()));
    let both = shown_by(r#","address":"Street","map_url":"http://m""#);
    assert_eq!(both, Ok("Street\nhttp://m".to_owned()));
}

#[test]
fn a_contact_is_shown_by_name_and_value() {
    assert_eq!(shown("contact_person", None), "Bob - +62812345");
    assert_eq!(shown("contact_person", Some("Hello")), "Bob - +62812345");
}

#[test]
fn a_reply_is_shown_by_its_own_text_before_the_message() {
    assert_eq!(shown("reply", None), "Yes, it is");
    assert_eq!(shown("reply", Some("Hello")), "Yes, it is");
    for payload in [r#"{"replied_comment_id":41}"#, r#"{"replied_comment_id":41,"text":""}"#] {
        assert_eq!(read("reply", Some("Hello"), payload).expect("a reply").message, "Hello");
    }
}

#[test]
fn a_pressed_button_is_shown_by_the_message() {
    assert_eq!(shown("button_postback_response", Some("Yes")), "Yes");
}

#[test]
fn texts_and_pressed_buttons_need_a_message() {
    for kind in ["text", "button_postback_response"] {
        assert_eq!(problems(kind, &examples::of(kind)), ["message is required"], "{kind}");
        let empty = read(kind, Some(""), &examples::of(kind)).err();
        assert_eq!(empty, Some(vec!["message is required".to_owned()]), "{kind}");
    }
}

#[test]
fn a_reply_needs_a_message_or_a_text() {
    for text in ["", r#","text":"""#, r#","text":null"#] {
        let payload = format!(r#"{{"replied_comment_id":41{text}}}"#);
        assert_eq!(problems("reply", &payload), ["message is required"], "{payload}");
    }
}

#[test]
fn the_length_limit_applies_even_if_the_message_is_optional() {
    for (kind, payload) in examples::all() {
        assert!(read(kind, Some(&"é".repeat(4000)), &payload).is_ok(), "{kind}");
        let wrong = read(kind, Some(&"é".repeat(4001)), &payload).err();
        let expected = "message has 4001 characters, at most 4000 are allowed".to_owned();
        assert_eq!(wrong, Some(vec![expected]), "{kind}");
    }
}

#[test]
fn the_shown_text_of_a_payload_has_at_most_4000_characters() {
    for (kind, rest) in [
        ("card", ""),
        ("account_linking", r#","url":"http://x""#),
        ("reply", r#","replied_comment_id":41"#),
    ] {
        let payload = |count: usize| format!(r#"{{"text":"{}"{rest}}}"#, "é".repeat(count));
        assert!(read(kind, None, &payload(4000)).is_ok(), "{kind}");
        let wrong = read(kind, Some("Hello"), &payload(4001)).err();
        let expected = "payload.text has 4001 characters, at most 4000 are allowed".to_owned();
        assert_eq!(wrong, Some(vec![expected]), "{kind}");
    }
}
