//! Events for synchronization, and receipts of messages (wire facts 4.3, 4.4).

use confab_domain::ids::{EventId, MessageId};
use confab_domain::messages::room_event::RoomEvent;
use confab_domain::people::user::User;
use confab_domain::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields;
use crate::realtime::{Notification, notification};
use crate::request::request;
use crate::sdk_api::messages::ReceiptPositions;
use crate::shown_extras::{ShownExtras, shown_extras};

request! {
    /// Query of `GET /sync_event`.
    pub struct SyncEventFields {
        /// Id of the last event that the client has; later events are returned.
        start_event_id: fields::MessageId, or MessageId(0);
    }
}

/// Parses the id of the last event that the client has.
pub fn read_sync_event(query: &Body<'_>) -> Result<EventId, Refusal> {
    query.read().map(|fields: SyncEventFields| EventId(fields.start_event_id.0))
}

/// Body of the response to `sync_event`, without `results`.
#[derive(Serialize, ToSchema)]
pub struct SyncedEvents<'a> {
    /// Events, oldest first.
    #[schema(value_type = Vec<Object>)]
    events: Vec<Notification<'a>>,
    /// Whether all events after `start_event_id` are still stored. If false, the client must reload
    /// its rooms.
    is_start_event_id_found: bool,
}

/// Returns the response to `sync_event`.
pub fn synced_events(events: &[RoomEvent], is_start_event_id_found: bool) -> SyncedEvents<'_> {
    SyncedEvents { events: events.iter().map(notification).collect(), is_start_event_id_found }
}

request! {
    /// Query of `GET /comment_receipt`.
    pub struct ReceiptFields {
        /// Id of a message in a room of the caller.
        comment_id: fields::MessageId, required;
    }
}

/// Parses the id of a message.
pub fn read_receipt(query: &Body<'_>) -> Result<MessageId, Refusal> {
    query.read().map(|fields: ReceiptFields| fields.comment_id)
}

/// All participants of a message's room except its sender, each in one of the lists.
#[derive(Debug, Serialize, ToSchema)]
pub struct Receipts<'a> {
    /// Participants who received the message but did not read it.
    delivered_to: Vec<ReceiptOf<'a>>,
    /// Participants who did not receive the message.
    pending: Vec<ReceiptOf<'a>>,
    /// Participants who read the message.
    read_by: Vec<ReceiptOf<'a>>,
}

/// A participant in a list of receipts.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReceiptOf<'a> {
    user: ReceiptUser<'a>,
}

/// A user in a list of receipts.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReceiptUser<'a> {
    active: bool,
    avatar_url: &'a str,
    /// User id of the participant.
    email: &'a str,
    #[schema(value_type = serde_json::Value)]
    extras: ShownExtras<'a>,
    id: i64,
    id_str: String,
    username: &'a str,
}

/// Groups participants by whether they read, received or did not receive the message with this
/// number in its room.
pub fn receipts<'a>(
    people: impl IntoIterator<Item = (&'a User, ReceiptPositions)>,
    number: u64,
) -> Receipts<'a> {
    let mut receipts = Receipts { delivered_to: vec![], pending: vec![], read_by: vec![] };
    for (user, reached) in people {
        let list = if reached.read_number >= number {
            &mut receipts.read_by
        } else if reached.received_number >= number {
            &mut receipts.delivered_to
        } else {
            &mut receipts.pending
        };
        list.push(ReceiptOf { user: ReceiptUser::of(user) });
    }
    receipts
}

impl<'a> ReceiptUser<'a> {
    fn of(user: &'a User) -> Self {
        Self {
            active: user.is_active,
            avatar_url: &user.avatar_url,
            email: user.user_id.as_str(),
            extras: shown_extras(user),
            id: user.key.0,
            id_str: user.key.to_string(),
            username: &user.username,
        }
    }
}
