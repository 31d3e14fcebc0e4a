//! Changes: the writes that a decision consists of, one enum per subject.

use std::sync::Arc;

use crate::agents::division::Division;
use crate::app::AppCode;
use crate::audit::entry::AuditEntry;
use crate::channels::channel::Channel;
use crate::channels::channel_message::{ChannelMessage, PartState};
use crate::channels::direct_send::DirectSend;
use crate::channels::identity::Identity;
use crate::channels::provider_health::ProviderHealth;
use crate::files::stored_file::StoredFile;
use crate::ids::{
    AgentId, AppId, CannedReplyId, ChannelId, DeliveryId, DivisionId, EndpointId, EventId,
    MessageId, NoteId, PropertyId, RoomId, SignInId, TagId, UserKey,
};
use crate::json_text::JsonText;
use crate::key_step::KeyStep;
use crate::messages::message::PostedMessage;
use crate::messages::room_event::RoomEvent;
use crate::people::device::Device;
use crate::people::user::{User, UserId};
use crate::rooms::room::Room;
use crate::support::annotations::note::Note;
use crate::support::annotations::tag::StoredTag;
use crate::support::assignment::tally::Tally;
use crate::support::automation::auto_reply::AutoReplies;
use crate::support::automation::canned_reply::CannedReply;
use crate::support::conversations::customer_room::{AgentRecord, CustomerRoom};
use crate::support::conversations::index_state::IndexState;
use crate::support::conversations::trail::TrailEntry;
use crate::support::settings::Settings;
use crate::time::Timestamp;
use crate::webhooks::delivery::{Attempt, Delivery, Lane, Progress};
use crate::webhooks::endpoint::{Endpoint, EndpointFailures};
use crate::webhooks::event::{CustomerProperty, Info, Tag};

/// A write to the stored state. No `Debug`: it may hold keys.
#[derive(Clone)]
pub enum Change {
    Message(MessageChange),
    Room(RoomChange),
    User(UserChange),
    Agent(AgentChange),
    Service(SupportChange),
    Channel(ChannelChange),
    Webhook(WebhookChange),
    File(FileChange),
    Search(SearchChange),
    App(AppChange),
    /// A new entry of the audit log.
    Audit(Box<AuditEntry>),
    /// Deletes the audit entries of all apps before this time.
    PurgeAuditLog {
        before: Timestamp,
    },
}

impl Change {
    /// Whether the change may affect the schedule of the delivery engine: a new or replayed
    /// delivery, or a changed endpoint.
    pub fn wakes_delivery(&self) -> bool {
        use WebhookChange::{InsertDelivery, PutEndpoint, RemoveEndpoint, Replay, SetPaused};
        let Self::Webhook(change) = self else { return false };
        matches!(
            change,
            InsertDelivery(_)
                | PutEndpoint(_)
                | RemoveEndpoint { .. }
                | Replay { .. }
                | SetPaused { .. }
        )
    }

    /// Whether the change affects a cached [`App`]: the app's row, its endpoints, or a setting that
    /// [`App`] contains.
    ///
    /// [`App`]: crate::app::App
    pub fn changes_app(&self) -> bool {
        use WebhookChange::{PutEndpoint, RemoveEndpoint, SetHealth};
        match self {
            Self::App(_) => true,
            Self::Service(SupportChange::SetSetting { name, .. }) => {
                name == Settings::SHOWS_SENDER_EXTRAS
            }
            Self::Webhook(change) => {
                matches!(change, PutEndpoint(_) | RemoveEndpoint { .. } | SetHealth { .. })
            }
            _ => false,
        }
    }
}

