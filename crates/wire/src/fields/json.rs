//! JSON of the caller, which is kept as its text.

use confab_domain::json_text::JsonText;
use confab_domain::limits;
use utoipa::openapi::schema::{ObjectBuilder, Schema};

use super::Field;
use crate::reading::{Given, Reading};

/// The new payload of a message that is there; it is checked by the type of the message.
pub(crate) struct Payload;

impl Field for Payload {
    type Value = JsonText;

    fn schema() -> Schema {
        ObjectBuilder::new().into()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<JsonText> {
        let json = reading.json_object(field, given);
        reading.within_bytes(field, json, limits::PAYLOAD_BYTES_MAX)
    }
}

/// The payload of a system event: any JSON.
pub(crate) struct FreePayload;

impl Field for FreePayload {
    type Value = JsonText;

    fn schema() -> Schema {
        Payload::schema()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<JsonText> {
        let json = reading.free_json(field, given);
        reading.within_bytes(field, json, limits::PAYLOAD_BYTES_MAX)
    }
}

/// Whatever an app keeps about a user or a customer's room.
pub(crate) struct Properties;

impl Field for Properties {
    type Value = JsonText;

    fn schema() -> Schema {
        Payload::schema()
    }

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<JsonText> {
        let json = reading.json_object(field, given);
        reading.within_bytes(field, json, limits::OPTIONS_BYTES_MAX)
    }
}

/// The options of a room: text; a JSON object is taken as its text.
pub(crate) struct Options;

impl Field for Options {
    type Value = String;

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<String> {
        let options = if given.is_object() {
            reading.json_object(field, given).map(|json| json.as_str().to_owned())
        } else {
            reading.text(field, given)
        }?;
        let bytes_max = limits::OPTIONS_BYTES_MAX;
        if options.len() > bytes_max {
            return reading.wrong(field, format!("must have at most {bytes_max} bytes"));
        }
        Some(options)
    }
}
