//! Tests of `card` and `carousel` payloads, which are returned with every `postback_text` (spec
//! 2.2).

use super::{answered, problems};

/// Returns a `card` payload with these buttons.
fn card(buttons: &[&str]) -> String {
    format!(r#"{{"text":"Shoes","buttons":[{}]}}"#, buttons.join(","))
}

/// Returns a `carousel` payload with these cards.
fn carousel(cards: &[&str]) -> String {
    format!(r#"{{"cards":[{}]}}"#, cards.join(","))
}

const BUY: &str = r#"{"label":"Buy","type":"postback"}"#;
const BUY_FILLED: &str = r#"{"label":"Buy","type":"postback","postback_text":""}"#;

#[test]
fn an_absent_postback_text_of_a_card_is_added() {
    assert_eq!(answered("card", &card(&[BUY, BUY])), card(&[BUY_FILLED, BUY_FILLED]));
    let null = r#"{"postback_text":null,"label":"Buy","type":"postback"}"#;
    let filled = r#"{"postback_text":"","label":"Buy","type":"postback"}"#;
    assert_eq!(answered("card", &card(&[null])), card(&[filled]));
}

#[test]
fn an_absent_postback_text_of_a_carousel_is_added() {
    let with = |button: &str| format!(r#"{{"title":"Shoes","buttons":[{button}]}}"#);
    let sent = carousel(&[&with(BUY), r#"{"title":"Hats"}"#, &with(BUY)]);
    let filled = carousel(&[&with(BUY_FILLED), r#"{"title":"Hats"}"#, &with(BUY_FILLED)]);
    assert_eq!(answered("carousel", &sent), filled);
}

#[test]
fn a_given_postback_text_is_preserved() {
    let given = r#"{"label":"Buy","type":"postback","postback_text":"I buy it"}"#;
    assert_eq!(answered("card", &card(&[given])), card(&[given]));
    let in_carousel = carousel(&[&format!(r#"{{"buttons":[{given}]}}"#)]);
    assert_eq!(answered("carousel", &in_carousel), in_carousel);
}

#[test]
fn a_card_needs_no_buttons() {
    for payload in
        [r#"{"text":"x"}"#, r#"{"text":"x","buttons":[ ]}"#, r#"{"text":"x","buttons":null}"#]
    {
        assert_eq!(answered("card", payload), payload);
    }
    let in_carousel = carousel(&["{}", r#"{"buttons":[]}"#, r#"{"buttons":null}"#]);
    assert_eq!(answered("carousel", &in_carousel), in_carousel);
}

#[test]
fn twenty_buttons_of_a_card_are_accepted_and_one_more_is_refused() {
    let buttons = |count: usize| card(&vec![BUY_FILLED; count]);
    assert_eq!(answered("card", &buttons(20)), buttons(20));
    assert_eq!(problems("card", &buttons(21)), ["payload.buttons must have 1 to 20 items"]);
    let in_carousel = |count| carousel(&["{}", &buttons(count)]);
    assert_eq!(answered("carousel", &in_carousel(20)), in_carousel(20));
    let wrong = problems("carousel", &in_carousel(21));
    assert_eq!(wrong, ["payload.cards[1].buttons must have 1 to 20 items"]);
}

#[test]
fn one_to_twenty_cards_of_a_carousel_are_accepted() {
    for count in [1, 20] {
        let payload = carousel(&vec![r#"{"title":"Shoes"}"#; count]);
        assert_eq!(answered("carousel", &payload), payload);
    }
    for count in [0, 21] {
        let wrong = problems("carousel", &carousel(&vec!["{}"; count]));
        assert_eq!(wrong, ["payload.cards must have 1 to 20 items"], "{count} cards");
    }
}

#[test]
fn the_image_url_of_a_card_is_also_returned_as_image() {
    let sent = r#"{"image_url":"https://x.example/\u0061.png","text":"Shoes"}"#;
    let image = r#","image":"https://x.example/a.png"}"#;
    assert_eq!(answered("card", sent), sent.replace('}', image));
    let null = r#"{"image":null,"image_url":"/a.png","text":"Shoes"}"#;
    assert_eq!(answered("card", null), null.replace("null", r#""/a.png""#));
}

#[test]
fn the_image_of_a_card_takes_precedence_over_its_image_url() {
    for image in ["https://x.example/b.png", ""] {
        let sent = format!(r#"{{"text":"x","image_url":"/a.png","image":"{image}"}}"#);
        assert_eq!(answered("card", &sent), sent);
    }
}

#[test]
fn a_wrong_image_url_is_reported_once() {
    let wrong = problems("card", r#"{"text":"x","image_url":5}"#);
    assert_eq!(wrong, ["payload.image_url must be a string"]);
    for image in ["", r#","image":"/a.png""#] {
        let wrong = problems("card", &format!(r#"{{"text":"x","image_url":"data:x"{image}}}"#));
        assert_eq!(wrong, ["payload.image_url must be an http or https URL"]);
    }
}

#[test]
fn a_link_of_a_card_needs_its_address() {
    let link = r#"{"label":"Look","type":"link","payload":{"method":"get"}}"#;
    let wrong = problems("card", &card(&[BUY, link]));
    assert_eq!(wrong, ["payload.buttons[1].payload.url is required"]);
    let wrong = problems("carousel", &carousel(&["{}", &card(&[link])]));
    assert_eq!(wrong, ["payload.cards[1].buttons[0].payload.url is required"]);
}

#[test]
fn a_card_that_is_not_an_object_is_reported_and_the_others_are_still_read() {
    let wrong = problems("carousel", &carousel(&["null", "{}", r#"{"title":5}"#]));
    let expected =
        ["payload.cards[0] must be a JSON object", "payload.cards[2].title must be a string"];
    assert_eq!(wrong, expected);
}

#[test]
fn a_default_action_is_preserved_as_sent() {
    let action = r#"{"default_action":{"type":"other","payload":{"payload":[1.0]}}}"#;
    assert_eq!(answered("carousel", &carousel(&[action])), carousel(&[action]));
}