/// A change of messages, or a stored event about messages.
#[derive(Clone)]
pub enum MessageChange {
    /// Appends a message to its room.
    Insert { posted: Arc<PostedMessage>, room: Arc<Room> },
    /// Stores an event about earlier messages, such as an edit, for the room's participants.
    InsertEvent(RoomEvent),
    /// Deletes the message events of all apps up to an id. The messages are retained.
    PurgeEvents {
        /// First event that is retained.
        before: EventId,
    },
    /// Removes a message's content and hides it from lists (D-0020).
    Delete { room: RoomId, number: u64, id: MessageId },
    /// Hides a message from one user.
    Hide { room: RoomId, user: UserKey, number: u64 },
}

/// A change of rooms and their participants.
#[derive(Clone)]
pub enum RoomChange {
    /// Stores a new room.
    Insert(Room),
    /// Replaces a stored room.
    Update(Room),
    /// Adds a user to a room.
    AddParticipant {
        room: RoomId,
        user: UserKey,
        /// Initial read position. Messages up to it do not count as unread.
        read_number: u64,
        at: Timestamp,
    },
    /// Removes a user from a room.
    RemoveParticipant { room: RoomId, user: UserKey },
}

/// A change of users, their devices, blocks or presence. No `Debug`: it holds tokens.
#[derive(Clone)]
pub enum UserChange {
    /// Stores a new user.
    Insert(NewUser),
    /// Replaces a user's profile.
    Update {
        user: User,
        /// Hash of a new password; `None` keeps the old one.
        password_hash: Option<String>,
    },
    /// Replaces the user's token. The old one stops working.
    SetToken { user: UserKey, token: String },
    /// Stores whether a user is online on one node.
    SetPresence {
        user: UserKey,
        is_online: bool,
        /// Start of the connection, or time when the user was last seen.
        at: Timestamp,
        /// Number of the node to which the user is or was connected.
        node: i64,
    },
    /// Marks all users offline that are stored as connected to this node.
    EndPresences { node: i64 },
    /// Stores a nonce that can be used once before it expires.
    AddNonce { nonce: String, until: Timestamp },
    /// Deletes a used nonce.
    UseNonce { nonce: String },
    /// Registers a device for pushes to a user, and removes it from other users of the app.
    PutDevice { user: UserKey, device: Device, at: Timestamp },
    /// Removes a device from a user.
    RemoveDevice { user: UserKey, token: String },
    /// Removes all devices of a user.
    RemoveDevices { user: UserKey },
    /// Blocks another user on behalf of a user.
    Block { user: UserKey, blocked: UserKey, at: Timestamp },
    /// Ends a user's block of another user.
    Unblock { user: UserKey, blocked: UserKey },
    /// Deletes the nonces of all apps that expired before this time.
    PurgeNonces { before: Timestamp },
    /// Erases a customer: their name, search words, visitor secret, identities, devices and
    /// properties.
    Erase {
        /// The customer as stored before the erasure.
        user: User,
    },
}

/// A user to be stored, with their credentials.
#[derive(Clone)]
pub struct NewUser {
    pub user: User,
    /// The token for the user's client connections.
    pub token: String,
    /// Hash of the user's password, if one is set.
    pub password_hash: Option<String>,
}

