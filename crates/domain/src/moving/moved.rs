//! Values of an export file. Integer ids are those of the exporting server.

use crate::channels::channel::ChannelKind;
use crate::ids::{ChannelId, SessionId};
use crate::json_text::JsonText;
use crate::messages::message_kind::MessageKind;
use crate::messages::rating::Rating;
use crate::messages::unique_id::UniqueId;
use crate::people::user::UserId;
use crate::rooms::room::{RoomKind, RoomUniqueId};
use crate::support::conversations::customer_room::BotDuty;
use crate::time::Timestamp;

/// The name of a user on the exporting server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MovedName {
    pub user: UserId,
    /// The channel whose customer the user is; `None` for the app's own users.
    pub channel: Option<ChannelId>,
}

/// A channel through which customers wrote. Its credentials at the provider are not exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedChannel {
    pub id: ChannelId,
    pub kind: ChannelKind,
    pub name: String,
}

/// A user. Token and password are not exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedUser {
    pub name: MovedName,
    /// Display name.
    pub username: String,
    pub avatar_url: String,
    pub extras: Option<JsonText>,
    pub is_active: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// E-mail address of the agent for whom this user posts.
    pub agent: Option<String>,
    /// Whether the user is the app's System user.
    pub is_system: bool,
}

/// A room, without its participants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedRoom {
    pub unique_id: RoomUniqueId,
    pub kind: RoomKind,
    /// Display name.
    pub name: String,
    pub avatar_url: String,
    pub options: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The support state, if it is a customer's room.
    pub service: Option<MovedSupport>,
}

/// The support state of a customer's room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedSupport {
    pub customer: MovedName,
    /// The channel that the customer writes through.
    pub channel: ChannelId,
    pub waits_since: Option<Timestamp>,
    pub is_handled_by_bot: bool,
    pub bot_duty: BotDuty,
    pub brand: Option<String>,
    pub extras: Option<JsonText>,
    pub badge_url: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A participant of a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedParticipant {
    pub room: RoomUniqueId,
    pub user: MovedName,
    /// Number of the newest message that the user read.
    pub read_number: u64,
    pub joined_at: Timestamp,
}

/// A message. A deleted one has no content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedMessage {
    pub room: RoomUniqueId,
    /// Unique id from the client, or the one that the exporting server derived.
    pub unique_id: UniqueId,
    pub sender: MovedName,
    pub kind: MessageKind,
    pub text: String,
    pub payload: Option<JsonText>,
    pub extras: Option<JsonText>,
    pub posted_at: Timestamp,
    pub is_deleted: bool,
}

/// A session of a customer's room. Agents are named by their e-mail addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedSession {
    pub room: RoomUniqueId,
    pub id: SessionId,
    pub first_message: UniqueId,
    pub last_message: UniqueId,
    pub served_by: Option<String>,
    pub taken_at: Option<Timestamp>,
    pub notes: Option<String>,
    pub first_message_at: Timestamp,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub resolved_at: Option<Timestamp>,
    pub resolved_by: Option<String>,
    pub first_reply_at: Option<Timestamp>,
    pub first_reply_by: Option<String>,
    pub reopened_at: Option<Timestamp>,
    pub rating: Option<Rating>,
    pub rated_at: Option<Timestamp>,
    pub rating_asked_at: Option<Timestamp>,
    pub unheard_since: Option<Timestamp>,
}
