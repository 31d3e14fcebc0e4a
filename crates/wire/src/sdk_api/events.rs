//! What happened to messages, and who received and read them (wire facts 4.3, 4.4).

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
use crate::sdk_api::messages::Reached;
use crate::shown_extras::{ShownExtras, shown_extras};

request! {
    /// `GET /sync_event`
    pub struct SyncEventFields {
        /// The last event that is known; those after it are given.
        start_event_id: fields::MessageId, or MessageId(0);
    }
}

/// Reads after which event.
pub fn read_sync_event(query: &Body<'_>) -> Result<EventId, Refusal> {
    query.read().map(|fields: SyncEventFields| EventId(fields.start_event_id.0))
}

/// What happened. It stands at the top of the answer, without `results`.
#[derive(Serialize, ToSchema)]
pub struct SyncedEvents<'a> {
    /// The oldest first.
    #[schema(value_type = Vec<Object>)]
    events: Vec<Notification<'a>>,
    /// False if events after that one are forgotten: load the rooms anew.
    is_start_event_id_found: bool,
}

/// The answer of `sync_event`.
pub fn synced_events(events: &[RoomEvent], is_start_event_id_found: bool) -> SyncedEvents<'_> {
    SyncedEvents { events: events.iter().map(notification).collect(), is_start_event_id_found }
}

request! {
    /// `GET /comment_receipt`
    pub struct ReceiptFields {
        /// A message of a room that the caller is in.
        comment_id: fields::MessageId, required;
    }
}

/// Reads of which message.
pub fn read_receipt(query: &Body<'_>) -> Result<MessageId, Refusal> {
    query.read().map(|fields: ReceiptFields| fields.comment_id)
}

/// Everybody else in the room of a message, each in one of the lists.
#[derive(Debug, Serialize, ToSchema)]
pub struct Receipts<'a> {
    /// Who received it and did not read it.
    delivered_to: Vec<ReceiptOf<'a>>,
    /// Who did not receive it.
    pending: Vec<ReceiptOf<'a>>,
    /// Who read it.
    read_by: Vec<ReceiptOf<'a>>,
}

/// Somebody in the room.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReceiptOf<'a> {
    user: ReceiptUser<'a>,
}

/// A user as receipts name them.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReceiptUser<'a> {
    active: bool,
    avatar_url: &'a str,
    /// The user id.
    email: &'a str,
    #[schema(value_type = serde_json::Value)]
    extras: ShownExtras<'a>,
    id: i64,
    id_str: String,
    username: &'a str,
}

/// Who received and read the message of this number.
pub fn receipts<'a>(
    people: impl IntoIterator<Item = (&'a User, Reached)>,
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
