//! Kinds of fields of a message.

use confab_domain::json_text::JsonText;
use confab_domain::messages::message::check_text;
use confab_domain::messages::{message_kind, unique_id};
use confab_domain::{ids, limits};

use crate::fields::json::Payload;
use crate::fields::kind::field;
use crate::fields::numbers::Integer;
use crate::fields::shape::Shape;
use crate::fields::texts::Short;
use crate::payload::{POSTED_KINDS, read_kind};

field! {
    /// Text of a message; an empty string counts as missing.
    pub(crate) MessageText -> String, Short::<{ limits::MESSAGE_CHARS_MAX }>::SHAPE;
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        reading.check(check_text(field, &text)).map(|()| text)
    }
}

field! {
    /// Type of a message; `text` if absent.
    pub(crate) MessageKind -> message_kind::MessageKind, Shape::OneOf(&POSTED_KINDS);
    |reading, _, given| read_kind(reading, given)
}

field! {
    /// Payload of a new message. It is validated later, when the message's type is known.
    pub(crate) PostedPayload -> JsonText, Shape::AnyOf(&PAYLOAD_SCHEMAS);
    |reading, field, given| reading.json_object(field, given)
}

/// Schema names of the payloads in the OpenAPI document; `text` has none.
const PAYLOAD_SCHEMAS: [&str; 10] = [
    "AccountLinkingPayload",
    "ButtonPostbackResponsePayload",
    "ButtonsPayload",
    "CardPayload",
    "CarouselPayload",
    "ContactPersonPayload",
    "CustomPayload",
    "FileAttachmentPayload",
    "LocationPayload",
    "ReplyPayload",
];

field! {
    /// Metadata of a message.
    pub(crate) Extras -> JsonText, Payload::SHAPE;
    |reading, field, given| {
        let extras = reading.json(field, given);
        reading.within_bytes(field, extras, limits::EXTRAS_BYTES_MAX)
    }
}

field! {
    /// Unique id that a client gives a new message; an empty string counts as missing.
    pub(crate) UniqueId -> unique_id::UniqueId, Short::<{ limits::UNIQUE_ID_CHARS_MAX }>::SHAPE;
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        reading.check(unique_id::UniqueId::parse(field, &text))
    }
}

field! {
    /// Unique id of an existing message. It is not validated: ids of broadcasts are longer than
    /// those of clients, and a malformed id is merely unknown.
    pub(crate) StoredId -> unique_id::UniqueId;
    |reading, field, given| reading.filled_text(field, given).map(unique_id::UniqueId::from_stored)
}

field! {
    /// Integer id of a message; 0 and an empty string count as missing.
    pub(crate) MessageId -> ids::MessageId, Integer::SHAPE;
    |reading, field, given| {
        let text = reading.key(field, given).filter(|text| !text.is_empty())?;
        match text.trim().parse::<i64>() {
            Ok(id) => Some(ids::MessageId(id)).filter(|id| id.0 > 0),
            Err(_) => reading.wrong(field, "must be the id of a message"),
        }
    }
}
