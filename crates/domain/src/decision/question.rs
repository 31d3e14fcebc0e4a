//! Questions: the facts that a rule needs.

use crate::agents::account::EmailAddress;
use crate::agents::right::Right;
use crate::channels::channel_message::ExternalRef;
use crate::files::upload_facts::UploadQuestion;
use crate::ids::{AgentId, CannedReplyId, ChannelId, EndpointId, RoomId, UserKey};
use crate::messages::message::MessageRef;
use crate::people::user::UserId;
use crate::rooms::room::RoomRef;
use crate::support::note::NoteRef;
use crate::support::tag::TagQuestion;
use crate::webhooks::delivery::Lane;
use crate::webhooks::event_kind::EventKind;

/// The facts that a rule needs, all from one app. "Locks" means that no other decision changes the
/// value until this one is written.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// Rooms to load and lock.
    pub rooms: Vec<RoomRef>,
    /// Users with these names, in any realm. The rule resolves which of them is meant (D-0065).
    pub users: Vec<UserId>,
    /// Whether to find out which of the users are participants of the rooms.
    pub finds_members: bool,
    /// Whether to load the positions of those participants.
    pub finds_participations: bool,
    /// Whether to lock the users too, because the decision may change them.
    pub locks_users: bool,
    /// Messages to load.
    pub messages: Vec<MessageRef>,
    /// Whether to count the participants of the rooms.
    pub counts_participants: bool,
    /// Kinds whose endpoints are loaded, and the lane whose last sequences are loaded with them.
    pub endpoints: Option<(Lane, Vec<EventKind>)>,
    /// Whether to load the devices of the rooms' participants and of the users, for pushes.
    pub finds_devices: bool,
    /// Whether to load the endpoints that receive every message, the last sequences of the rooms'
    /// lanes for them, and the people in the rooms.
    pub wants_chat_messages: bool,
    /// Facts about customer support.
    pub omni: Option<OmnichannelQuestion>,
}

/// The agents that count as candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateScope {
    /// Available agents.
    Available,
    /// All agents.
    Agents,
    /// All agents, then admins and supervisors.
    Staff,
}

/// The facts about customer support and staff that a rule needs.
#[derive(Debug, Clone, Default)]
pub struct OmnichannelQuestion {
    /// The right on which the decision rests. Locks its owner.
    pub by: Option<Right>,
    /// Whether to load the customer, channel, agents, tags and infos of each room.
    pub finds_support: bool,
    /// Whether to load the automatic replies that apply in the rooms.
    pub finds_auto_replies: bool,
    /// Whether to load the app's settings.
    pub finds_settings: bool,
    /// Whether to lock the settings.
    pub locks_settings: bool,
    /// Whether to load and lock the app.
    pub finds_app: bool,
    /// Whether to load the speakers of the loaded agents and candidates. Agents who join a room
    /// receive pushes for its later messages.
    pub finds_speakers: bool,
    /// Whether to load the users in the rooms with their profiles.
    pub finds_people: bool,
    /// Whether to load and lock all channels of the app.
    pub finds_channels: bool,
    /// Whether to load and lock all divisions of the app.
    pub finds_divisions: bool,
    /// Loads and locks the canned replies that this agent sees; `Some(None)` is the app itself.
    pub canned_replies_of: Option<Option<AgentId>>,
    /// Agents to load as candidates for a customer.
    pub candidates: Option<CandidateScope>,
    /// Whether to lock automatic assignment of the app's agents.
    pub locks_allocation: bool,
    /// Agents to load.
    pub agents: Vec<AgentId>,
    /// Agents to load and lock, with their sign-ins and password hashes.
    pub accounts: Vec<AgentId>,
    /// Whether to count the app's admins and lock their number.
    pub counts_admins: bool,
    /// E-mail address whose agent is looked up in all apps. Also counts the app's agents.
    pub email: Option<EmailAddress>,
    /// Channels to load.
    pub channels: Vec<ChannelId>,
    /// Provider channel whose health is loaded and locked.
    pub health_of: Option<ChannelId>,
    /// A provider's message id. Loads the message received with it before, and locks the id.
    pub external_message: Option<ExternalRef>,
    /// Customer's room. Loads the time of the customer's last message through a provider, and
    /// whether agents' messages get the human agent tag.
    pub last_heard_in: Option<RoomId>,
    /// Customer of a channel. Loads their newest room, and locks the opening of another one.
    pub customer: Option<(ChannelId, UserId)>,
    /// Whether to load the hash of the customer's visitor secret (D-0070).
    pub finds_visitor_secret: bool,
    /// Nonce whose expiry is loaded.
    pub nonce: Option<String>,
    /// File whose quota is checked. Locks the app's uploads.
    pub upload: Option<UploadQuestion>,
    /// Tags to load and lock.
    pub tags: Option<TagQuestion>,
    /// Room whose notes are counted, and one note to load. `rooms` must lock the room.
    pub notes_of: Option<(RoomId, NoteRef)>,
    /// Customer whose properties are loaded and locked.
    pub properties_of: Option<UserKey>,
    /// Value that the audit log compares with the new one.
    pub before: Option<BeforeQuestion>,
}

/// A value to load before it is changed, for the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeforeQuestion {
    /// Automatic replies of the app and of its channels.
    AutoReplies,
    Button(EndpointId),
    CannedReply(CannedReplyId),
    DivisionsOf(AgentId),
}
