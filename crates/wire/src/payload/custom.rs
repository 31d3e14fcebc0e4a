//! `custom`: a type and content that the app defines, returned as posted (spec 2.2).

use confab_domain::messages::payload::Payload;

use crate::reading::{FieldReader, Object};

pub(super) fn read(reading: &mut FieldReader, payload: &Object<'_>) -> Option<Payload> {
    payload.needed_text(reading, "type");
    // Any JSON value is allowed, including `null`: only a missing key is a problem.
    let content = payload.has("content").then_some(());
    reading.needed(&payload.path("content"), content)?;
    Some(Payload::Custom(payload.json()))
}

/// Reads a client's payload. Published clients send the content under the key `payload` (wire facts
/// 4.3).
pub(super) fn read_of_client(reading: &mut FieldReader, payload: &Object<'_>) -> Option<Payload> {
    if payload.has("content") || !payload.has("payload") {
        return read(reading, payload);
    }
    payload.needed_text(reading, "type")?;
    Some(Payload::Custom(payload.json()))
}
