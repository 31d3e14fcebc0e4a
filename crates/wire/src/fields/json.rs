//! Kinds of fields with JSON of the caller, which is stored as text.

use confab_domain::json_text::JsonText;
use confab_domain::limits;

use crate::fields::kind::field;
use crate::fields::shape::Shape;

field! {
    /// New payload of an existing message. It is validated later, when the message's type is known.
    pub(crate) Payload -> JsonText, Shape::Object;
    |reading, field, given| {
        let json = reading.json_object(field, given);
        reading.within_bytes(field, json, limits::PAYLOAD_BYTES_MAX)
    }
}

field! {
    /// Payload of a system event: any JSON value.
    pub(crate) FreePayload -> JsonText, Payload::SHAPE;
    |reading, field, given| {
        let json = reading.free_json(field, given);
        reading.within_bytes(field, json, limits::PAYLOAD_BYTES_MAX)
    }
}

field! {
    /// Properties that an app stores with a user or a customer's room: a JSON object.
    pub(crate) Properties -> JsonText, Payload::SHAPE;
    |reading, field, given| {
        let json = reading.json_object(field, given);
        reading.within_bytes(field, json, limits::OPTIONS_BYTES_MAX)
    }
}

field! {
    /// Webhook body for a test of an endpoint: a JSON object.
    pub(crate) TriedBody -> JsonText, Payload::SHAPE;
    |reading, field, given| {
        let json = reading.json_object(field, given);
        reading.within_bytes(field, json, limits::TRIED_BODY_BYTES_MAX)
    }
}

field! {
    /// Options of a room: a string, or a JSON object, which is stored as its JSON text.
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
