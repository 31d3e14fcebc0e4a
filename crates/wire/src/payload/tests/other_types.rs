//! Tests of files, custom content, locations, contacts, account links and pressed buttons (spec
//! 2.2, wire facts 3.3).

use super::{answered, problems, read};

/// Returns the payload of an accepted post with a `message`.
fn answered_with(kind: &str, message: &str, payload: &str) -> String {
    read(kind, Some(message), payload).expect(kind).payload
}

#[test]
fn the_message_becomes_the_caption_of_a_file_that_has_none() {
    let bare = r#"{"url":"/a.pdf"}"#;
    let captioned = r#"{"url":"/a.pdf","caption":"A \"plan\"\n"}"#;
    assert_eq!(answered_with("file_attachment", "A \"plan\"\n", bare), captioned);
    let null = r#"{"caption":null,"url":"/a.pdf"}"#;
    let filled = r#"{"caption":"Plan","url":"/a.pdf"}"#;
    assert_eq!(answered_with("file_attachment", "Plan", null), filled);
}

#[test]
fn the_caption_of_a_file_takes_precedence_over_the_message() {
    for caption in ["Plan", ""] {
        let payload = format!(r#"{{"url":"/a.pdf","caption":"{caption}"}}"#);
        assert_eq!(answered_with("file_attachment", "Other", &payload), payload);
    }
}

#[test]
fn a_file_without_message_gets_no_caption() {
    for payload in [r#"{"url":"/a.pdf"}"#, r#"{"url":"/a.pdf","caption":null}"#] {
        assert_eq!(answered("file_attachment", payload), payload);
        assert_eq!(answered_with("file_attachment", "", payload), payload);
    }
}

#[test]
fn size_and_pages_of_a_file_are_integers() {
    for key in ["size", "pages"] {
        for fine in ["0", "3", "9007199254740993"] {
            let payload = format!(r#"{{"url":"/a.pdf","{key}":{fine}}}"#);
            assert_eq!(answered("file_attachment", &payload), payload);
        }
        for wrong in ["1.5", "1.0", "1e3", r#""many""#, "true", "[1]", "{}"] {
            let wrong = problems("file_attachment", &format!(r#"{{"url":"/","{key}":{wrong}}}"#));
            assert_eq!(wrong, [format!("payload.{key} must be an integer")]);
        }
    }
}

#[test]
fn size_and_pages_sent_as_strings_are_stored_as_integers() {
    let payload = r#"{"url":"/a.pdf","size":"12","caption":"x","pages":" 3 "}"#;
    let expected = r#"{"url":"/a.pdf","size":12,"caption":"x","pages":3}"#;
    assert_eq!(answered("file_attachment", payload), expected);
}

#[test]
fn the_content_of_a_custom_message_may_be_any_json_and_is_returned_unchanged() {
    let contents = [
        "{}",
        r#"{"b":1.0,"a":12345678901234567890,"c":1e999}"#,
        r#"[1, "two", [null], {"three":3.0}]"#,
        "[]",
        r#""plain""#,
        r#""""#,
        r#""<a href=\"x\">\u00e9\n\/</a>\u0000""#,
        r#""{\"not\":\"opened\"}""#,
        "5",
        "-0.50",
        "1e999",
        "true",
        "null",
    ];
    for content in contents {
        let payload = format!(r#"{{"type":"poll","content":{content}}}"#);
        assert_eq!(answered("custom", &payload), payload);
    }
}

#[test]
fn a_custom_message_needs_both_type_and_content() {
    assert_eq!(problems("custom", r#"{"type":"poll"}"#), ["payload.content is required"]);
    assert_eq!(problems("custom", r#"{"content":5}"#), ["payload.type is required"]);
    let wrong = problems("custom", "{}");
    assert_eq!(wrong, ["payload.type is required", "payload.content is required"]);
}

#[test]
fn coordinates_must_be_within_their_range() {
    let at = |latitude, longitude| format!(r#"{{"latitude":{latitude},"longitude":{longitude}}}"#);
    for (latitude, longitude) in [
        ("90", "180"),
        ("-90.0", "-1.8e2"),
        ("0", "-0"),
        ("1e1", "179.99"),
        (r#""-6.2""#, r#"" 45 ""#),
    ] {
        assert_eq!(answered("location", &at(latitude, longitude)), at(latitude, longitude));
    }
    for latitude in
        ["90.01", "-91", "1e999", r#""x""#, r#""inf""#, r#""NaN""#, r#""""#, "true", "[1]", "{}"]
    {
        let wrong = problems("location", &at(latitude, "0"));
        assert_eq!(wrong, ["payload.latitude must be a number from -90 to 90"], "{latitude}");
    }
    for longitude in ["180.01", "-181", "1e999", r#""181""#, "false", "[]"] {
        let wrong = problems("location", &at("0", longitude));
        assert_eq!(wrong, ["payload.longitude must be a number from -180 to 180"], "{longitude}");
    }
    let wrong = problems("location", r#"{"latitude":null}"#);
    assert_eq!(wrong, ["payload.latitude is required", "payload.longitude is required"]);
}

#[test]
fn a_contact_without_type_is_a_phone() {
    let phone = r#"{"name":"Bob","value":"+62","type":"phone"}"#;
    assert_eq!(answered("contact_person", r#"{"name":"Bob","value":"+62"}"#), phone);
    assert_eq!(answered("contact_person", &phone.replace(r#""phone""#, "null")), phone);
}

#[test]
fn a_contact_is_a_phone_or_an_email() {
    let with = |kind: &str| format!(r#"{{"type":"{kind}","name":"Bob","value":"b@x.example"}}"#);
    for kind in ["phone", "email"] {
        assert_eq!(answered("contact_person", &with(kind)), with(kind));
    }
    for kind in ["fax", "", "Phone"] {
        let wrong = problems("contact_person", &with(kind));
        assert_eq!(wrong, ["payload.type must be phone or email"], "{kind}");
    }
}

#[test]
fn account_linking_params_are_preserved_as_sent() {
    let payload = r#"{"text":"Sign in","url":"/in","params":{"user_id":1.0,"view_title":null}}"#;
    assert_eq!(answered("account_linking", payload), payload);
}

#[test]
fn a_pressed_button_without_payload_gets_an_empty_one() {
    for absent in ["null", r#""""#] {
        assert_eq!(answered_with("button_postback_response", "Yes", absent), "{}");
    }
    for payload in ["{}", r#"{"url":"/yes","method":"get","payload":{"n":1.0}}"#] {
        assert_eq!(answered_with("button_postback_response", "Yes", payload), payload);
    }
}

#[test]
fn the_replied_message_id_is_an_integer_or_its_digits() {
    for id in ["41", r#""41""#] {
        let payload = format!(r#"{{"text":"Yes","replied_comment_id":{id}}}"#);
        assert_eq!(answered("reply", &payload), payload);
    }
    for id in ["41.0", r#""x""#, r#""""#, "true", "[41]", "9223372036854775808"] {
        let wrong = problems("reply", &format!(r#"{{"text":"Yes","replied_comment_id":{id}}}"#));
        assert_eq!(wrong, ["payload.replied_comment_id must be an integer"], "{id}");
    }
    let wrong = problems("reply", r#"{"text":"Yes"}"#);
    assert_eq!(wrong, ["payload.replied_comment_id is required"]);
}
