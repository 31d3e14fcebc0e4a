//! System events that the server posts about a conversation. Clients that recognize them show a
//! text of their own (design/message-api). They have the structure of every system event (spec
//! 2.4).

use confab_domain::json_text::JsonText;
use confab_domain::messages::conversation_event::ConversationEvent;
use serde::Serialize;

use crate::person::{PersonShape, person};

#[derive(Serialize)]
struct Wrapped<'a> {
    payload: EventShape<'a>,
    room_name: &'a str,
    r#type: &'static str,
}

#[derive(Serialize)]
struct EventShape<'a> {
    agent: Option<PersonShape<'a>>,
    by: Option<PersonShape<'a>>,
    r#type: &'static str,
}

pub(super) fn complete(event: &ConversationEvent, room_name: &str) -> JsonText {
    let payload = EventShape {
        agent: person(event.agent.as_ref()),
        by: person(event.by.as_ref()),
        r#type: event.what.as_str(),
    };
    let wrapped = Wrapped { payload, room_name, r#type: "custom" };
    // All keys are strings, so serialization cannot fail.
    JsonText::from_checked(serde_json::to_string(&wrapped).unwrap_or_default())
}
