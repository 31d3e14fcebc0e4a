//! Notices: what outsiders are told when something happens (spec 6).
//!
//! A rule makes a notice from the facts it decided on, so that the notice tells what was true at
//! that moment; `wire::webhooks` writes it as JSON once, and those bytes are sent on every attempt.
//! What holds an agent's `sdk_key` has no `Debug`: the key must not reach a log.

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

/// What an outsider is told, one variant for each webhook of spec 6.
#[derive(Clone)]
pub enum Event {
    /// A customer sent a message.
    Bot(Bot),
    /// A customer sent a message and nobody serves them.
    AgentAllocation(AgentAllocation),
    /// An agent clicked a custom button.
    CustomButton(CustomButton),
    /// An agent resolved a session.
    Resolved(Resolved),
    /// A customer's message opened a session.
    NewSession(NewSession),
    /// An agent logged out.
    LoggedOut(LoggedOut),
    /// An endpoint changed for worse or better (D-0030).
    EndpointStateChanged(EndpointStateChanged),
    /// Somebody answered a customer, whose channel must hear of it (D-0035).
    ChannelMessage(ChannelMessage),
    /// Somebody said something, in whichever room (D-0105).
    ChatMessage(ChatMessage),
    /// A part of what is said to a customer, for their service; no webhook (D-0150).
    ChannelSend(ChannelSend),
}

impl Event {
    /// Which webhook it is for.
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

    /// The name of the one endpoint of its kind that it is for, where an app has several.
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
    /// The app it happened in.
    pub app: AppCode,
    /// Where the customer writes from.
    pub channel: ChannelSummary,
    /// How the message came in.
    pub message_source: MessageSource,
    /// Who sent it.
    pub customer: Arc<User>,
    /// What was said.
    pub message: Message,
    /// The room it was said in.
    pub room: EventRoom,
}

/// A customer sent a message and nobody serves them: somebody should be assigned.
#[derive(Clone)]
pub struct AgentAllocation {
    /// The app it happened in.
    pub app: AppCode,
    /// Who waits.
    pub customer: Arc<User>,
    /// What the channel keeps about the customer's room.
    pub extras: Option<JsonText>,
    /// Whom this server would assign; nobody when nobody is free.
    pub candidate: Option<AgentProfile>,
    /// True when this message opened the session.
    pub is_new_session: bool,
    /// True while the room counts as resolved.
    pub is_resolved: bool,
    /// The last session of the room in which somebody served.
    pub latest_session: Option<Session>,
    /// The customer's room.
    pub room: RoomId,
    /// The kind of channel, such as `wa`.
    pub source: String,
}

/// An agent clicked a custom button beside a session.
#[derive(Debug, Clone)]
pub struct CustomButton {
    /// Which button, by the name of its endpoint: only that one is told. All are told of an
    /// example.
    pub button: Option<String>,
    /// Who clicked.
    pub clicked_by: Agent,
    /// Where the customer writes from.
    pub channel: ChannelSummary,
    /// Whom the session serves.
    pub customer: Arc<User>,
    /// What is known about the customer in this room.
    pub infos: Vec<Info>,
    /// What is known about the customer in every room.
    pub properties: Vec<CustomerProperty>,
    /// The dashboard's notes.
    pub notes: Option<String>,
    /// The customer's room.
    pub room: RoomId,
    /// The tags of the room.
    pub tags: Vec<Tag>,
}

/// An agent resolved a session.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The app it happened in.
    pub app: AppCode,
    /// Where the customer writes from.
    pub channel: ChannelSummary,
    /// Whom the session served.
    pub customer: Arc<User>,
    /// What is known about the customer in this room.
    pub infos: Vec<Info>,
    /// Who resolved it.
    pub resolved_by: Agent,
    /// Whether that agent takes customers.
    pub is_resolver_available: bool,
    /// The session, resolved.
    pub session: Session,
}

/// A customer's message opened a session.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Where the customer writes from.
    pub channel: ChannelSummary,
    /// Who sent the message.
    pub customer: Arc<User>,
    /// The message that opened the session.
    pub message: Message,
    /// The room it was said in.
    pub room: EventRoom,
    /// When the customer's room was opened.
    pub room_opened_at: Timestamp,
    /// What the channel keeps about the customer's room.
    pub extras: Option<JsonText>,
    /// A picture that marks the room in lists.
    pub badge_url: Option<String>,
    /// True while nobody serves the customer.
    pub is_waiting: bool,
}

/// An agent logged out.
#[derive(Clone)]
pub struct LoggedOut {
    /// Who logged out.
    pub user: AgentProfile,
    pub at: Timestamp,
}

/// An endpoint changed for worse or better: its owner should hear of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointStateChanged {
    /// The app whose endpoint it is.
    pub app: AppCode,
    /// What the endpoint is told of.
    pub kind: EventKind,
    /// The endpoint's address.
    pub url: String,
    /// What happened to it.
    pub turn: EndpointTransition,
    /// Since when it fails or failed.
    pub failing_since: Option<Timestamp>,
    /// When it turned.
    pub at: Timestamp,
}

/// Somebody answered a customer: the channel's gateway shall bring it to them.
#[derive(Debug, Clone)]
pub struct ChannelMessage {
    /// The app it happened in.
    pub app: AppCode,
    /// Where the customer writes from.
    pub channel: ChannelId,
    /// How the answer came in.
    pub message_source: MessageSource,
    /// Who answered.
    pub sender: Arc<User>,
    /// What was said.
    pub message: Message,
    /// The room it was said in.
    pub room: EventRoom,
    /// Who is in the room.
    pub people: Vec<Arc<User>>,
}