/// A change of agents, their sign-ins or divisions. No `Debug`: it holds hashes.
#[derive(Clone)]
pub enum AgentChange {
    /// Stores an agent, new or changed.
    Put(Box<AgentRecord>),
    /// Replaces the hash of an agent's password.
    SetPassword { user: AgentId, hash: String },
    /// Stores a sign-in.
    AddSignIn {
        /// Hash of the sign-in's token.
        hash: String,
        user: AgentId,
        /// Time when the sign-in expires.
        until: Timestamp,
        id: SignInId,
        at: Timestamp,
        /// Name of the browser or client for display.
        browser: Option<String>,
        /// IP address from which the agent signed in.
        address: Option<Arc<str>>,
    },
    /// Stores the time of a sign-in's last use.
    RecordSignInUse { hash: String, at: Timestamp },
    /// Stores a code that signs an agent in once.
    AddSignInCode {
        /// Hash of the code.
        hash: String,
        user: AgentId,
        /// Time when the code expires.
        until: Timestamp,
    },
    /// Ends a sign-in.
    EndSignIn {
        user: AgentId,
        /// Hash of the sign-in's token.
        hash: String,
    },
    /// Ends all sign-ins of an agent and deletes their sign-in codes.
    EndSignIns { user: AgentId },
    /// Sets the language of an agent's dashboard; `None` selects the browser's language.
    SetLanguage { user: AgentId, language: Option<String> },
    /// Replaces the dashboard preferences of an agent.
    SetPreferences { user: AgentId, preferences: JsonText },
    /// Deletes the language and the dashboard preferences of an agent.
    RemovePageSettings { user: AgentId },
    /// Deletes a sign-in code.
    EndSignInCode {
        /// Hash of the code.
        hash: String,
    },
    /// Stores a division, new or changed.
    PutDivision(Division),
    /// Deletes a division. Its agents are no longer in it.
    RemoveDivision { division: DivisionId },
    /// Replaces the divisions of an agent.
    SetDivisions { user: AgentId, divisions: Vec<DivisionId> },
}

/// A change of customer support: sessions, assignments, tags, notes, settings and so on.
#[derive(Clone)]
pub enum SupportChange {
    /// Stores a customer's room, new or changed, with its newest session.
    PutCustomerRoom(Box<CustomerRoom>),
    /// Assigns an agent to a room.
    AddAgent { room: RoomId, agent: AgentId, at: Timestamp },
    /// Removes an agent from a room.
    RemoveAgent {
        room: RoomId,
        agent: AgentId,
        /// Newest message of the room at the end of the assignment; 0 if there is none.
        until_message: MessageId,
    },
    /// Adds an entry to the history of a customer's room.
    AddTrail(TrailEntry),
    /// Adds counts to the analytics (D-0140).
    Tally(Tally),
    /// Sets a setting of the app; `None` removes it.
    SetSetting { name: String, value: Option<String> },
    /// Sets the automatic replies of a channel, or of the app if `channel` is `None`. Fields of
    /// `auto_replies` that are `None` keep their value.
    PutAutoReplies { channel: Option<ChannelId>, auto_replies: AutoReplies },
    /// Stores the label of a custom button, new or changed. Its URL is stored with the endpoint.
    PutButton {
        /// Id of the button, which is also the id of its endpoint.
        button: EndpointId,
        label: String,
    },
    /// Deletes a custom button.
    RemoveButton { button: EndpointId },
    /// Stores a canned reply, new or changed.
    PutCannedReply(Box<CannedReply>),
    /// Deletes a canned reply.
    RemoveCannedReply { reply: CannedReplyId },
    /// Deletes all canned replies of one agent.
    RemoveCannedRepliesOf { owner: AgentId },
    /// Stores a note on a conversation, new or changed.
    PutNote { note: Box<Note>, is_new: bool },
    /// Deletes a note.
    RemoveNote { room: RoomId, note: NoteId },
    /// Adds a tag to a room, and to the app's tags if it is new.
    AddTag { room: RoomId, tag: Tag },
    /// Removes a tag from a room.
    RemoveTag { room: RoomId, tag: TagId },
    /// Removes a customer info, a key with a value, from a room.
    RemoveInfo { room: RoomId, key: String },
    /// Stores a customer info, a key with a value, in a room.
    PutInfo { room: RoomId, info: Info },
    /// Raises the position up to which an agent has seen a room's messages to this number, and
    /// removes the agent's unread mark.
    See { room: RoomId, agent: AgentId, number: u64 },
    /// Marks a room as unread for an agent. `number` is the number of the room's newest message.
    Unsee { room: RoomId, agent: AgentId, number: u64 },
    /// Stores a property of a customer. All rooms of the customer show it.
    PutProperty { customer: UserKey, property: CustomerProperty },
    /// Deletes a property of a customer.
    RemoveProperty { customer: UserKey, property: PropertyId },
    /// Changes the name and the color of a tag of the app, and so on all rooms that have it.
    ChangeTag(StoredTag),
    /// Deletes a tag of the app. Rooms with the tag get the tag `into` instead, if one is given.
    RemoveTagOfApp { tag: TagId, into: Option<TagId> },
    /// Deletes the infos, notes, resolution notes and channel data of a customer's room, and the
    /// states and provider ids of its messages.
    EraseRoom { room: RoomId },
}

