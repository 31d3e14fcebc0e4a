//! Payloads of the message types (spec 2.2, wire facts 3.3), one file per type.
//!
//! Known keys are checked, unknown keys are preserved, and the caller's JSON is passed on as text.

mod account_linking;
mod button;
mod buttons;
mod card;
mod carousel;
mod contact_person;
mod conversation;
mod custom;
#[cfg(feature = "document")]
pub mod described;
mod file_attachment;
mod location;
mod optional;
pub(crate) mod rating;
mod reply;

#[cfg(test)]
mod tests;

use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::incomplete_payload::Incomplete;
use confab_domain::messages::message::check_text;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::payload::Payload;
use serde_json::Value;

use crate::reading::{FieldJson, FieldReader, json_string};

/// Public names of the types that callers may post.
pub(crate) const POSTED_KINDS: [&str; 11] = {
    let mut names = [""; 11];
    let mut at = 0;
    while at < names.len() {
        names[at] = MessageKind::POSTED[at].as_str();
        at += 1;
    }
    names
};

/// Reads the `type` of a message; system events have a separate endpoint.
pub(crate) fn read_kind(reading: &mut FieldReader, given: FieldJson<'_>) -> Option<MessageKind> {
    let Some(name) = reading.filled_text("type", given) else { return Some(MessageKind::Text) };
    match MessageKind::parse(&name) {
        Some(MessageKind::SystemEvent) | None => {
            reading.wrong("type", format!("must be one of {}", POSTED_KINDS.join(", ")))
        }
        kind => kind,
    }
}

/// Reads and checks the payload of a message; `written` is the request's `message`.
pub(crate) fn read(
    reading: &mut FieldReader,
    kind: MessageKind,
    given: FieldJson<'_>,
    written: Option<&str>,
) -> Option<Payload> {
    match kind {
        MessageKind::Text => {
            reading.needed("message", written)?;
            return Some(Payload::Text);
        }
        MessageKind::ButtonPostbackResponse => {
            let written = reading.needed("message", written);
            let json = reading.json_object("payload", given);
            let json = json.unwrap_or_else(JsonText::empty_object);
            let pressed = reading.object("payload", FieldJson::of(&json))?;
            button::check_action(reading, &pressed);
            written?;
            let rating = rating::read_press(&pressed);
            return Some(Payload::ButtonPostbackResponse { rating, json });
        }
        _ => {}
    }
    let json = reading.json_object("payload", given);
    let json = reading.needed("payload", json)?;
    let mut object = reading.object("payload", FieldJson::of(&json))?;
    match kind {
        MessageKind::Buttons => buttons::read(reading, &object),
        MessageKind::Card => card::read(reading, &mut object),
        MessageKind::Carousel => carousel::read(reading, &mut object),
        MessageKind::FileAttachment => file_attachment::read(reading, &mut object, written),
        MessageKind::Custom => custom::read(reading, &object),
        MessageKind::AccountLinking => account_linking::read(reading, &object),
        MessageKind::ContactPerson => contact_person::read(reading, &mut object),
        MessageKind::Location => location::read(reading, &object),
        MessageKind::Reply => reply::read(reading, &object, written),
        MessageKind::Text | MessageKind::ButtonPostbackResponse | MessageKind::SystemEvent => None,
    }
}

/// Reads a client's payload. In a custom message, clients may send the content under another key.
pub(crate) fn read_of_client(
    reading: &mut FieldReader,
    kind: MessageKind,
    given: FieldJson<'_>,
    written: Option<&str>,
) -> Option<Payload> {
    if kind != MessageKind::Custom {
        return read(reading, kind, given, written);
    }
    let json = reading.json_object("payload", given);
    let json = reading.needed("payload", json)?;
    let object = reading.object("payload", FieldJson::of(&json))?;
    custom::read_of_client(reading, &object)
}

/// Parses a payload that another server stored, before or after that server added keys such as
/// `replied_comment_message`. `text` is the stored text of the message.
pub(crate) fn read_stored(
    reading: &mut FieldReader,
    kind: MessageKind,
    stored: Option<&JsonText>,
    text: &str,
) -> Option<Payload> {
    let given = stored.map(FieldJson::of).unwrap_or_default();
    let bytes_max = match kind {
        MessageKind::Reply | MessageKind::SystemEvent => limits::COMPLETED_PAYLOAD_BYTES_MAX,
        _ => limits::PAYLOAD_BYTES_MAX,
    };
    reading.check_bytes("payload", stored, bytes_max);
    let payload = match kind {
        MessageKind::SystemEvent => {
            let json = reading.json_object("payload", given);
            Payload::SystemEvent(json.unwrap_or_else(JsonText::empty_object))
        }
        _ => read_of_client(reading, kind, given, Some(text))?,
    };
    // A text derived from the payload may be as long as the payload; only other texts are checked.
    if text != payload.shown_text("") {
        reading.check(check_text("text", text))?;
    }
    Some(payload)
}

/// Whether a stored message was posted with the draft's payload. Keys that the server added to the
/// stored payload are ignored, because their values may have changed since.
pub fn is_same_payload(draft: &Payload, stored: Option<&JsonText>) -> bool {
    let parsed = |json: &JsonText| serde_json::from_str::<Value>(json.as_str()).ok();
    let stored = stored.and_then(parsed).unwrap_or(Value::Null);
    match draft {
        Payload::Reply { text, to, .. } => {
            stored["text"] == **text && stored["replied_comment_id"] == to.0
        }
        Payload::SystemEvent(json) => parsed(json).is_some_and(|json| json == stored["payload"]),
        // Messages posted by the server have no unique id of a client.
        Payload::Conversation(_) | Payload::RatingQuestion(_) => false,
        other => other.json().and_then(parsed).unwrap_or(Value::Null) == stored,
    }
}

/// Reads a payload of the older server API, where a pressed button's payload supplies the text if
/// the request has none.
pub(crate) fn read_of_older_api(
    reading: &mut FieldReader,
    kind: MessageKind,
    given: FieldJson<'_>,
    written: Option<&str>,
) -> Option<Payload> {
    let is_press = kind == MessageKind::ButtonPostbackResponse && written.is_none();
    let name = if is_press { name_of_press(given) } else { None };
    read(reading, kind, given, written.or(name.as_deref()))
}

/// Returns the first text in a pressed button's payload that is valid for a message:
/// `postback_text`, `label`, `text` or `url`.
pub(crate) fn name_of_press(given: FieldJson<'_>) -> Option<String> {
    // Problems of the payload are reported when the payload itself is read.
    let mut unread = FieldReader::default();
    let json = unread.json_object("payload", given)?;
    let pressed = unread.object("payload", FieldJson::of(&json))?;
    let texts = ["postback_text", "label", "text", "url"];
    let mut texts = texts.into_iter().filter_map(|key| pressed.text(&mut unread, key));
    texts.find(|text| !text.is_empty() && check_text("message", text).is_ok())
}

/// Completes a payload with stored data: a reply with the replied message (wire facts 3.3), a
/// system event with its room (spec 2.4).
pub fn complete_payload(incomplete: Incomplete<'_>) -> JsonText {
    match incomplete {
        Incomplete::Reply { json, text, replied } => reply::complete(json, text, replied),
        Incomplete::SystemEvent { json, room_name } => JsonText::from_checked(format!(
            r#"{{"payload":{},"room_name":{},"type":"custom"}}"#,
            json.as_str(),
            json_string(room_name)
        )),
        Incomplete::Conversation { event, room_name } => conversation::complete(event, room_name),
        Incomplete::RatingQuestion(question) => rating::complete(question),
    }
}
