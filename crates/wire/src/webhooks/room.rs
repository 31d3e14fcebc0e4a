//! The room object `payload.room`, and the options of a customer's room (spec 2.5, wire facts 6.1
//! and 6.5).

use confab_domain::json_text::JsonText;
use confab_domain::people::user::UserId;
use confab_domain::rooms::room::RoomKind;
use confab_domain::webhooks::event::{ChannelSummary, EventRoom};
use serde::Serialize;
use utoipa::ToSchema;

use crate::raw_json::options_of;

/// A room. Both of its ids are strings (spec 2.5).
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookRoom)]
pub(super) struct WebhookRoomShape<'a> {
    id: String,
    id_str: String,
    is_public_channel: bool,
    name: &'a str,
    options: &'a str,
    participants: Vec<WebhookParticipantShape<'a>>,
    room_avatar: &'a str,
    topic_id: String,
    topic_id_str: String,
    r#type: &'a str,
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookParticipant)]
struct WebhookParticipantShape<'a> {
    email: &'a str,
}

impl<'a> From<&'a EventRoom> for WebhookRoomShape<'a> {
    fn from(room: &'a EventRoom) -> Self {
        let email = |user: &'a UserId| WebhookParticipantShape { email: user.as_str() };
        Self {
            id: room.id.to_string(),
            id_str: room.id.to_string(),
            is_public_channel: room.kind == RoomKind::Public,
            name: &room.name,
            options: options_of(room.options.as_str()),
            participants: room.participants.iter().map(email).collect(),
            room_avatar: &room.avatar_url,
            topic_id: room.id.to_string(),
            topic_id_str: room.id.to_string(),
            r#type: type_of(room.kind),
        }
    }
}

/// Returns the room type. Clients know only two types; a public room is a group with
/// `is_public_channel` (wire facts 4.2).
pub(super) fn type_of(kind: RoomKind) -> &'static str {
    match kind {
        RoomKind::Single => RoomKind::Single.as_str(),
        RoomKind::Group | RoomKind::Public => RoomKind::Group.as_str(),
    }
}

/// Options of a customer's room (spec 2.5, new session webhook).
#[derive(Debug, Clone, Copy)]
pub struct RoomOptions<'a> {
    /// Channel through which the customer writes.
    pub channel: &'a ChannelSummary,
    /// Whether the session is resolved.
    pub is_resolved: bool,
    /// Whether the customer has no agent yet.
    pub is_waiting: bool,
}

impl RoomOptions<'_> {
    /// Serializes the options to JSON text, as a room stores them.
    pub fn to_json(&self) -> JsonText {
        let ChannelSummary { id, name, source, phone } = self.channel;
        let shape = OptionsShape {
            channel: source,
            channel_details: ChannelDetails { channel_id: id.0, name, phone },
            is_resolved: self.is_resolved,
            is_waiting: self.is_waiting,
            source,
        };
        JsonText::from_checked(serde_json::to_string(&shape).expect("all keys are strings"))
    }
}

#[derive(Serialize)]
struct OptionsShape<'a> {
    channel: &'a str,
    channel_details: ChannelDetails<'a>,
    is_resolved: bool,
    is_waiting: bool,
    source: &'a str,
}

#[derive(Serialize)]
struct ChannelDetails<'a> {
    channel_id: i64,
    name: &'a str,
    phone: &'a str,
}
