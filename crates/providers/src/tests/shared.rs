//! Tests of functions that all providers share: splitting, pauses, tags, names.

use std::time::Duration;

use confab_domain::ids::MessageId;
use confab_domain::messages::message_kind::MessageKind;
use serde_json::json;

use super::support::value;
use crate::inbound_message::{InboundContent, Media};
use crate::splitting::Bound;
use crate::{
    IdKind, InboundMessage, MediaSource, Pause, Press, PressedButton, Provider, ReplyReference,
    SendTag, StoredMedia, pressed,
};

#[test]
fn pieces_of_a_split_text_fit_and_lose_only_whitespace() {
    let bound = Bound::utf16(10);
    assert_eq!(bound.pieces("one two three four"), ["one two", "three four"]);
    assert_eq!(bound.pieces("line one\nline two"), ["line one", "line two"]);
    assert_eq!(bound.pieces("aaaaaaaaaaaaaaa"), ["aaaaaaaaaa", "aaaaa"]);
    assert_eq!(bound.pieces("😀😀😀😀😀😀"), ["😀😀😀😀😀", "😀"]);
    assert_eq!(Bound::bytes(10).pieces("😀😀😀"), ["😀😀", "😀"]);
    assert_eq!(Bound::bytes(1).pieces("😀😀"), ["😀", "😀"], "a character is never split");
    assert_eq!(bound.pieces("  "), Vec::<&str>::new());
}

#[test]
fn a_truncated_text_ends_with_an_ellipsis() {
    assert_eq!(Bound::utf16(5).cut("12345"), "12345");
    assert_eq!(Bound::utf16(5).cut("123456"), "1234…");
    assert_eq!(Bound::utf16(5).cut("12 😀😀"), "12…");
}

#[test]
fn a_pause_doubles_up_to_its_bound() {
    let seconds = |before| Pause::TROUBLE.length(before).as_secs();
    assert_eq!([0, 1, 5, 6, 31, 32, u32::MAX].map(seconds), [1, 2, 32, 60, 60, 60, 60]);
    let exactly = Pause::Exactly(Duration::from_secs(7));
    assert_eq!(exactly.length(9), Duration::from_secs(7));
}

#[test]
fn send_tags_survive_a_round_trip_and_foreign_ones_are_refused() {
    let tag = SendTag { delivery: 1, room: 2, message: 9_007_199_254_740_991 };
    assert_eq!(SendTag::parse(&tag.written()), Some(tag));
    for foreign in ["", "1.2", "1.2.3.4", "a.b.c", "1..3"] {
        assert_eq!(SendTag::parse(foreign), None, "{foreign}");
    }
}

#[test]
fn provider_names_and_id_kinds_survive_a_round_trip() {
    for provider in Provider::ALL {
        assert_eq!(Provider::parse(provider.word()), Some(provider));
    }
    assert_eq!(Provider::parse("custom"), None);
    assert_eq!(IdKind::parse(IdKind::Number.as_str()), Some(IdKind::Number));
}

#[test]
fn an_unknown_replied_message_is_named_in_the_extras() {
    let mut text = InboundMessage::text("yes").remove(0);
    text.reply_to = Some("77:1".to_owned());
    let known = text.posted(&ReplyReference::Message(MessageId(41)), None);
    let payload = known.payload.json().map(value);
    assert_eq!(payload, Some(json!({"text": "yes", "replied_comment_id": 41})));
    assert_eq!(known.extras, None);
    let unknown = text.posted(&ReplyReference::Nothing, None);
    assert_eq!(unknown.extras.as_ref().map(value), Some(json!({"reply_to_external": "77:1"})));
    let media = Media::new(MediaSource::Id("F".to_owned()), "a.png");
    let mut file = InboundMessage::new(InboundContent::File(media));
    file.reply_to = Some("77:1".to_owned());
    let stored_file = StoredMedia { url: "https://files.example/a.png".to_owned(), bytes: 5 };
    let posted = file.posted(&ReplyReference::Message(MessageId(41)), Some(&stored_file));
    assert_eq!(posted.extras.as_ref().map(value), Some(json!({"replied_comment_id": 41})));
    let url = posted.payload.json().map(|it| value(it)["url"].clone());
    assert_eq!(url, Some(json!("https://files.example/a.png")));
}

#[test]
fn a_reply_across_rooms_quotes_the_text_within_the_length_limit() {
    let mut text = InboundMessage::text("yes").remove(0);
    text.reply_to = Some("77:1".to_owned());
    let quoting = |quoted: &str| text.posted(&ReplyReference::Quotation(quoted.to_owned()), None);
    let posted = quoting("Do you want it?\nIt is blue.");
    assert_eq!(posted.text, "> Do you want it?\n> It is blue.\n\nyes");
    assert_eq!(posted.payload.kind(), MessageKind::Text);
    assert_eq!(posted.extras.as_ref().map(value), Some(json!({"reply_to_external": "77:1"})));
    assert_eq!(quoting(" \n ").text, "yes");
    let long = quoting(&"ö".repeat(4_000)).text;
    assert_eq!(long, format!("> {}…\n\nyes", "ö".repeat(300)));
    let mut whole = InboundMessage::text(&"x".repeat(3_990)).remove(0);
    whole.reply_to = Some("77:1".to_owned());
    let posted = whole.posted(&ReplyReference::Quotation("Do you want it?".to_owned()), None);
    assert_eq!(posted.text, "x".repeat(3_990), "the customer's text is never truncated");
}

#[test]
fn an_unavailable_file_becomes_a_text() {
    let media = Media::new(MediaSource::Id("F".to_owned()), "film.mp4");
    let file =
        InboundMessage::new(InboundContent::File(Media { caption: "Look!".to_owned(), ..media }));
    let posted = file.posted_without_file("is too large");
    assert_eq!(posted.text, "Look!\n\nThe file film.mp4 is too large.");
    assert_eq!(
        file.posted(&ReplyReference::Nothing, None).text,
        "Look!\n\nThe file film.mp4 is not available."
    );
}

#[test]
fn a_foreign_button_posts_its_title_and_keeps_its_payload() {
    let press = Press {
        id: "1".to_owned(),
        button: PressedButton::Foreign("ORDER_7".to_owned()),
        title: Some("Order".to_owned()),
        query: None,
    };
    let posted = pressed(&press, None, |_| None);
    assert_eq!(posted.text, "Order");
    assert_eq!(posted.payload.json().map(value), Some(json!({"payload": "ORDER_7"})));
    assert_eq!(pressed(&Press { title: None, ..press }, None, |_| None).text, "ORDER_7");
}
