//! `POST /broadcast` (wire facts 3.2, D-0002).

use confab_domain::messages::unique_id::UniqueId;

use super::{form, json, parsed, user_texts};
use crate::body::Body;
use crate::message_api::comments::BroadcastDrafts;

fn read_body(body: &Body<'_>, key: Option<&str>) -> Result<BroadcastDrafts, Vec<String>> {
    parsed(BroadcastDrafts::read(body, key))
}

/// Parses ana's broadcast of "Hello" to these targets.
fn read(targets: &str, fields: &str, key: Option<&str>) -> Result<BroadcastDrafts, Vec<String>> {
    let body = format!(
        r#"{{"sender_user_id":"ana","message":"Hello","target_user_ids":{targets}{fields}}}"#
    );
    read_body(&json(&body), key)
}

fn problems(targets: &str, fields: &str) -> Vec<String> {
    read(targets, fields, None).err().unwrap_or_else(|| panic!("accepted: {targets} {fields}"))
}

fn unique_ids(broadcast: &BroadcastDrafts) -> Vec<Option<&str>> {
    broadcast.drafts.iter().map(|draft| draft.unique_id.as_ref().map(UniqueId::as_str)).collect()
}

#[test]
fn every_target_gets_the_same_message_in_the_given_order() {
    let broadcast = read(r#"["cid","bob"]"#, r#","extras":{"a":1.0}"#, None).expect("a broadcast");
    assert_eq!(user_texts(&broadcast.targets), ["cid", "bob"]);
    assert_eq!(broadcast.drafts.len(), 2);
    for draft in &broadcast.drafts {
        assert_eq!((draft.sender.as_str(), draft.text.as_str()), ("ana", "Hello"));
        assert_eq!(draft.extras.as_ref().expect("extras").as_str(), r#"{"a":1.0}"#);
    }
    assert_eq!(unique_ids(&broadcast), [None, None]);
}

#[test]
fn a_target_named_twice_gets_one_message() {
    let broadcast = read(r#"["bob","cid","bob"]"#, "", None).expect("a broadcast");
    assert_eq!(user_texts(&broadcast.targets), ["bob", "cid"]);
    assert_eq!(broadcast.drafts.len(), 2);
}

#[test]
fn each_unique_id_is_the_key_with_a_slash_and_the_target() {
    let of_body = read(r#"["bob","cid"]"#, r#","unique_temp_id":"once""#, Some("header"));
    assert_eq!(unique_ids(&of_body.expect("a broadcast")), [Some("once/bob"), Some("once/cid")]);
    let of_header = read(r#"["bob"]"#, "", Some("header"));
    assert_eq!(unique_ids(&of_header.expect("a broadcast")), [Some("header/bob")]);
}

#[test]
fn the_key_itself_has_at_most_128_characters() {
    let (fits, target) = ("k".repeat(128), "b".repeat(255));
    let targets = format!(r#"["{target}"]"#);
    let broadcast = read(&targets, "", Some(&fits)).expect("a broadcast");
    assert_eq!(unique_ids(&broadcast), [Some(format!("{fits}/{target}").as_str())]);
    let wrong = read(&targets, "", Some(&format!("{fits}k"))).err().expect("refused");
    assert_eq!(wrong, ["Idempotency-Key must have at most 128 characters"]);
}

#[test]
fn the_sender_must_not_be_a_target() {
    let wrong = problems(r#"["bob","ana"]"#, "");
    assert_eq!(wrong, ["target_user_ids must not name the sender"]);
}

#[test]
fn a_broadcast_requires_1_to_100_targets() {
    for none in ["[]", "null", r#""[]""#] {
        assert_eq!(problems(none, ""), ["target_user_ids is required"], "{none}");
    }
    let of = |count: usize| {
        let names: Vec<_> = (0..count).map(|at| format!(r#""u{at}""#)).collect();
        format!("[{}]", names.join(","))
    };
    assert_eq!(read(&of(100), "", None).expect("a broadcast").drafts.len(), 100);
    assert_eq!(problems(&of(101), ""), ["target_user_ids must name at most 100 users"]);
}

#[test]
fn targets_are_checked_like_any_user_id() {
    let wrong = problems(r#"["bob","b c"]"#, "");
    assert_eq!(wrong, ["target_user_ids may contain only letters, digits and . - _ @"]);
    assert_eq!(problems("[1]", ""), ["target_user_ids must be a list of strings"]);
    assert_eq!(problems("{}", ""), ["target_user_ids must be a list of strings"]);
}

#[test]
fn the_message_is_checked_like_a_post() {
    let card = read(r#"["bob"]"#, r#","type":"card","payload":{"text":"Shoes"}"#, None);
    assert_eq!(card.expect("a card").drafts[0].payload.shown_text("Hello"), "Shoes");
    let wrong = problems(r#"["bob"]"#, r#","type":"card","payload":{"title":5}"#);
    assert_eq!(wrong, ["payload.title must be a string", "payload.text is required"]);
    let wrong = read_body(&json("{}"), None).err().expect("refused");
    let expected =
        ["sender_user_id is required", "target_user_ids is required", "message is required"];
    assert_eq!(wrong, expected);
}

#[test]
fn a_broadcast_may_be_urlencoded() {
    let body = "sender_user_id=ana&message=Hi&target_user_ids[]=bob&target_user_ids[]=cid";
    let broadcast = read_body(&form(body), None).expect("a broadcast");
    assert_eq!(user_texts(&broadcast.targets), ["bob", "cid"]);
}
