//! `card`: a picture with text and buttons; its text is the text of the message (spec 2.2).

use confab_domain::limits;
use confab_domain::messages::payload::Payload;

use super::button;
use super::optional::check_optional;
use crate::reading::{FieldReader, Object};

pub(super) fn read(reading: &mut FieldReader, payload: &mut Object<'_>) -> Option<Payload> {
    check_optional(reading, payload, &["title", "description"], &["image"]);
    payload.link(reading, "url");
    let text = payload.shown_text(reading, "text");
    // Callers of the older API send `image_url` and receive `image` (wire facts 3.3).
    if let Some(image) = payload.url(reading, "image_url")
        && payload.get("image").is_absent()
    {
        payload.set_text("image", &image);
    }
    fill_buttons(reading, payload);
    Some(Payload::Card { text: text?, json: payload.json() })
}

/// Checks a card's buttons and completes them with `postback_text` (spec 2.2).
pub(super) fn fill_buttons(reading: &mut FieldReader, card: &mut Object<'_>) {
    let (path, given) = (card.path("buttons"), card.get("buttons"));
    if given.is_absent() || given.is_empty_list() {
        return;
    }
    if let Some(list) = button::read_list(reading, &path, given, limits::CARD_BUTTONS_MAX) {
        card.set("buttons", list);
    }
}
