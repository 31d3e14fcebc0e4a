//! Tests of the rating question and of the button press that answers it (design/support).

use confab_domain::ids::SessionId;
use confab_domain::messages::incomplete_payload::Incomplete;
use confab_domain::messages::payload::Payload;
use confab_domain::messages::rating::{Rating, RatingPress, RatingQuestion};

use super::answered;
use crate::body::Body;
use crate::message_api::comments::PostComment;
use crate::payload::complete_payload;

fn question() -> String {
    let answers = [(Rating::GOOD, "Good"), (Rating::OKAY, "\"Okay\""), (Rating::BAD, "Bad")];
    let answers = answers.map(|(rating, label)| (rating, label.to_owned()));
    let question = RatingQuestion { session: SessionId(20), text: "How?".to_owned(), answers };
    complete_payload(Incomplete::RatingQuestion(&question)).as_str().to_owned()
}

fn pressed(payload: &str) -> Option<RatingPress> {
    let post = format!(
        r#"{{"user_id":"ana","room_id":"support","type":"button_postback_response",
            "message":"Good","payload":{payload}}}"#
    );
    let body = Body::from_json(post.as_bytes()).expect("JSON");
    match PostComment::read(&body, None).expect("read").draft.payload {
        Payload::ButtonPostbackResponse { rating, .. } => rating,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_rating_question_is_an_ordinary_message_with_buttons() {
    assert_eq!(answered("buttons", &question()), question(), "an app could have sent it");
    let button = concat!(
        r#"{"label":"\"Okay\"","payload":{"method":"","payload":"#,
        r#"{"rating":3,"session_id":"20","type":"rating"},"url":""},"#,
        r#""postback_text":"\"Okay\"","type":"postback"}"#,
    );
    assert!(question().contains(button), "{}", question());
}

#[test]
fn a_press_counts_as_a_rating_only_with_a_whole_and_valid_payload() {
    let rating = |number: &str| {
        let inner = format!(r#"{{"type":"rating","session_id":"20","rating":{number}}}"#);
        pressed(&format!(r#"{{"url":"","method":"","payload":{inner}}}"#))
    };
    let press = RatingPress { session: SessionId(20), rating: Rating::GOOD };
    assert_eq!(rating("5"), Some(press));
    for wrong in ["0", "6", "-1", "4.5", "true", "null", "\"x\"", "1e9", "[5]"] {
        assert_eq!(rating(wrong), None, "{wrong}");
    }
    for others in [
        "{}",
        r#"{"payload":null}"#,
        r#"{"payload":"rating"}"#,
        r#"{"payload":[1]}"#,
        r#"{"payload":{"type":"rating","rating":5}}"#,
        r#"{"payload":{"type":"other","rating":5,"session_id":"20"}}"#,
        r#"{"payload":{"type":"rating","rating":5,"session_id":"x"}}"#,
        r#"{"payload":{"type":"rating","rating":5,"session_id":{}}}"#,
    ] {
        assert_eq!(pressed(others), None, "{others}");
    }
}
