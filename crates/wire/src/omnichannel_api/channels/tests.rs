//! Requests about channels.

use confab_domain::ids::ChannelId;
use confab_domain::refusal::Refusal;

use super::*;
use crate::body::Body;

fn body(json: &str) -> Body<'_> {
    Body::from_json(json.as_bytes()).expect("JSON")
}

#[track_caller]
fn check_problems<T>(read: Result<T, Refusal>, expected: &[&str]) {
    let Err(Refusal::Invalid(problems)) = read else { panic!("must be refused") };
    let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems, expected);
}

#[test]
fn properties_come_as_a_list_or_as_an_object() {
    for properties in [
        r#"[{"key":"city","value":"Bandung"},{"key":"age","value":31}]"#,
        r#"{"age":31,"city":"Bandung"}"#,
        r#""{\"age\":31,\"city\":\"Bandung\"}""#,
    ] {
        let json = format!(
            r#"{{"app_id":"shop","user_id":"v","name":"V","nonce":"n","user_properties":{properties}}}"#
        );
        let mut infos = InitiateChat::read(&body(&json), "service").expect("valid").visitor.infos;
        infos.sort_by(|a, b| a.key.cmp(&b.key));
        let pairs: Vec<_> = infos.iter().map(|it| (it.key.as_str(), it.value.as_str())).collect();
        assert_eq!(pairs, [("age", "31"), ("city", "Bandung")], "{properties}");
    }
    for properties in [r#"[1]"#, r#"[{"key":"x"}]"#, r#"{"x":{}}"#, r#""x""#, "5"] {
        let json = format!(
            r#"{{"app_id":"shop","user_id":"v","name":"V","nonce":"n","user_properties":{properties}}}"#
        );
        assert!(InitiateChat::read(&body(&json), "service").is_err(), "{properties}");
    }
}

#[test]
fn every_missing_field_is_reported() {
    let needed = ["app_id is required", "user_id is required", "name is required"];
    let needed: Vec<_> = needed.into_iter().chain(["nonce is required"]).collect();
    check_problems(InitiateChat::read(&body("{}"), "service"), &needed);
    check_problems(
        IncomingMessage::read(&body("{}"), ChannelId(5), None),
        &["user_id is required", "message is required"],
    );
    check_problems(
        BotAnswer::read(&body("{}"), None),
        &["sender_email is required", "room_id is required", "message is required"],
    );
    check_problems(ActivateBot::read(&body("{}")), &["is_active is required"]);
    check_problems(PutChannel::read_new(&body("{}")), &["name is required"]);
    assert!(PutChannel::read(&body("{}")).is_ok(), "all fields of a change are optional");
}

#[test]
fn a_phone_number_with_or_without_a_plus_is_the_same_customer() {
    let read = |user: &str| {
        let json = format!(r#"{{"user_id":"{user}","message":"hi"}}"#);
        let read = IncomingMessage::read(&body(&json), ChannelId(5), None);
        read.map(|it| it.visitor.user_id.as_str().to_owned()).ok()
    };
    assert_eq!(read("+6281234"), Some("6281234".to_owned()));
    assert_eq!(read("6281234"), Some("6281234".to_owned()));
    assert_eq!(read("a@b.example"), Some("a@b.example".to_owned()));
    for wrong in ["+", "++62", "+62-81", "+ana", "62+81", "+62 81"] {
        assert_eq!(read(wrong), None, "{wrong}");
    }
}

#[test]
fn an_attachment_of_a_bot_becomes_a_file_message() {
    let json = r#"{"sender_email":"b","room_id":5,"attachment_url":"https://x.example/a.png",
        "caption":"look"}"#;
    let BotAnswer { draft, .. } = BotAnswer::read(&body(json), None).expect("valid");
    let confab_domain::messages::payload::Payload::FileAttachment { url, json } = draft.payload
    else {
        panic!("must be a file")
    };
    assert_eq!(url, "https://x.example/a.png");
    assert!(json.as_str().contains("look"));
}

#[test]
fn a_channel_key_must_be_long_visible_ascii() {
    for key in ["short", "has a blank in it", "é-is-no-plain-letter"] {
        let json = format!(r#"{{"name":"n","identifier_key":"{key}"}}"#);
        assert!(PutChannel::read_new(&body(&json)).is_err(), "{key}");
    }
    let both = r#"{"identifier_key":"long-enough-1","rotate_identifier_key":true}"#;
    assert!(PutChannel::read(&body(both)).is_err());
}
