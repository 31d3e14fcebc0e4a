//! `reply`: a reply to a message of the same room, completed by the server (wire facts 3.3).

use confab_domain::ids::MessageId;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::message::{Message, PostedMessage, check_text};
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::payload::Payload;

use crate::reading::{FieldJson, FieldReader, Object};

pub(super) fn read(
    reading: &mut FieldReader,
    payload: &Object<'_>,
    written: Option<&str>,
) -> Option<Payload> {
    let path = payload.path("replied_comment_id");
    let to = reading.integer(&path, payload.get("replied_comment_id"));
    let to = reading.needed(&path, to);
    let own = payload.text(reading, "text").filter(|text| !text.is_empty());
    let own = own.filter(|text| reading.check(check_text("payload.text", text)).is_some());
    let text = own.or_else(|| written.map(str::to_owned));
    let text = reading.needed("message", text);
    Some(Payload::Reply { text: text?, to: MessageId(to?), json: payload.json() })
}

/// Adds keys with data of the replied message. They overwrite keys of the same name that the caller
/// sent.
pub(super) fn complete(json: &JsonText, text: &str, replied: &PostedMessage) -> JsonText {
    let mut reading = FieldReader::default();
    let Some(mut object) = reading.object("payload", FieldJson::of(json)) else {
        return json.clone();
    };
    let PostedMessage { message, sender } = replied;
    object.set_text("text", text);
    object.set("replied_comment_id", message.id.to_string());
    object.set_text("replied_comment_message", &message.text);
    object.set_text("replied_comment_sender_username", &sender.username);
    object.set_text("replied_comment_sender_email", sender.user_id.as_str());
    object.set_text("replied_comment_type", message.kind.as_str());
    // An edited reply contains the previous value.
    object.set("replied_comment_payload", "{}");
    let own_bytes = object.json().as_str().len();
    object.set("replied_comment_payload", carried(message, own_bytes));
    object.json()
}

/// Returns the payload of the replied message if it fits next to the reply's own bytes, else `{}`.
/// The replied message of a reply is omitted: otherwise each reply would contain the whole chain,
/// without bound.
fn carried(message: &Message, own_bytes: usize) -> String {
    let carried = answered_payload(message);
    let fits = own_bytes.saturating_add(carried.len()) <= limits::PAYLOAD_BYTES_MAX;
    if fits { carried } else { "{}".to_owned() }
}

fn answered_payload(message: &Message) -> String {
    let Some(json) = &message.payload else { return "{}".to_owned() };
    if message.kind != MessageKind::Reply {
        return json.as_str().to_owned();
    }
    let mut reading = FieldReader::default();
    let Some(mut reply) = reading.object("payload", FieldJson::of(json)) else {
        return "{}".to_owned();
    };
    reply.set("replied_comment_payload", "{}");
    reply.json().as_str().to_owned()
}