/// Somebody said something, in whichever room.
#[derive(Debug, Clone)]
pub struct ChatMessage {
    /// The app it happened in.
    pub app: AppCode,
    /// How the message came in.
    pub message_source: MessageSource,
    /// Who said it.
    pub sender: Arc<User>,
    /// What was said.
    pub message: Message,
    /// The room it was said in.
    pub room: EventRoom,
    /// Who is in the room; nobody is named of a public channel.
    pub people: Vec<Arc<User>>,
}

/// One request that a service is to be sent.
#[derive(Debug, Clone)]
pub struct ChannelSend {
    /// Where the customer writes from.
    pub channel: ChannelId,
    /// What is said, corrected or taken back.
    pub message: MessageId,
    /// Which part of it; the first is 0.
    pub part: u32,
    /// The part, as the channel's adapter wrote it.
    pub body: JsonText,
}

/// What happened to an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointTransition {
    /// It stopped answering as it should, and is only probed.
    Degraded,
    /// It still does not answer.
    StillFailing,
    /// It answers again.
    Recovered,
    /// It gets nothing any more, until somebody switches it on.
    Disabled,
    /// A delivery was given up.
    Exhausted(DeliveryId),
}

impl EndpointTransition {
    /// The public word.
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

/// Where a customer writes from: the widget, or a messenger connected to the app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSummary {
    /// The integer.
    pub id: ChannelId,
    /// The name for people.
    pub name: String,
    /// The kind, such as `wa`.
    pub source: String,
    /// Digits of the channel's own phone number, or an empty text.
    pub phone: String,
}

/// How a message came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageSource {
    /// From a person's own client: a channel, the widget, an SDK or the dashboard.
    Client,
    /// From another server, through the message API or as a bot.
    MessageApi,
}

/// A room as notices show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRoom {
    /// The integer.
    pub id: RoomId,
    /// How it takes people in.
    pub kind: RoomKind,
    /// The name for people.
    pub name: String,
    /// A picture, or an empty text.
    pub avatar_url: String,
    /// The room's options, which receivers read as JSON.
    pub options: JsonText,
    /// Who is in the room.
    pub participants: Vec<UserId>,
}

/// A stretch of a customer's room: from the message that opened it until it is resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The integer.
    pub id: SessionId,
    /// The app it belongs to.
    pub app: AppId,
    /// The customer's room.
    pub room: RoomId,
    /// Who serves, or last served, the customer.
    pub served_by: Option<AgentId>,
    /// When somebody first took it.
    pub taken_at: Option<Timestamp>,
    /// What was noted of it.
    pub notes: Option<String>,
    /// The message that opened it.
    pub first_message: MessageId,
    /// When that message was posted.
    pub first_message_at: Timestamp,
    /// Its newest message.
    pub last_message: MessageId,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it was resolved; nothing while it is open.
    pub resolved_at: Option<Timestamp>,
    /// Who did.
    pub resolved_by: Option<AgentId>,
    /// When somebody who works in the app first answered the customer.
    pub first_reply_at: Option<Timestamp>,
    /// Who did.
    pub first_reply_by: Option<AgentId>,
    /// When it was last opened again after its end.
    pub reopened_at: Option<Timestamp>,
    /// What the customer thinks of it.
    pub rating: Option<Rating>,
    /// When they last said so.
    pub rated_at: Option<Timestamp>,
    /// When they were asked.
    pub rating_asked_at: Option<Timestamp>,
    /// Somebody who works in the app began it then, and the customer has said nothing in it yet
    /// (D-0157).
    pub unheard_since: Option<Timestamp>,
}

impl Session {
    /// Of whom the customer thinks so: who served last, or answered without serving.
    pub fn rated_agent(&self) -> Option<AgentId> {
        self.served_by.or(self.first_reply_by)
    }
}

/// An agent with all that outsiders are shown. No `Debug`: it holds a key.
#[derive(Clone)]
pub struct AgentProfile {
    /// Who it is.
    pub user: Agent,
    /// A picture.
    pub avatar_url: Option<String>,
    /// True when an admin took the user offline.
    pub is_forced_offline: bool,
    /// True while the user takes customers.
    pub is_available: bool,
    /// True once the e-mail address was confirmed.
    pub is_verified: bool,
    /// The last login; nothing before the first.
    pub last_login_at: Option<Timestamp>,
    /// The user that speaks for the agent in rooms.
    pub sdk_user: UserId,
    /// Opens nothing but that user's own chat connection, and can be reset alone.
    pub sdk_key: String,
    /// When the account last changed.
    pub updated_at: Timestamp,
}

impl AgentProfile {
    /// Whether they take customers now, as far as they and their admin say.
    pub fn is_there(&self) -> bool {
        self.is_available && !self.is_forced_offline
    }

    /// The same user as `sdk_user`: it was made with the agent and has the same integer,
    /// so a rule that has the one always has the other.
    pub fn speaker(&self) -> UserKey {
        UserKey(self.user.id.0)
    }
}

/// One thing known about a customer in one room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    /// What it is about.
    pub key: String,
    /// What is known.
    pub value: String,
}

/// One thing known about a customer in every room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerProperty {
    /// The integer.
    pub id: PropertyId,
    /// What it is about.
    pub label: String,
    /// What is known.
    pub value: String,
}

/// A word that agents put on a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The integer.
    pub id: TagId,
    /// The word.
    pub name: String,
}
