//! Customers' rooms, and the agents who may serve them.

use std::sync::Arc;

use crate::agents::role::Role;
use crate::channels::channel::Channel;
use crate::ids::{AgentId, AppId, ChannelId, RoomId, UserKey};
use crate::json_text::JsonText;
use crate::people::user::{User, UserId};
use crate::time::Timestamp;
use crate::webhooks::event::{AgentProfile, ChannelSummary, CustomerProperty, Info, Session, Tag};

/// The support data of a customer's room: its channel, customer and newest session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerRoom {
    pub room: RoomId,
    pub app: AppId,
    /// Channel through which the customer writes.
    pub channel: ChannelId,
    pub customer: UserKey,
    /// Newest session; `None` before the customer's first message.
    pub session: Option<Session>,
    /// Start of the customer's wait for an agent: the time when the session was opened or reopened.
    /// `None` while an agent is assigned or no session is open; set even while a bot answers.
    pub waits_since: Option<Timestamp>,
    /// Whether a bot answers the customer: the app had one at the customer's last message, and no
    /// agent has taken the session from it.
    pub is_handled_by_bot: bool,
    /// Whether the bot receives the customer's messages (D-0201).
    pub bot_duty: BotDuty,
    /// Brand of the widget page through which the customer came, in lower case.
    pub brand: Option<String>,
    /// Metadata that the channel or the visitor's client attached to the room.
    pub extras: Option<JsonText>,
    /// URL of a picture that marks the room in lists.
    pub badge_url: Option<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Whether a bot receives the customer's messages of a session (D-0201). A new session starts with
/// `Always`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BotDuty {
    /// The bot receives every message: no agent has joined the session, or the bot was switched on
    /// again.
    Always,
    /// An agent joined the session. The bot receives messages while no agent is assigned.
    WhileUnserved,
    /// The bot was switched off in this session, and stays off until it is switched on again.
    SwitchedOff,
}

impl BotDuty {
    /// Returns the value after an agent joined the session.
    pub(crate) fn after_join(self) -> Self {
        match self {
            Self::Always | Self::WhileUnserved => Self::WhileUnserved,
            Self::SwitchedOff => Self::SwitchedOff,
        }
    }
}

impl CustomerRoom {
    /// Returns the channel as events show it. The widget's channel is shown with the room's brand,
    /// or with `first_brand` if the room has none.
    pub fn shown_channel(&self, channel: &Channel, first_brand: &str) -> ChannelSummary {
        channel.shown(self.brand.as_deref().unwrap_or(first_brand))
    }

    /// Whether the newest session is resolved.
    pub fn is_resolved(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.resolved_at.is_some())
    }

    /// Returns the staff member who resolved the newest session.
    pub fn resolved_by(&self) -> Option<AgentId> {
        self.session.as_ref().and_then(|session| session.resolved_by)
    }

    /// Whether the session is open and no agent serves it.
    pub fn is_unserved(&self) -> bool {
        self.waits_since.is_some()
    }

    /// Whether the newest session is open.
    pub fn is_open(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.resolved_at.is_none())
    }
}

/// The facts about a customer's room. No `Debug`: it holds keys.
#[derive(Clone)]
pub struct SupportFacts {
    pub customer_room: CustomerRoom,
    /// Channel through which the customer writes.
    pub channel: Channel,
    pub customer: Arc<User>,
    /// Assigned agents, in order of joining.
    pub agents: Vec<AgentProfile>,
    /// Last session in which an agent served.
    pub last_served: Option<Session>,
    /// Ids of the room's participants, up to the number that events name.
    pub participants: Vec<UserId>,
    /// Profiles of the users in `participants`; loaded only if the query's `finds_people` was set.
    pub people: Vec<Arc<User>>,
    /// Infos about the customer in this room.
    pub infos: Vec<Info>,
    /// Properties of the customer in all rooms.
    pub properties: Vec<CustomerProperty>,
    pub tags: Vec<Tag>,
}

/// A session of an export file, with its channel and customer.
#[derive(Debug, Clone)]
pub struct ExportedSession {
    pub session: Session,
    /// Channel through which the customer wrote.
    pub channel: ChannelId,
    pub customer: UserId,
    /// Display name of the customer.
    pub customer_name: String,
}

/// An agent to whom a customer could be assigned. No `Debug`: it holds a key.
#[derive(Clone)]
pub struct Candidate {
    pub profile: AgentProfile,
    /// Number of customers that the agent serves now.
    pub serves: u32,
    /// The agent's own maximum number of customers; `None` for the limit in the app's settings.
    pub serves_max: Option<u32>,
    /// Channels that the agent is restricted to; empty for all.
    pub channels: Vec<ChannelId>,
}

impl Candidate {
    /// Whether the agent may serve customers of the channel.
    pub fn serves_channel(&self, channel: ChannelId) -> bool {
        is_served(&self.channels, channel)
    }

    /// Whether the account is an agent, not an admin or supervisor, and available for customers.
    pub fn takes_customers(&self) -> bool {
        self.profile.user.role == Role::Agent && self.profile.is_there()
    }

    /// Whether the agent has capacity for another customer. `default_max` applies to agents without
    /// an own limit.
    pub fn has_room(&self, default_max: u32) -> bool {
        self.serves < self.serves_max.unwrap_or(default_max)
    }
}

fn is_served(channels: &[ChannelId], channel: ChannelId) -> bool {
    channels.is_empty() || channels.contains(&channel)
}

/// All stored fields of an agent except the password. No `Debug`: it holds a key.
#[derive(Clone)]
pub struct AgentRecord {
    pub profile: AgentProfile,
    /// Chat user as whom the agent posts in rooms.
    pub speaker: UserKey,
    /// The agent's own maximum number of customers; `None` for the limit in the app's settings.
    pub serves_max: Option<u32>,
    /// Channels that the agent is restricted to; empty for all.
    pub channels: Vec<ChannelId>,
    /// Time since which the agent has been away; `None` if the agent is available.
    pub away_since: Option<Timestamp>,
    /// Time when the account was deleted.
    pub deleted_at: Option<Timestamp>,
}

impl AgentRecord {
    /// Whether the agent may serve customers of the channel.
    pub fn serves_channel(&self, channel: ChannelId) -> bool {
        is_served(&self.channels, channel)
    }
}
