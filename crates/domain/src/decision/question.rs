//! Questions: descriptions of the facts that a rule needs.

use crate::agents::account::EmailAddress;
use crate::agents::right::Right;
use crate::channels::channel_message::ExternalRef;
use crate::files::upload_facts::UploadQuestion;
use crate::ids::{AgentId, CannedReplyId, ChannelId, EndpointId, RoomId, UserKey};
use crate::messages::message::MessageRef;
use crate::people::user::UserId;
use crate::rooms::room::RoomRef;
use crate::support::annotations::note::NoteRef;
use crate::support::annotations::tag::TagQuestion;
use crate::webhooks::delivery::Lane;
use crate::webhooks::event_kind::EventKind;

/// The facts that a rule needs, all from one app. To lock a value means that no other decision
/// changes it until the rule's decision is written.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// Rooms to load and lock.
    pub rooms: Vec<RoomRef>,
    /// Names of users to load, in any realm. The rule then selects the user that a reference means
    /// (D-0065).
    pub users: Vec<UserId>,
    /// Whether to load which of the `users` are participants of the `rooms`.
    pub finds_members: bool,
    /// Whether to load the positions of those `users` who are participants of the `rooms`.
    pub finds_participations: bool,
    /// Whether to lock the `users`, because the decision may change them.
    pub locks_users: bool,
    /// Messages to load.
    pub messages: Vec<MessageRef>,
    /// Whether to count the participants of the `rooms`.
    pub counts_participants: bool,
    /// Kinds whose endpoints are loaded, and a lane in which the last sequence number of each
    /// endpoint is loaded.
    pub endpoints: Option<(Lane, Vec<EventKind>)>,
    /// Whether to load the devices of the `users` and of the participants of the `rooms`, for
    /// pushes.
    pub finds_devices: bool,
    /// Whether to load the endpoints that receive every message, their last sequence numbers in the
    /// lanes of the `rooms`, and the participants of the `rooms`.
    pub wants_chat_messages: bool,
    /// Requested facts about customer support and agents.
    pub omni: Option<OmnichannelQuestion>,
}

/// The agents that may be assigned to a customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateScope {
    /// Available agents with the role `agent`.
    Available,
    /// All agents with the role `agent`.
    Agents,
    /// Agents of any role, those with the role `agent` first.
    Staff,
}

/// The facts about customer support and agents that a rule needs.
#[derive(Debug, Clone, Default)]
pub struct OmnichannelQuestion {
    /// The right that the decision requires. Locks the agent who holds it.
    pub by: Option<Right>,
    /// Whether to load the customer, channel, agents, tags and customer infos of each of the
    /// question's rooms.
    pub finds_support: bool,
    /// Whether to load the automatic replies that apply in the question's rooms.
    pub finds_auto_replies: bool,
    /// Whether to load the app's settings.
    pub finds_settings: bool,
    /// Whether to lock the settings.
    pub locks_settings: bool,
    /// Whether to load and lock the app's own row.
    pub finds_app: bool,
    /// Whether to load the users that post for the loaded agents and candidates. An agent who joins
    /// a room receives pushes for its later messages as this user.
    pub finds_speakers: bool,
    /// Whether to load the profiles of the users in the question's rooms.
    pub finds_people: bool,
    /// Whether to load and lock all channels of the app.
    pub finds_channels: bool,
    /// Whether to load and lock all divisions of the app.
    pub finds_divisions: bool,
    /// Agent whose canned replies, private and shared, are loaded and locked. `Some(None)` stands
    /// for the app itself.
    pub canned_replies_of: Option<Option<AgentId>>,
    /// Agents to load as candidates for an assignment.
    pub candidates: Option<CandidateScope>,
    /// Whether to lock automatic assignment of the app's agents.
    pub locks_allocation: bool,
    /// Agents to load.
    pub agents: Vec<AgentId>,
    /// Agents to load and lock, with their sign-ins and password hashes.
    pub accounts: Vec<AgentId>,
    /// Whether to count the app's admins and lock their number.
    pub counts_admins: bool,
    /// E-mail address of an agent to find in all apps. Also loads the number of the app's agents.
    pub email: Option<EmailAddress>,
    /// Channels to load.
    pub channels: Vec<ChannelId>,
    /// Provider channel whose health is loaded and locked.
    pub health_of: Option<ChannelId>,
    /// A provider's id of a message. Loads the message that is stored with the id, and locks the
    /// id.
    pub external_message: Option<ExternalRef>,
    /// Customer's room for which the time of the customer's last message through a provider is
    /// loaded, and whether messages of agents get the human agent tag.
    pub last_heard_in: Option<RoomId>,
    /// Customer of a channel whose newest room is loaded. Locks the opening of another room for the
    /// customer.
    pub customer: Option<(ChannelId, UserId)>,
    /// Whether to load the hash of the `customer`'s visitor secret (D-0070).
    pub finds_visitor_secret: bool,
    /// Nonce whose expiry is loaded.
    pub nonce: Option<String>,
    /// Upload whose quotas are loaded. Locks the app's uploads.
    pub upload: Option<UploadQuestion>,
    /// Tags to load and lock.
    pub tags: Option<TagQuestion>,
    /// Room whose notes are counted, and a note to load. The room must also be in `rooms`, which
    /// locks it.
    pub notes_of: Option<(RoomId, NoteRef)>,
    /// Customer whose properties are loaded and locked.
    pub properties_of: Option<UserKey>,
    /// Value to load before the change, for the audit log.
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
