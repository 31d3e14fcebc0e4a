//! `account_linking`: asks a person to link an account; its text is the message's (wire facts 3.3).

use confab_domain::messages::payload::Payload;

use super::optional::check_optional;
use crate::reading::{FieldReader, Object};

pub(super) fn read(reading: &mut FieldReader, payload: &Object<'_>) -> Option<Payload> {
    let text = payload.shown_text(reading, "text");
    payload.needed_url(reading, "url");
    check_optional(reading, payload, &[], &["redirect_url"]);
    reading.object(&payload.path("params"), payload.get("params"));
    Some(Payload::AccountLinking { text: text?, json: payload.json() })
}
