//! What is carried from one server to another. Integers are those of the server that it comes from.

use crate::channels::channel::ChannelKind;
use crate::ids::{ChannelId, SessionId};
use crate::json_text::JsonText;
use crate::messages::message_kind::MessageKind;
use crate::messages::rating::Rating;
use crate::messages::unique_id::UniqueId;
use crate::people::user::UserId;
use crate::rooms::room::{RoomKind, RoomUniqueId};
use crate::support::customer_room::BotDuty;
use crate::time::Timestamp;

/// A user as the other server names one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MovedName {
    pub user: UserId,
    /// Whose customer it is, if it is not the app's own user.
    pub channel: Option<ChannelId>,
}

/// Where customers wrote from. What opens it at its service is not carried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedChannel {
    pub id: ChannelId,
    pub kind: ChannelKind,
    pub name: String,
}

/// A user. Neither token nor password is carried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedUser {
    pub name: MovedName,
    /// The name for people.
    pub username: String,
    pub avatar_url: String,
    pub extras: Option<JsonText>,
    pub is_active: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The address by which somebody who works in the app signs in, whom this user speaks for.
    pub agent: Option<String>,
    /// It is the System user of the app.
    pub is_system: bool,
}

/// A room, without those who are in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedRoom {
    pub unique_id: RoomUniqueId,
    pub kind: RoomKind,
    /// The name for people.
    pub name: String,
    pub avatar_url: String,
    pub options: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// What it is to its customer, if it is a customer's room.
    pub service: Option<MovedSupport>,
}

/// What a room is to its customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedSupport {
    pub customer: MovedName,
    /// Where the customer writes from.
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

/// Somebody in a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedParticipant {
    pub room: RoomUniqueId,
    pub user: MovedName,
    /// Everything up to this message of the room is read.
    pub read_number: u64,
    pub joined_at: Timestamp,
}

/// A message; a deleted one says nothing any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedMessage {
    pub room: RoomUniqueId,
    /// That of its client, or the one that the other server made.
    pub unique_id: UniqueId,
    pub sender: MovedName,
    pub kind: MessageKind,
    pub text: String,
    pub payload: Option<JsonText>,
    pub extras: Option<JsonText>,
    pub posted_at: Timestamp,
    pub is_deleted: bool,
}

/// A session of a customer's room. People are named by the addresses they sign in with.
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
