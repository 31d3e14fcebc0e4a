//! System events of the server's own: what happened to a conversation, for clients that show it in
//! their own words (D-0115). The shape around it is that of every system event (spec 2.4).

use confab_domain::agents::agent::Person;
use confab_domain::json_text::JsonText;
use confab_domain::messages::conversation_event::ConversationEvent;
use serde::Serialize;

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

#[derive(Serialize)]
struct PersonShape<'a> {
    id: i64,
    name: &'a str,
}

pub(super) fn complete(event: &ConversationEvent, room_name: &str) -> JsonText {
    let payload = EventShape {
        agent: event.agent.as_ref().map(person),
        by: event.by.as_ref().map(person),
        r#type: event.what.as_str(),
    };
    let wrapped = Wrapped { payload, room_name, r#type: "custom" };
    // All keys are texts: it can be written.
    JsonText::from_checked(serde_json::to_string(&wrapped).unwrap_or_default())
}

fn person(person: &Person) -> PersonShape<'_> {
    PersonShape { id: person.id.0, name: &person.name }
}
