//! What rules write about clients.

use confab_domain::ids::{EventId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::messages::room_event::{Receipt, RoomEvent, What};
use confab_domain::messages::unique_id::UniqueId;

use super::statements as sql;
use crate::sql::{Ask, values};

/// The statements that write an event.
pub(crate) fn writes(event: &RoomEvent) -> Vec<Ask> {
    let room = event.room.0;
    match &event.what {
        // Its row is the event.
        What::Said { .. } => Vec::new(),
        What::Edited { said, .. } => {
            let message = &said.message;
            let json = |json: &Option<JsonText>| json.as_ref().map(|it| it.as_str().to_owned());
            let (payload, extras) = (json(&message.payload), json(&message.extras));
            let edited = values![room, message.id.0, &message.text, payload, extras];
            vec![
                Ask::new(&sql::EDIT_MESSAGE, edited),
                insert(event, "edited", said.sender.key, message.id.0, ""),
            ]
        }
        What::Deleted { by, messages, is_hard } => {
            let kind = if *is_hard { "erased" } else { "deleted" };
            // Unique ids hold no line break.
            let messages: Vec<_> = messages.iter().map(UniqueId::as_str).collect();
            vec![insert(event, kind, by.key, 0, &messages.join("\n"))]
        }
        What::Cleared { by, number, .. } => {
            let number = *number as i64;
            let cleared = values![room, by.key.0, number];
            vec![Ask::new(&sql::SET_CLEARED, cleared), insert(event, "cleared", by.key, number, "")]
        }
        What::Received(receipt) => vec![receive(event, receipt)],
        What::Read(receipt) => {
            let read = values![room, receipt.by.key.0, receipt.number as i64, event.id.0];
            vec![Ask::new(&sql::SET_READ, read), receive(event, receipt)]
        }
    }
}

/// What happened before this id is forgotten.
pub(crate) fn forget(before: EventId) -> Ask {
    Ask::new(&sql::FORGET_EVENTS, values![before.0])
}

fn receive(event: &RoomEvent, receipt: &Receipt) -> Ask {
    let number = receipt.number as i64;
    Ask::new(&sql::SET_RECEIVED, values![event.room.0, receipt.by.key.0, number, event.id.0])
}

fn insert(event: &RoomEvent, kind: &str, actor: UserKey, message: i64, subject: &str) -> Ask {
    let row = values![event.room.0, event.id.0, kind, actor.0, message, subject];
    Ask::new(&sql::INSERT_EVENT, row)
}
