//! `carousel`: several cards, each with an optional default action (spec 2.2).

use confab_domain::limits;
use confab_domain::messages::payload::Payload;

use super::optional::check_optional;
use super::{button, card};
use crate::reading::{FieldReader, Object};

pub(super) fn read(reading: &mut FieldReader, payload: &mut Object<'_>) -> Option<Payload> {
    let path = payload.path("cards");
    let cards = reading.items(&path, payload.get("cards"), limits::CAROUSEL_CARDS_MAX);
    let mut texts = Vec::new();
    for (at, item) in reading.needed(&path, cards)?.into_iter().enumerate() {
        let Some(mut one) = reading.object(&format!("{path}[{at}]"), item) else { continue };
        check_optional(reading, &one, &["title", "description"], &["image"]);
        check_default_action(reading, &one);
        card::fill_buttons(reading, &mut one);
        texts.push(one.json().as_str().to_owned());
    }
    payload.set("cards", format!("[{}]", texts.join(",")));
    Some(Payload::Carousel(payload.json()))
}

fn check_default_action(reading: &mut FieldReader, card: &Object<'_>) {
    let path = card.path("default_action");
    let Some(action) = reading.object(&path, card.get("default_action")) else { return };
    check_optional(reading, &action, &["type", "postback_text"], &[]);
    if let Some(payload) = reading.object(&action.path("payload"), action.get("payload")) {
        button::check_action(reading, &payload);
    }
}
