//! Events that outside services are notified of (spec 6).
//!
//! A rule creates an event from the facts it decided on, so the event describes the state at that
//! moment. `wire::webhooks` writes it as JSON once, and every attempt sends these bytes. Types that
//! hold an agent's `sdk_key` have no `Debug`: the key must not reach a log.

use std::sync::Arc;

use crate::agents::agent::Agent;
use crate::app::AppCode;
use crate::ids::{
    AgentId, AppId, ChannelId, DeliveryId, MessageId, PropertyId, RoomId, SessionId, TagId, UserKey,
};
use crate::json_text::JsonText;
use crate::messages::message::Message;
use crate::messages::rating::Rating;
use crate::people::user::{User, UserId};
use crate::rooms::room::RoomKind;
use crate::time::Timestamp;
use crate::webhooks::event_kind::EventKind;

/// An event for outside services, one variant per webhook of spec 6 and a few more.
#[derive(Clone)]
pub enum Event {
    /// A customer sent a message.
    Bot(Bot),
    /// A customer without an assigned agent sent a message.
    AgentAllocation(AgentAllocation),
    /// An agent clicked a custom button.
    CustomButton(CustomButton),
    /// An agent resolved a session.
    Resolved(Resolved),
    /// A customer sent their first message in a session.
    NewSession(NewSession),
    /// An agent logged out.
    LoggedOut(LoggedOut),
    /// The health of an endpoint changed.
    EndpointStateChanged(EndpointStateChanged),
    /// A message to a customer was posted, for the channel's gateway.
    ChannelMessage(ChannelMessage),
    /// A message was posted in any room.
    ChatMessage(ChatMessage),
    /// One part of a message to a customer is sent to their provider; not a webhook (D-0150).
    ChannelSend(ChannelSend),
}

impl Event {
    /// Returns the kind of the event.
    pub fn kind(&self) -> EventKind {
        match self {
            Self::Bot(_) => EventKind::Bot,
            Self::AgentAllocation(_) => EventKind::AgentAllocation,
            Self::CustomButton(_) => EventKind::CustomButton,
            Self::Resolved(_) => EventKind::Resolved,
            Self::NewSession(_) => EventKind::NewSession,
            Self::LoggedOut(_) => EventKind::LoggedOut,
            Self::EndpointStateChanged(_) => EventKind::EndpointState,
            Self::ChannelMessage(_) => EventKind::ChannelMessage,
            Self::ChatMessage(_) => EventKind::ChatMessage,
            Self::ChannelSend(_) => EventKind::ChannelSend,
        }
    }

    /// Returns the name of the endpoint that the event is for, if an app may have several of its
    /// kind.
    pub fn endpoint_name(&self) -> Option<String> {
        match self {
            Self::ChannelMessage(message) => Some(message.channel.to_string()),
            Self::ChannelSend(send) => Some(send.channel.to_string()),
            Self::CustomButton(click) => click.button.clone(),
            _ => None,
        }
    }
}

/// A customer sent a message.
#[derive(Debug, Clone)]
pub struct Bot {
    pub app: AppCode,
    /// The channel that the customer writes through.
    pub channel: ChannelSummary,
    pub message_source: MessageSource,
    /// The sender.
    pub customer: Arc<User>,
    pub message: Message,
    /// The room of the message.
    pub room: EventRoom,
}

/// A customer without an assigned agent sent a message; the receiver should assign one.
#[derive(Clone)]
pub struct AgentAllocation {
    pub app: AppCode,
    /// The waiting customer.
    pub customer: Arc<User>,
    /// Data of the channel about the customer's room.
    pub extras: Option<JsonText>,
    /// The agent whom the server proposes, even if none is available; `None` if the app has no
    /// staff.
    pub candidate: Option<AgentProfile>,
    /// Whether the message is the customer's first in the session.
    pub is_new_session: bool,
    /// Whether the session is resolved. Always `false`, because the message opens or continues a
    /// session.
    pub is_resolved: bool,
    /// The newest session of the room that was assigned to an agent.
    pub latest_session: Option<Session>,
    /// The customer's room.
    pub room: RoomId,
    /// Kind of the channel, such as `wa`.
    pub source: String,
}