impl SupportChange {
    /// Returns the room whose row in the agents' inboxes changes with this write, if there is one.
    pub fn room_in_inboxes(&self) -> Option<RoomId> {
        match self {
            Self::PutCustomerRoom(it) => Some(it.room),
            Self::AddAgent { room, .. }
            | Self::RemoveAgent { room, .. }
            | Self::AddTag { room, .. }
            | Self::RemoveTag { room, .. }
            | Self::EraseRoom { room } => Some(*room),
            _ => None,
        }
    }
}

/// A change of channels, their accounts, or the messages sent through them. No `Debug`: it holds
/// keys.
#[derive(Clone)]
pub enum ChannelChange {
    /// Stores a channel, new or changed.
    Put(Channel),
    /// Replaces the secret with which a visitor of the widget proves their identity.
    SetVisitorSecret {
        channel: ChannelId,
        user: UserId,
        /// Hash of the secret.
        hash: String,
    },
    /// Sets a setting of a channel's account at its provider; `None` removes it.
    SetAccountSetting { channel: ChannelId, name: String, value: Option<String> },
    /// Sets a secret of a channel's account at its provider; `None` removes it.
    SetAccountSecret { channel: ChannelId, name: String, value: Option<String> },
    /// Deletes all secrets of a channel's account.
    DeleteSecrets { channel: ChannelId },
    /// Replaces the health of a channel.
    SetHealth { channel: ChannelId, health: ProviderHealth },
    /// Stores the position up to which a channel's events were polled from its provider.
    SetCursor { channel: ChannelId, cursor: i64 },
    /// Links a provider's id of a customer to the user that represents the customer.
    Identify { channel: ChannelId, identity: Identity, customer: UserKey, at: Timestamp },
    /// Links a provider's id of a message to the message.
    AddMessage(ChannelMessage),
    /// Stores the initial state of one part of a message that waits to be sent to a customer.
    AddState(PartState),
    /// Advances the state of one part of a message to a customer. A less advanced state is ignored.
    SetState {
        state: PartState,
        /// Whether the part was sent again after a failure. Without it, a failed part keeps its
        /// state.
        is_again: bool,
    },
    /// Advances the state of a message that an app sent through a channel outside of rooms.
    SetDirectSend(DirectSend),
    /// Deletes the states of direct sends that are older than this time, of all apps.
    PurgeDirectSends { before: Timestamp },
}

/// A change of endpoints and deliveries.
#[derive(Clone)]
pub enum WebhookChange {
    /// Stores an endpoint, new or changed. An app has one per kind and name.
    PutEndpoint(Endpoint),
    /// Deletes an endpoint. Its unfinished deliveries are abandoned.
    RemoveEndpoint { endpoint: EndpointId },
    /// Pauses or resumes the deliveries of an endpoint.
    SetPaused { endpoint: EndpointId, is_paused: bool },
    /// Stores the failures of an endpoint, and whether it is enabled.
    SetHealth {
        endpoint: EndpointId,
        /// The current series of failures; `None` if the endpoint is not failing.
        failing: Option<EndpointFailures>,
        /// Whether new deliveries are created for the endpoint.
        is_enabled: bool,
    },
    /// Stores a new delivery in its lane.
    InsertDelivery(Delivery),
    /// Stores an attempt and the resulting progress of its delivery.
    RecordAttempt {
        delivery: DeliveryId,
        /// Lane of the delivery, needed to find its row.
        lane: Lane,
        attempt: Attempt,
        progress: Progress,
    },
    /// Restarts the retry schedule of a delivery.
    Replay {
        delivery: DeliveryId,
        /// Lane of the delivery, needed to find its row.
        lane: Lane,
        /// Start of the new retry schedule, which is also the time of its first attempt.
        at: Timestamp,
        /// New id of the replay. Later replays have greater ids.
        mark: i64,
    },
}

