//! JSON of the caller, which is kept as its text.

use confab_domain::json_text::JsonText;
use confab_domain::limits;

use crate::fields::shape::Shape;

field! {
    /// The new payload of a message that is there; it is checked by the type of the message.
    pub(crate) Payload -> JsonText, Shape::Object;
    |reading, field, given| {
        let json = reading.json_object(field, given);
        reading.within_bytes(field, json, limits::PAYLOAD_BYTES_MAX)
    }
}

field! {
    /// The payload of a system event: any JSON.
    pub(crate) FreePayload -> JsonText, Payload::SHAPE;
    |reading, field, given| {
        let json = reading.free_json(field, given);
        reading.within_bytes(field, json, limits::PAYLOAD_BYTES_MAX)
    }
}

field! {
    /// Whatever an app keeps about a user or a customer's room.
    pub(crate) Properties -> JsonText, Payload::SHAPE;
    |reading, field, given| {
        let json = reading.json_object(field, given);
        reading.within_bytes(field, json, limits::OPTIONS_BYTES_MAX)
    }
}

field! {
    /// A webhook's body that a caller tries a receiver with.
    pub(crate) TriedBody -> JsonText, Payload::SHAPE;
    |reading, field, given| {
        let json = reading.json_object(field, given);
        reading.within_bytes(field, json, limits::TRIED_BODY_BYTES_MAX)
    }
}

field! {
    /// The options of a room: text; a JSON object is taken as its text.
    pub(crate) Options -> String;
    |reading, field, given| {
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
