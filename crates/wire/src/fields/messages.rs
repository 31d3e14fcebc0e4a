//! Parts of messages, and what names them.

use confab_domain::json_text::JsonText;
use confab_domain::messages::message::{self, check_text};
use confab_domain::messages::unique_id;
use confab_domain::{ids, limits};
use utoipa::openapi::schema::Schema;

use super::{Field, Integer, Payload, Short};
use crate::payload::read_kind;
use crate::reading::{Given, Reading};

/// What is said; an empty text counts as missing.
pub(crate) struct MessageText;

impl Field for MessageText {
    type Value = String;

    fn schema() -> Schema {
        Short::<{ limits::MESSAGE_CHARS_MAX }>::schema()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<String> {
        let text = reading.filled_text(field, given)?;
        reading.check(check_text(field, &text)).map(|()| text)
    }
}

/// The type of a message, `text` where it is absent.
pub(crate) struct MessageKind;

impl Field for MessageKind {
    type Value = message::MessageKind;

    fn read(reading: &mut Reading, _: &str, given: Given<'_>) -> Option<Self::Value> {
        read_kind(reading, given)
    }
}

/// The metadata of a message.
pub(crate) struct Extras;

impl Field for Extras {
    type Value = JsonText;

    fn schema() -> Schema {
        Payload::schema()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<JsonText> {
        let extras = reading.json(field, given);
        reading.within_bytes(field, extras, limits::EXTRAS_BYTES_MAX)
    }
}

/// What a client calls a new message; an empty text counts as missing.
pub(crate) struct UniqueId;

impl Field for UniqueId {
    type Value = unique_id::UniqueId;

    fn schema() -> Schema {
        Short::<{ limits::UNIQUE_ID_CHARS_MAX }>::schema()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<Self::Value> {
        let text = reading.filled_text(field, given)?;
        reading.check(unique_id::UniqueId::parse(field, &text))
    }
}

/// The unique id of a message that is there: broadcasts make longer ones than a client may, and an
/// odd one is just unknown.
pub(crate) struct StoredId;

impl Field for StoredId {
    type Value = unique_id::UniqueId;

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<Self::Value> {
        reading.filled_text(field, given).map(unique_id::UniqueId::from_stored)
    }
}

/// The integer of a message; 0 and an empty text mean none.
pub(crate) struct MessageId;

impl Field for MessageId {
    type Value = ids::MessageId;

    fn schema() -> Schema {
        Integer::schema()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<ids::MessageId> {
        let text = reading.key(field, given).filter(|text| !text.is_empty())?;
        match text.trim().parse::<i64>() {
            Ok(id) => Some(ids::MessageId(id)).filter(|id| id.0 > 0),
            Err(_) => reading.wrong(field, "must be the id of a message"),
        }
    }
}
