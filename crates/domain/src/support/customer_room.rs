//! A customer's room: whom it serves, since when, and who serves it.

use std::sync::Arc;

use crate::agents::role::Role;
use crate::channels::channel::Channel;
use crate::ids::{AgentId, AppId, ChannelId, RoomId, UserKey};
use crate::json_text::JsonText;
use crate::people::user::{User, UserId};
use crate::time::Timestamp;
use crate::webhooks::event::{AgentProfile, ChannelSummary, CustomerProperty, Info, Session, Tag};

/// What a room is to its customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerRoom {
    /// The room.
    pub room: RoomId,
    /// The app it belongs to.
    pub app: AppId,
    /// Where the customer writes from.
    pub channel: ChannelId,
    /// Whom it serves.
    pub customer: UserKey,
    /// The newest session; nothing before the customer's first message.
    pub session: Option<Session>,
    /// Since when the customer waits for somebody; nothing while nobody needs to come.
    pub waits_since: Option<Timestamp>,
    /// A bot answers: the app's was on at the customer's last message, and nobody took the room
    /// from it.
    pub is_handled_by_bot: bool,
    /// Whether the bot receives the customer's messages (D-0201).
    pub bot_duty: BotDuty,
    /// The brand by whose path the customer came into the widget, in lower case (D-0001).
    pub brand: Option<String>,
    /// What the channel keeps about the customer's room.
    pub extras: Option<JsonText>,
    /// A picture that marks the room in lists.
    pub badge_url: Option<String>,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Whether a bot receives the customer's messages of a session (D-0089, D-0201). A new session
/// starts with `Always`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BotDuty {
    /// No agent took the session from the bot.
    Always,
    /// An agent joined: the bot receives messages again while no agent serves the session.
    WhileUnserved,
    /// The bot was switched off by hand in this session. It stays off until it is switched on.
    SwitchedOff,
}

impl BotDuty {
    /// The duty after an agent joined.
    pub(crate) fn after_join(self) -> Self {
        match self {
            Self::Always | Self::WhileUnserved => Self::WhileUnserved,
            Self::SwitchedOff => Self::SwitchedOff,
        }
    }
}

impl CustomerRoom {
    /// Where the customer writes from, as outsiders are shown it: the widget goes by the brand that
    /// they came by, else by the first one.
    pub fn shown_channel(&self, channel: &Channel, first_brand: &str) -> ChannelSummary {
        channel.shown(self.brand.as_deref().unwrap_or(first_brand))
    }

    /// Whether the newest session is resolved.
    pub fn is_resolved(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.resolved_at.is_some())
    }

    /// Who resolved the newest session.
    pub fn resolved_by(&self) -> Option<AgentId> {
        self.session.as_ref().and_then(|session| session.resolved_by)
    }

    /// Whether somebody waits here: the session is open, and no agent serves it.
    pub fn is_unserved(&self) -> bool {
        self.waits_since.is_some()
    }

    /// Whether there is a session that is not resolved.
    pub fn is_open(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.resolved_at.is_none())
    }
}

/// Everything that a rule may want to know of a customer's room. No `Debug`: it holds keys.
#[derive(Clone)]
pub struct SupportFacts {
    /// What the room is to its customer.
    pub customer_room: CustomerRoom,
    /// Where the customer writes from.
    pub channel: Channel,
    /// Whom the room serves.
    pub customer: Arc<User>,
    /// Who serves, the first who came first.
    pub agents: Vec<AgentProfile>,
    /// The last session in which somebody served.
    pub last_served: Option<Session>,
    /// Who is in the room, the first of them.
    pub participants: Vec<UserId>,
    /// The same with all that is known of them, if that was asked for.
    pub people: Vec<Arc<User>>,
    /// What is known about the customer in this room.
    pub infos: Vec<Info>,
    /// What is known about the customer in every room.
    pub properties: Vec<CustomerProperty>,
    /// The tags of the room.
    pub tags: Vec<Tag>,
}

/// A session as it is taken elsewhere, with whose it is.
#[derive(Debug, Clone)]
pub struct ExportedSession {
    pub session: Session,
    /// Where the customer wrote from.
    pub channel: ChannelId,
    pub customer: UserId,
    /// Their name for people.
    pub customer_name: String,
}

/// An agent who could take a customer. No `Debug`: it holds a key.
#[derive(Clone)]
pub struct Candidate {
    pub profile: AgentProfile,
    /// How many customers they serve now.
    pub serves: u32,
    /// How many they serve at most, if they have a number of their own.
    pub serves_max: Option<u32>,
    /// The only channels they serve; all if there are none.
    pub channels: Vec<ChannelId>,
}

impl Candidate {
    /// Whether they may serve customers of the channel.
    pub fn serves_channel(&self, channel: ChannelId) -> bool {
        is_served(&self.channels, channel)
    }

    /// Whether they are there to take customers.
    pub fn takes_customers(&self) -> bool {
        self.profile.user.role == Role::Agent && self.profile.is_there()
    }

    /// Whether they may take one more.
    pub fn has_room(&self, default_max: u32) -> bool {
        self.serves < self.serves_max.unwrap_or(default_max)
    }
}

fn is_served(channels: &[ChannelId], channel: ChannelId) -> bool {
    channels.is_empty() || channels.contains(&channel)
}

/// An agent with all that is kept, but for the password. No `Debug`: it holds a key.
#[derive(Clone)]
pub struct AgentRecord {
    pub profile: AgentProfile,
    /// The user that speaks for them.
    pub speaker: UserKey,
    /// How many customers they serve at most, if they have a number of their own.
    pub serves_max: Option<u32>,
    /// The only channels they serve; all if there are none.
    pub channels: Vec<ChannelId>,
    /// Since when they are away.
    pub away_since: Option<Timestamp>,
    /// When the account was deleted.
    pub deleted_at: Option<Timestamp>,
}

impl AgentRecord {
    /// Whether they may serve customers of the channel.
    pub fn serves_channel(&self, channel: ChannelId) -> bool {
        is_served(&self.channels, channel)
    }
}