/// An agent clicked a custom button in a conversation.
#[derive(Debug, Clone)]
pub struct CustomButton {
    /// Name of the button's endpoint. Of the endpoints with a name, only this one is notified.
    /// `None` in an example, which all endpoints of the kind receive.
    pub button: Option<String>,
    /// The agent who clicked.
    pub clicked_by: Agent,
    /// The channel that the customer writes through.
    pub channel: ChannelSummary,
    /// The customer of the session.
    pub customer: Arc<User>,
    /// Infos about the customer in this room.
    pub infos: Vec<Info>,
    /// Properties of the customer, shown in all their rooms.
    pub properties: Vec<CustomerProperty>,
    /// Resolution notes of the session.
    pub notes: Option<String>,
    /// The customer's room.
    pub room: RoomId,
    /// Tags of the room.
    pub tags: Vec<Tag>,
}

/// An agent resolved a session.
#[derive(Debug, Clone)]
pub struct Resolved {
    pub app: AppCode,
    /// The channel that the customer writes through.
    pub channel: ChannelSummary,
    /// The customer of the session.
    pub customer: Arc<User>,
    /// Infos about the customer in this room.
    pub infos: Vec<Info>,
    pub resolved_by: Agent,
    /// Whether the agent who resolved the session is available.
    pub is_resolver_available: bool,
    /// The session after its resolution.
    pub session: Session,
}

/// A customer sent their first message in a session.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// The channel that the customer writes through.
    pub channel: ChannelSummary,
    /// The sender of the message.
    pub customer: Arc<User>,
    /// The customer's first message in the session.
    pub message: Message,
    /// The room of the message.
    pub room: EventRoom,
    /// Creation time of the customer's room.
    pub room_opened_at: Timestamp,
    /// Data of the channel about the customer's room.
    pub extras: Option<JsonText>,
    /// URL of a picture that marks the room in lists.
    pub badge_url: Option<String>,
    /// Whether no agent is assigned to the customer.
    pub is_waiting: bool,
}

/// An agent logged out.
#[derive(Clone)]
pub struct LoggedOut {
    /// The agent.
    pub user: AgentProfile,
    pub at: Timestamp,
}

/// The health of an endpoint changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointStateChanged {
    pub app: AppCode,
    /// Kind of event that the endpoint receives.
    pub kind: EventKind,
    /// URL of the endpoint.
    pub url: String,
    /// Kind of the change.
    pub turn: EndpointTransition,
    /// Time when the current or most recent failures began.
    pub failing_since: Option<Timestamp>,
    /// Time of the change.
    pub at: Timestamp,
}

/// A message to a customer was posted. The channel's gateway must send it to them.
#[derive(Debug, Clone)]
pub struct ChannelMessage {
    pub app: AppCode,
    /// The channel that the customer writes through.
    pub channel: ChannelId,
    pub message_source: MessageSource,
    pub sender: Arc<User>,
    pub message: Message,
    /// The room of the message.
    pub room: EventRoom,
    /// Users in the room, up to the number that events list.
    pub people: Vec<Arc<User>>,
}

/// A message was posted in any room.
#[derive(Debug, Clone)]
pub struct ChatMessage {
    pub app: AppCode,
    pub message_source: MessageSource,
    pub sender: Arc<User>,
    pub message: Message,
    /// The room of the message.
    pub room: EventRoom,
    /// Users in the room, up to the number that events list; empty for public rooms.
    pub people: Vec<Arc<User>>,
}

/// One part of a message to a customer, as a request to their provider.
#[derive(Debug, Clone)]
pub struct ChannelSend {
    /// The channel that the customer writes through.
    pub channel: ChannelId,
    /// The message that is sent, edited or deleted.
    pub message: MessageId,
    /// Number of the part, from 0.
    pub part: u32,
    /// The part in the provider's format, written by the provider's adapter.
    pub body: JsonText,
}

/// A change of an endpoint's health.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointTransition {
    /// The endpoint is failing and receives only probes.
    Degraded,
    /// The endpoint is still failing.
    StillFailing,
    /// The endpoint has recovered.
    Recovered,
    /// The endpoint was disabled and receives no deliveries until it is enabled again.
    Disabled,
    /// A delivery was given up.
    Exhausted(DeliveryId),
}

impl EndpointTransition {
    /// Returns the public name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Degraded => "endpoint.degraded",
            Self::StillFailing => "endpoint.still_failing",
            Self::Recovered => "endpoint.recovered",
            Self::Disabled => "endpoint.disabled",
            Self::Exhausted(_) => "delivery.exhausted",
        }
    }
}

