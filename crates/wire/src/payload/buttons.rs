//! `buttons`: a text with buttons, returned as sent (spec 2.2).

use confab_domain::limits;
use confab_domain::messages::payload::Payload;

use super::button;
use crate::reading::{FieldReader, Object};

pub(super) fn read(reading: &mut FieldReader, payload: &Object<'_>) -> Option<Payload> {
    payload.needed_text(reading, "text");
    let path = payload.path("buttons");
    let list = button::read_list(reading, &path, payload.get("buttons"), limits::BUTTONS_MAX);
    reading.needed(&path, list)?;
    Some(Payload::Buttons(payload.json()))
}
