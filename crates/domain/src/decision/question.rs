//! What a rule wants to know, all within one app.

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

/// What a rule wants to know, all within one app.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// These rooms, locked until the decision is written.
    pub rooms: Vec<RoomRef>,
    /// Whoever has one of these names, in whichever realm: the rule says who is meant (D-0065).
    pub users: Vec<UserId>,
    /// Also which of the users are participants of the rooms.
    pub finds_members: bool,
    /// Also up to where each of those participants is.
    pub finds_participations: bool,
    /// The users, too, are locked until the decision is written, because it may change them.
    pub locks_users: bool,
    /// These messages.
    pub messages: Vec<MessageRef>,
    /// Also how many participants the rooms have.
    pub counts_participants: bool,
    /// The app's endpoints for these kinds of notices, with how far this lane is.
    pub endpoints: Option<(Lane, Vec<EventKind>)>,
    /// Also the phones of the rooms' participants and of the users, to push to.
    pub finds_devices: bool,
    /// Also the endpoints that hear every message, how far the lanes of the rooms are for them, and
    /// who is in the rooms (D-0105).
    pub wants_chat_messages: bool,
    /// What is asked of the omnichannel half.
    pub omni: Option<OmniQuestion>,
}

/// Which dashboard users count as candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateScope {
    /// Agents who are available.
    Available,
    /// All agents.
    Agents,
    /// All agents, then admins and supervisors.
    Staff,
}

/// What a rule wants to know of the omnichannel half of an app.
#[derive(Debug, Clone, Default)]
pub struct OmniQuestion {
    /// The right that the decision rests on; nobody else changes its owner meanwhile.
    pub by: Option<Right>,
    /// What the rooms are to their customers.
    pub finds_support: bool,
    /// Also what is said in the rooms by itself.
    pub finds_auto_replies: bool,
    /// The app's settings.
    pub finds_settings: bool,
    /// Nobody else changes them meanwhile.
    pub locks_settings: bool,
    /// The app itself, as it is now; nobody else changes it meanwhile.
    pub finds_app: bool,
    /// Also the users that speak for the agents found, candidates among them: somebody who comes
    /// into a room is pushed what is said from then on.
    pub finds_speakers: bool,
    /// Also everybody who is in the rooms, with all that is known of them.
    pub finds_people: bool,
    /// All channels of the app; nobody else makes or changes one meanwhile.
    pub finds_channels: bool,
    /// All divisions of the app; nobody else makes or changes one meanwhile.
    pub finds_divisions: bool,
    /// The canned replies that this agent sees, or the app itself; nobody else changes one
    /// meanwhile.
    pub canned_replies_of: Option<Option<AgentId>>,
    /// Dashboard users that could take a customer.
    pub candidates: Option<CandidateScope>,
    /// Nobody else assigns agents of the app by itself until the decision is written.
    pub locks_allocation: bool,
    /// These agents.
    pub agents: Vec<AgentId>,
    /// These agents with all that is kept; nobody else changes them meanwhile.
    pub accounts: Vec<AgentId>,
    /// How many admins the app has; nobody else deletes or demotes one meanwhile.
    pub counts_admins: bool,
    /// Who signs in with this address, in whichever app, and how many work in this one.
    pub email: Option<EmailAddress>,
    /// These channels.
    pub channels: Vec<ChannelId>,
    /// How this channel of a service is; nobody else changes that meanwhile.
    pub health_of: Option<ChannelId>,
    /// Whether a service's message was received before; nobody else receives it meanwhile.
    pub external_message: Option<ExternalRef>,
    /// When the customer of this room was last heard through a service, and whether people who
    /// answer there are marked as such.
    pub last_heard_in: Option<RoomId>,
    /// The newest room of this customer of a channel; nobody else opens one meanwhile.
    pub customer: Option<(ChannelId, UserId)>,
    /// Also the hash of their secret, which they came through the widget with (D-0070).
    pub finds_visitor_secret: bool,
    /// Whether this nonce is good.
    pub nonce: Option<String>,
    /// Whether this file may be kept; nobody else adds one to the app meanwhile.
    pub upload: Option<UploadQuestion>,
    /// These tags of the app; nobody else changes one meanwhile.
    pub tags: Option<TagQuestion>,
    /// How many notes this room has, and one of them. The room must be locked.
    pub notes_of: Option<(RoomId, NoteRef)>,
    /// What is known about this customer in every room; nobody else changes it meanwhile.
    pub properties_of: Option<UserKey>,
    /// What the audit compares with.
    pub before: Option<BeforeQuestion>,
}

/// What is about to be changed, as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeforeQuestion {
    /// What is said by itself, in the app and in its channels.
    AutoReplies,
    Button(EndpointId),
    CannedReply(CannedReplyId),
    DivisionsOf(AgentId),
}