/// The channel that a customer writes through, as events show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSummary {
    /// Integer id.
    pub id: ChannelId,
    /// Display name.
    pub name: String,
    /// Kind of the channel, such as `wa`.
    pub source: String,
    /// Digits of the channel's own phone number; an empty string if there is none.
    pub phone: String,
}

/// The way in which a message was posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageSource {
    /// A person's own client: a channel, the widget, an SDK or the dashboard.
    Client,
    /// Another server: the message API or a bot.
    MessageApi,
}

/// A room as events show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRoom {
    /// Integer id.
    pub id: RoomId,
    pub kind: RoomKind,
    /// Display name.
    pub name: String,
    /// URL of a picture; an empty string if there is none.
    pub avatar_url: String,
    /// Options of the room, chosen by the app. Receivers parse them as JSON.
    pub options: JsonText,
    /// User ids of the participants, up to the number that events list.
    pub participants: Vec<UserId>,
}

/// A customer's conversation, from the message that opened it to its resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Integer id.
    pub id: SessionId,
    pub app: AppId,
    /// The customer's room.
    pub room: RoomId,
    /// The agent who is, or last was, assigned to the customer.
    pub served_by: Option<AgentId>,
    /// Time of the first assignment.
    pub taken_at: Option<Timestamp>,
    /// Resolution notes.
    pub notes: Option<String>,
    /// The message that opened the session.
    pub first_message: MessageId,
    /// Time of the session's first message.
    pub first_message_at: Timestamp,
    /// Newest message of the session.
    pub last_message: MessageId,
    /// Creation time.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Time of the resolution; `None` while the session is open.
    pub resolved_at: Option<Timestamp>,
    /// The staff member who resolved the session.
    pub resolved_by: Option<AgentId>,
    /// Time of the first reply by an agent.
    pub first_reply_at: Option<Timestamp>,
    /// The agent who replied first.
    pub first_reply_by: Option<AgentId>,
    /// Time when the session was last reopened; `None` if it never was.
    pub reopened_at: Option<Timestamp>,
    /// The customer's rating.
    pub rating: Option<Rating>,
    /// Time of the last rating.
    pub rated_at: Option<Timestamp>,
    /// Time when the customer was asked for a rating.
    pub rating_asked_at: Option<Timestamp>,
    /// Time when a staff member opened the session; `None` once the customer has written in it
    /// (D-0157).
    pub unheard_since: Option<Timestamp>,
}

impl Session {
    /// Returns the agent to whom a rating is attributed: the last assigned one or, if none was
    /// assigned, the one who replied first.
    pub fn rated_agent(&self) -> Option<AgentId> {
        self.served_by.or(self.first_reply_by)
    }
}

/// An agent as outside services see them. No `Debug`: it holds a key.
#[derive(Clone)]
pub struct AgentProfile {
    pub user: Agent,
    /// URL of a picture.
    pub avatar_url: Option<String>,
    /// Whether an admin forced the agent offline.
    pub is_forced_offline: bool,
    /// Whether the agent accepts customers.
    pub is_available: bool,
    /// Whether the e-mail address was confirmed.
    pub is_verified: bool,
    /// Time of the last sign-in; `None` before the first.
    pub last_login_at: Option<Timestamp>,
    /// Id of the user as whom the agent posts in rooms.
    pub sdk_user: UserId,
    /// Token for the chat connection of `sdk_user`. It gives no other access and can be reset
    /// separately.
    pub sdk_key: String,
    /// Time of the last change of the account.
    pub updated_at: Timestamp,
}

impl AgentProfile {
    /// Whether the agent accepts customers and is not forced offline.
    pub fn is_there(&self) -> bool {
        self.is_available && !self.is_forced_offline
    }

    /// Returns the key of the user `sdk_user`. Its number equals the agent's id.
    pub fn speaker(&self) -> UserKey {
        UserKey(self.user.id.0)
    }
}

/// An info about a customer in one room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    /// Subject of the info.
    pub key: String,
    /// Content of the info.
    pub value: String,
}

/// A property of a customer, shown in all their rooms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerProperty {
    /// Integer id.
    pub id: PropertyId,
    /// Subject of the property.
    pub label: String,
    /// Content of the property.
    pub value: String,
}

/// A tag that agents add to rooms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Integer id.
    pub id: TagId,
    /// Text of the tag.
    pub name: String,
}
