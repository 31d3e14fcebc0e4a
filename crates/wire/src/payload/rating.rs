//! The rating question, shown by every client as a message with buttons, and the button press that
//! answers it (design/support). A client sends back the payload of the pressed button (wire facts
//! 3.3).

use confab_domain::ids::SessionId;
use confab_domain::json_text::JsonText;
use confab_domain::messages::rating::{Rating, RatingPress, RatingQuestion};
use serde::Serialize;
use serde_json::Value;

use crate::reading::{FieldReader, Object};

/// Value of `type` in the payload of each button's action, and key of the rating.
const RATING: &str = "rating";

#[derive(Serialize)]
struct Question<'a> {
    buttons: [Button<'a>; 3],
    text: &'a str,
}

#[derive(Serialize)]
struct Button<'a> {
    label: &'a str,
    payload: Action,
    postback_text: &'a str,
    r#type: &'static str,
}

#[derive(Serialize)]
struct Action {
    method: &'static str,
    payload: Press,
    url: &'static str,
}

#[derive(Serialize)]
struct Press {
    rating: i64,
    session_id: String,
    r#type: &'static str,
}

pub(super) fn complete(question: &RatingQuestion) -> JsonText {
    let buttons = question.answers.each_ref().map(|answer| button(question.session, answer));
    let written = serde_json::to_string(&Question { buttons, text: &question.text });
    // All keys are strings, so serialization cannot fail.
    JsonText::from_checked(written.unwrap_or_default())
}

fn button(session: SessionId, (rating, label): &(Rating, String)) -> Button<'_> {
    let (rating, session_id) = (rating.number(), session.to_string());
    let payload = Press { rating, session_id, r#type: RATING };
    let payload = Action { method: "", payload, url: "" };
    Button { label, payload, postback_text: label, r#type: "postback" }
}

/// Returns the rating if the pressed button belongs to a rating question. Other payloads belong to
/// the app.
pub(super) fn read_press(pressed: &Object<'_>) -> Option<RatingPress> {
    let reading = &mut FieldReader::default();
    let inner = reading.object(RATING, pressed.get("payload"))?;
    let kind = inner.text(reading, "type")?;
    let session = inner.text(reading, "session_id")?.parse().ok()?;
    let rating = reading.integer(RATING, inner.get(RATING))?;
    let rating = Rating::from_number(rating).filter(|_| kind == RATING)?;
    Some(RatingPress { session: SessionId(session), rating })
}

/// Returns the rating in the payload of a button that a channel reports as pressed.
pub fn rating_in_button(carried: &Value) -> Option<RatingPress> {
    let inner = &carried["payload"];
    let session = inner["session_id"].as_str()?.parse().ok()?;
    let rating = Rating::from_number(inner[RATING].as_i64()?)?;
    (inner["type"] == RATING).then_some(RatingPress { session: SessionId(session), rating })
}
