//! The question how a conversation was, as any client shows it, and the press that answers it
//! (D-0136). Who presses sends back what the button carries (wire facts 3.3).

use confab_domain::ids::SessionId;
use confab_domain::json_text::JsonText;
use confab_domain::messages::rating::{Rating, RatingPress, RatingQuestion};
use serde::Serialize;
use serde_json::Value;

use crate::reading::{Object, Reading};

/// What the inner payload of each of its buttons is called.
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
    // All keys are texts: it can be written.
    JsonText::from_checked(written.unwrap_or_default())
}

fn button(session: SessionId, (rating, label): &(Rating, String)) -> Button<'_> {
    let (rating, session_id) = (rating.number(), session.to_string());
    let payload = Press { rating, session_id, r#type: RATING };
    let payload = Action { method: "", payload, url: "" };
    Button { label, payload, postback_text: label, r#type: "postback" }
}

/// What a press says if it is one of these buttons. Whatever else it carries is the app's own.
pub(super) fn read_press(pressed: &Object<'_>) -> Option<RatingPress> {
    let reading = &mut Reading::default();
    let inner = reading.object(RATING, pressed.get("payload"))?;
    let kind = inner.text(reading, "type")?;
    let session = inner.text(reading, "session_id")?.parse().ok()?;
    let rating = reading.integer(RATING, inner.get(RATING))?;
    let rating = Rating::from_number(rating).filter(|_| kind == RATING)?;
    Some(RatingPress { session: SessionId(session), rating })
}

/// The same of what a button of ours carries, which a channel says was pressed.
pub(crate) fn press_of(carried: &Value) -> Option<RatingPress> {
    let inner = &carried["payload"];
    let session = inner["session_id"].as_str()?.parse().ok()?;
    let rating = Rating::from_number(inner[RATING].as_i64()?)?;
    (inner["type"] == RATING).then_some(RatingPress { session: SessionId(session), rating })
}