/// A change of an app's name or keys. No `Debug`: it holds keys.
#[derive(Clone)]
pub enum AppChange {
    /// Changes the display name of the app.
    Rename { name: String },
    /// Takes a step of a key change, if the state of the keys still allows it.
    TakeKeyStep {
        /// Code of the app whose keys change. The stored keys are encrypted for this code.
        code: AppCode,
        step: KeyStep,
        now: Timestamp,
    },
}

/// A change of the metadata of uploaded files, or of upload totals.
#[derive(Clone)]
pub enum FileChange {
    /// Stores a file's metadata, unless the app already has the file, and removes its mark as
    /// possibly unreferenced.
    Add(StoredFile),
    /// Adds the size of an upload to the app's total and to the user's total of the day.
    CountUpload {
        app: AppId,
        user: UserKey,
        /// Day of the upload, in days since 1970.
        day: i64,
        bytes: u64,
    },
    /// Deletes the users' daily upload totals of earlier days, in all apps.
    PurgeUploads {
        /// First day whose totals are retained, in days since 1970.
        before_day: i64,
    },
    /// Marks a stored file of the app as possibly unreferenced.
    Doubt { app: AppId, hash: String },
    /// Removes the mark of a possibly unreferenced file, because a reference was found.
    Trust { app: AppId, hash: String },
    /// Records the message up to which a search found no reference to the file.
    MarkChecked { app: AppId, hash: String, up_to: MessageId },
    /// Deletes an unreferenced file's metadata and subtracts its size from the app's total. Keeps a
    /// file that was uploaded again since it was marked.
    Remove { app: AppId, hash: String, size: u64 },
}

/// A change of the search index (D-0145).
#[derive(Clone)]
pub enum SearchChange {
    /// Indexes a message of a customer's room, unless it is deleted or indexed already.
    AddMessage { room: RoomId, message: MessageId, words: String },
    /// Indexes a customer, unless they are indexed already.
    AddContact { contact: UserKey, app: AppId, words: String },
    /// Stores the progress of the search index, unless another node has leased the index.
    SetState { state: IndexState, now: Timestamp },
}

impl From<SearchChange> for Change {
    fn from(change: SearchChange) -> Self {
        Self::Search(change)
    }
}

impl From<MessageChange> for Change {
    fn from(change: MessageChange) -> Self {
        Self::Message(change)
    }
}

impl From<RoomChange> for Change {
    fn from(change: RoomChange) -> Self {
        Self::Room(change)
    }
}

impl From<UserChange> for Change {
    fn from(change: UserChange) -> Self {
        Self::User(change)
    }
}

impl From<AgentChange> for Change {
    fn from(change: AgentChange) -> Self {
        Self::Agent(change)
    }
}

impl From<SupportChange> for Change {
    fn from(change: SupportChange) -> Self {
        Self::Service(change)
    }
}

impl From<ChannelChange> for Change {
    fn from(change: ChannelChange) -> Self {
        Self::Channel(change)
    }
}

impl From<WebhookChange> for Change {
    fn from(change: WebhookChange) -> Self {
        Self::Webhook(change)
    }
}

impl From<AppChange> for Change {
    fn from(change: AppChange) -> Self {
        Self::App(change)
    }
}

impl From<FileChange> for Change {
    fn from(change: FileChange) -> Self {
        Self::File(change)
    }
}
