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
use crate::support::auto_reply::AutoReplies;
use crate::support::canned_reply::CannedReply;
use crate::support::customer_room::{AgentRecord, CustomerRoom};
use crate::support::index_state::IndexState;
use crate::support::note::Note;
use crate::support::settings::Settings;
use crate::support::tag::StoredTag;
use crate::support::tally::Tally;
use crate::support::trail::TrailEntry;
use crate::time::Timestamp;
use crate::webhooks::delivery::{Attempt, Delivery, Lane, Progress};
use crate::webhooks::endpoint::{Endpoint, EndpointFailures};
use crate::webhooks::event::{CustomerProperty, Info, Tag};

/// A write to the stored state. No `Debug`: it may hold keys.
#[derive(Clone)]
pub enum Change {
    /// A change of messages.
    Message(MessageChange),
    /// A change of rooms and their participants.
    Room(RoomChange),
    /// A change of users, their devices, blocks or presence.
    User(UserChange),
    /// A change of agents, their sign-ins or divisions.
    Agent(AgentChange),
    /// A change of customer support: sessions, tags, notes, settings and so on.
    Service(SupportChange),
    /// A change of channels and the messages on their way through them.
    Channel(ChannelChange),
    /// A change of endpoints and deliveries.
    Webhook(WebhookChange),
    /// A change of uploaded files.
    File(FileChange),
    /// A change of the search index.
    Search(SearchChange),
    /// A change of the app itself.
    App(AppChange),
    /// A new entry of the audit log.
    Audit(Box<AuditEntry>),
    /// Deletes the audit entries of all apps before this time.
    PurgeAuditLog { before: Timestamp },
}

impl Change {
    /// Whether the delivery engine must check for deliveries to start or for changed endpoints.
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

