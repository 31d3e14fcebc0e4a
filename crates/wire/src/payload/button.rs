//! Buttons in `buttons`, `card` and `carousel` payloads (spec 2.2).

use crate::reading::{FieldJson, FieldReader, Object};

/// Checks a list of buttons. Returns its JSON, in which every button has a `postback_text`.
pub(super) fn read_list(
    reading: &mut FieldReader,
    path: &str,
    given: FieldJson<'_>,
    buttons_max: usize,
) -> Option<String> {
    let items = reading.items(path, given, buttons_max)?;
    let mut texts = Vec::new();
    for (at, item) in items.into_iter().enumerate() {
        let Some(mut button) = reading.object(&format!("{path}[{at}]"), item) else { continue };
        check(reading, &button);
        if button.get("postback_text").is_absent() {
            button.set_text("postback_text", "");
        }
        texts.push(button.json().as_str().to_owned());
    }
    Some(format!("[{}]", texts.join(",")))
}

fn check(reading: &mut FieldReader, button: &Object<'_>) {
    button.needed_text(reading, "label");
    button.text(reading, "postback_text");
    let kind = button.needed_text(reading, "type");
    if kind.as_deref().is_some_and(|kind| kind != "postback" && kind != "link") {
        reading.wrong::<()>(&button.path("type"), "must be postback or link");
    }
    let payload_path = button.path("payload");
    let payload = reading.object(&payload_path, button.get("payload"));
    if let Some(payload) = &payload {
        check_action(reading, payload);
    }
    if kind.as_deref() == Some("link") {
        let url = payload.as_ref().filter(|payload| !payload.get("url").is_absent());
        reading.needed(&format!("{payload_path}.url"), url.map(|_| ()));
    }
}

/// Checks the `url` and `method` of a button's action. Its `payload` may be any JSON.
pub(super) fn check_action(reading: &mut FieldReader, action: &Object<'_>) {
    action.link(reading, "url");
    action.text(reading, "method");
}
