//! `contact_person`: a name with a phone number or e-mail address (wire facts 3.3).

use confab_domain::messages::payload::Payload;

use crate::reading::{FieldReader, Object};

pub(super) fn read(reading: &mut FieldReader, payload: &mut Object<'_>) -> Option<Payload> {
    let name = payload.needed_text(reading, "name");
    let value = payload.needed_text(reading, "value");
    match payload.text(reading, "type").as_deref() {
        None if payload.get("type").is_absent() => payload.set_text("type", "phone"),
        None | Some("phone" | "email") => {}
        Some(_) => {
            reading.wrong::<()>(&payload.path("type"), "must be phone or email");
        }
    }
    Some(Payload::ContactPerson { name: name?, value: value?, json: payload.json() })
}