    /// Whether the change affects a cached [`App`]: its row, its endpoints, or a setting that it
    /// holds.
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

/// A change of messages.
#[derive(Clone)]
pub enum MessageChange {
    /// Appends a message to its room.
    Insert { posted: Arc<PostedMessage>, room: Arc<Room> },
    /// Stores an event about existing messages that the room's participants are shown, such as an
    /// edit.
    InsertEvent(RoomEvent),
    /// Deletes the message events of all apps with smaller ids. The messages stay.
    PurgeEvents {
        /// First event that stays.
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
        /// Initial read position: earlier messages do not count as unread.
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
    SetToken {
        user: UserKey,
        /// The new token.
        token: String,
    },
    /// Stores whether a user is online, as seen by one node.
    SetPresence {
        user: UserKey,
        is_online: bool,
        /// Start of the connection, or time when the user was last seen.
        at: Timestamp,
        /// Number of the node.
        node: i64,
    },
    /// Marks all users offline that are connected to this node.
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
    /// Lets a user block another one.
    Block { user: UserKey, blocked: UserKey, at: Timestamp },
    /// Lets a user unblock another one.
    Unblock { user: UserKey, blocked: UserKey },
    /// Deletes the nonces of all apps that expired before this time.
    PurgeNonces { before: Timestamp },
    /// Erases a customer: their name, search words, visitor secret, identities, devices and
    /// properties.
    Erase {
        /// The user's current values.
        user: User,
    },
}

/// A user to be stored, with their credentials.
#[derive(Clone)]
pub struct NewUser {
    pub user: User,
    /// The token of their client connections.
    pub token: String,
    /// Hash of their password, if they have one.
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
        /// Hash of the token.
        hash: String,
        user: AgentId,
        /// Expiry time.
        until: Timestamp,
        id: SignInId,
        at: Timestamp,
        /// Name of the browser or client for display.
        browser: Option<String>,
        /// IP address of the client.
        address: Option<Arc<str>>,
    },
    /// Records the last use of a sign-in.
    RecordSignInUse { hash: String, at: Timestamp },
    /// Stores a code that signs an agent in once.
    AddSignInCode {
        /// Hash of the code.
        hash: String,
        user: AgentId,
        /// Expiry time.
        until: Timestamp,
    },
    /// Ends a sign-in.
    EndSignIn {
        user: AgentId,
        /// Hash of the token.
        hash: String,
    },
    /// Ends all sign-ins of an agent and deletes their sign-in codes.
    EndSignIns { user: AgentId },
    /// Sets the language of an agent's dashboard; `None` means the browser's.
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
        /// Newest message during the assignment; 0 if there is none.
        until_message: MessageId,
    },
    /// Adds an entry to the history of a customer's room.
    AddTrail(TrailEntry),
    /// Adds counts to the analytics (D-0140).
    Tally(Tally),
    /// Sets a setting of the app; `None` removes it.
    SetSetting { name: String, value: Option<String> },
    /// Sets the automatic replies of a channel, or of the app without one. Fields that are `None`
    /// keep their value.
    PutAutoReplies { channel: Option<ChannelId>, auto_replies: AutoReplies },
    /// Stores the label of a custom button, new or changed. Its URL is stored with the endpoint.
    PutButton {
        /// Id of the button and of its endpoint.
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
    /// Adds a tag to a room. The tag may be new in the app.
    AddTag { room: RoomId, tag: Tag },
    /// Removes a tag from a room.
    RemoveTag { room: RoomId, tag: TagId },
    /// Removes an info about the customer from a room.
    RemoveInfo { room: RoomId, key: String },
    /// Stores an info about the customer in a room.
    PutInfo { room: RoomId, info: Info },
    /// Raises an agent's seen mark in a room to this message number, and ends its unread mark.
    See { room: RoomId, agent: AgentId, number: u64 },
    /// Marks a room unread for an agent. `number` is the room's newest message.
    Unsee { room: RoomId, agent: AgentId, number: u64 },
    /// Stores a property of a customer, which all their rooms show.
    PutProperty { customer: UserKey, property: CustomerProperty },
    /// Deletes a property of a customer.
    RemoveProperty { customer: UserKey, property: PropertyId },
    /// Changes the name and the color of a tag, on all rooms too.
    ChangeTag(StoredTag),
    /// Deletes a tag of the app. Its rooms get the tag `into` instead, if one is given.
    RemoveTagOfApp { tag: TagId, into: Option<TagId> },
    /// Deletes the infos, notes, resolution notes and channel data of a customer's room, and the
    /// states and provider ids of its messages.
    EraseRoom { room: RoomId },
}

impl SupportChange {
    /// Returns the room whose row in inboxes changes with this write.
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

/// A change of channels and the messages on their way through them. No `Debug`: it holds keys.
#[derive(Clone)]
pub enum ChannelChange {
    /// Stores a channel, new or changed.
    Put(Channel),
    /// Replaces the secret that a visitor of the widget must show.
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
    /// Stores the position up to which a channel's provider was polled.
    SetCursor { channel: ChannelId, cursor: i64 },
    /// Links a provider's id of a customer to the user.
    Identify { channel: ChannelId, identity: Identity, customer: UserKey, at: Timestamp },
    /// Links a provider's id of a message to the message.
    AddMessage(ChannelMessage),
    /// Stores the state of one part of a message that waits to be sent to a customer.
    AddState(PartState),
    /// Advances the state of one part of a message to a customer. An older state is ignored.
    SetState {
        state: PartState,
        /// Whether the part was sent again after a failure. A failed part can advance only then.
        is_again: bool,
    },
    /// Advances the state of a message that an app sent through a channel outside of rooms.
    SetDirectSend(DirectSend),
    /// Deletes the states of direct sends from before this time, of all channels.
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
    /// Stores whether an endpoint fails, and whether it is enabled.
    SetHealth {
        endpoint: EndpointId,
        /// Start of the current failures, if there are any.
        failing: Option<EndpointFailures>,
        /// Whether new deliveries are created for it.
        is_enabled: bool,
    },
    /// Stores a delivery, next in its lane.
    InsertDelivery(Delivery),
    /// Stores an attempt and the resulting progress of its delivery.
    RecordAttempt {
        delivery: DeliveryId,
        /// Lane of the delivery, by which it is stored.
        lane: Lane,
        attempt: Attempt,
        /// Progress of the delivery after the attempt.
        progress: Progress,
    },
    /// Restarts the retry schedule of a delivery.
    Replay {
        delivery: DeliveryId,
        /// Lane of the delivery, by which it is stored.
        lane: Lane,
        /// Time of the request.
        at: Timestamp,
        /// New id. A later request has a greater one.
        mark: i64,
    },
}

/// A change of the app itself. No `Debug`: it holds keys.
#[derive(Clone)]
pub enum AppChange {
    /// Changes the display name of the app.
    Rename { name: String },
    /// Takes a step of a key change, if the state of the keys still allows it.
    TakeKeyStep {
        /// Code of the app, for which the keys are sealed.
        code: AppCode,
        step: KeyStep,
        now: Timestamp,
    },
}

/// A change of uploaded files.
#[derive(Clone)]
pub enum FileChange {
    /// Stores a file, unless it is stored already, and clears its mark as unreferenced.
    Add(StoredFile),
    /// Adds to the bytes of the app and to those of the user on one day.
    CountUpload {
        app: AppId,
        user: UserKey,
        /// Day of the upload, in days since 1970.
        day: i64,
        bytes: u64,
    },
    /// Deletes the counts of users for earlier days, in all apps.
    PurgeUploads {
        /// First day that stays, in days since 1970.
        before_day: i64,
    },
    /// Marks a stored file of the app as possibly unreferenced.
    Doubt { app: AppId, hash: String },
    /// Clears the mark of a file that is still referenced, so that it is not deleted.
    Trust { app: AppId, hash: String },
    /// Records that no message up to this one references the file.
    MarkChecked { app: AppId, hash: String, up_to: MessageId },
    /// Deletes a file and subtracts its size from the app's bytes. A file that was uploaded again
    /// in between stays.
    Remove { app: AppId, hash: String, size: u64 },
}

/// A change of the search index (D-0145).
#[derive(Clone)]
pub enum SearchChange {
    /// Indexes a message of a customer's room, unless it is deleted or indexed already.
    AddMessage { room: RoomId, message: MessageId, words: String },
    /// Indexes a customer, unless they are indexed already.
    AddContact { contact: UserKey, app: AppId, words: String },
    /// Stores the progress of the index, unless another node holds it.
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
