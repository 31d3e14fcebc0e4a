//! `file_attachment`: a file at an address; the request's `message` is the caption (spec 2.2).

use confab_domain::messages::payload::Payload;

use super::optional::check_optional;
use crate::reading::{FieldReader, Object};

pub(super) fn read(
    reading: &mut FieldReader,
    payload: &mut Object<'_>,
    written: Option<&str>,
) -> Option<Payload> {
    let url = payload.needed_url(reading, "url");
    check_optional(reading, payload, &["caption", "file_name"], &[]);
    for key in ["size", "pages"] {
        // Spec 2.2: an integer. Some callers send it as a string.
        if let Some(number) = reading.integer(&payload.path(key), payload.get(key)) {
            payload.set_number(key, number);
        }
    }
    if let Some(caption) = written.filter(|_| payload.get("caption").is_absent()) {
        payload.set_text("caption", caption);
    }
    Some(Payload::FileAttachment { url: url?, json: payload.json() })
}
