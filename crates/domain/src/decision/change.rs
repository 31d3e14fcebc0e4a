//! What is written: one enum, one variant per subject.

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
use crate::webhooks::endpoint::{Endpoint, Failing};
use crate::webhooks::event::{CustomerProperty, Info, Tag};

/// One change of the stored state. No `Debug`: it may hold keys.
#[derive(Clone)]
pub enum Change {
    /// What is said.
    Message(MessageChange),
    /// Rooms, and who is in them.
    Room(RoomChange),
    /// Users, and what they keep.
    User(UserChange),
    /// Who works in the app.
    Agent(AgentChange),
    /// How customers are served.
    Service(SupportChange),
    /// Where customers write from.
    Channel(ChannelChange),
    /// Where the app is told of what happens, and what is on its way there.
    Webhook(WebhookChange),
    /// What was uploaded.
    File(FileChange),
    /// What search goes by.
    Search(SearchChange),
    /// The app itself.
    App(AppChange),
    /// Somebody changed something.
    Audit(Box<AuditEntry>),
    /// What was changed before this time is known no more, of all apps.
    ForgetAudit { before: Timestamp },
}

impl Change {
    /// Whether there is something to deliver now, or endpoints are others.
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

/// A change of what is said in rooms.
#[derive(Clone)]
pub enum MessageChange {
    /// A new message at the end of its room.
    Insert {
        /// The message and who says it.
        said: Arc<PostedMessage>,
        room: Arc<Room>,
    },
    /// Something else happened to messages, which those in the room are shown.
    InsertEvent(RoomEvent),
    /// What happened to messages before this id, in all apps, is forgotten.
    ForgetEvents {
        /// The first that stays.
        before: EventId,
    },
    /// The message loses its content and is listed no more (D-0020).
    Delete {
        /// Where it is.
        room: RoomId,
        /// Its number there.
        number: u64,
        /// The message.
        id: MessageId,
    },
    /// A user is not shown a message any more; everybody else is (D-0096).
    Hide { room: RoomId, user: UserKey, number: u64 },
}

/// A change of rooms, and of who is in them.
#[derive(Clone)]
pub enum RoomChange {
    /// A new room.
    Insert(Room),
    /// A changed room.
    Update(Room),
    /// A user comes into a room.
    AddParticipant {
        /// The room.
        room: RoomId,
        user: UserKey,
        /// What was said before is not unread for them (D-0019).
        read_number: u64,
        at: Timestamp,
    },
    /// A user leaves a room.
    RemoveParticipant {
        /// The room.
        room: RoomId,
        user: UserKey,
    },
}

/// A change of users, and of what they keep: devices, blocks, presence. No `Debug`: tokens.
#[derive(Clone)]
pub enum UserChange {
    /// A new user.
    Insert(NewUser),
    /// A changed profile.
    Update {
        /// The user as it shall be.
        user: User,
        /// A new password's hash, when it changes.
        password_hash: Option<String>,
    },
    /// The user's old token stops working.
    SetToken {
        user: UserKey,
        /// The new one.
        token: String,
    },
    /// Whether a user is there, as this node sees it.
    SetPresence {
        user: UserKey,
        /// Whether they are.
        is_online: bool,
        /// Since when, or when they were last seen.
        at: Timestamp,
        /// Who says so.
        node: i64,
    },
    /// Nobody is connected to this node.
    EndPresences { node: i64 },
    /// A nonce that may be used once.
    AddNonce { nonce: String, until: Timestamp },
    /// It was used.
    UseNonce { nonce: String },
    /// Pushes go to this device, and no more to anybody else of the app whose it was.
    PutDevice { user: UserKey, device: Device, at: Timestamp },
    /// They do not any more.
    RemoveDevice { user: UserKey, token: String },
    /// Pushes go to none of the user's devices any more.
    RemoveDevices { user: UserKey },
    /// A user does not want to hear from another one.
    Block { user: UserKey, blocked: UserKey, at: Timestamp },
    /// They do again.
    Unblock { user: UserKey, blocked: UserKey },
    /// Nonces that ended before this time are gone, of all apps.
    ForgetNonces { before: Timestamp },
    /// Nobody is known by this customer's name any more, and nothing about them (D-0146).
    Erase {
        /// As they were.
        user: User,
    },
}

/// A user who does not exist yet.
#[derive(Clone)]
pub struct NewUser {
    /// The profile.
    pub user: User,
    /// The token they connect with.
    pub token: String,
    /// The hash of their password, when they have one.
    pub password_hash: Option<String>,
}

/// A change of who works in the app. No `Debug`: hashes.
#[derive(Clone)]
pub enum AgentChange {
    /// An agent as it shall be; it may be new.
    Put(Box<AgentRecord>),
    /// A password's new hash.
    SetPassword { user: AgentId, hash: String },
    /// Somebody signs in.
    AddSignIn {
        /// The hash of the token.
        hash: String,
        user: AgentId,
        /// Until when it is good.
        until: Timestamp,
        id: SignInId,
        at: Timestamp,
        /// What was signed in with, as people call it.
        browser: Option<String>,
        /// From where.
        address: Option<Arc<str>>,
    },
    /// A token was used.
    RecordSignInUse { hash: String, at: Timestamp },
    /// A code signs somebody in once.
    AddSignInCode {
        /// The hash of the code.
        hash: String,
        user: AgentId,
        /// Until when it is good.
        until: Timestamp,
    },
    /// A token is good no more.
    EndSignIn {
        user: AgentId,
        /// The hash of the token.
        hash: String,
    },
    /// No token of theirs is good any more, and no code.
    EndSignIns { user: AgentId },
    /// Which language somebody's pages speak; the browser's if nothing.
    SetLanguage { user: AgentId, language: Option<String> },
    /// What somebody's pages keep for themselves.
    SetPreferences { user: AgentId, preferences: JsonText },
    /// Their pages keep nothing any more.
    RemovePageSettings { user: AgentId },
    /// A code is good no more.
    EndSignInCode {
        /// The hash of the code.
        hash: String,
    },
    /// A division as it shall be; it may be new.
    PutDivision(Division),
    /// A division is there no more, and nobody is in it.
    RemoveDivision { division: DivisionId },
    /// An agent is in these divisions and no others.
    SetDivisions { user: AgentId, divisions: Vec<DivisionId> },
}

/// A change of how customers are served.
#[derive(Clone)]
pub enum SupportChange {
    /// A customer's room as it shall be, with its newest session.
    PutCustomerRoom(Box<CustomerRoom>),
    /// An agent serves a room.
    AddAgent {
        /// The room.
        room: RoomId,
        agent: AgentId,
        at: Timestamp,
    },
    /// An agent does not serve a room any more.
    RemoveAgent {
        /// The room.
        room: RoomId,
        agent: AgentId,
        /// The last message while they were there; 0 without any.
        until_message: MessageId,
    },
    /// Something that happened to a customer's room.
    AddTrail(TrailEntry),
    /// So many more of what the office achieved (D-0140).
    Tally(Tally),
    /// A setting of the app, or none.
    SetSetting { name: String, value: Option<String> },
    /// What is said by itself, in one channel or by the app; what is nothing stays.
    PutAutoReplies { channel: Option<ChannelId>, auto_replies: AutoReplies },
    /// A custom button's label; the button may be new. Where it leads is an endpoint's matter.
    PutButton {
        /// Which: also the integer of its endpoint.
        button: EndpointId,
        /// What stands on it.
        label: String,
    },
    /// A custom button is there no more.
    RemoveButton { button: EndpointId },
    /// A canned reply as it shall be; it may be new.
    PutCannedReply(Box<CannedReply>),
    /// A canned reply is there no more.
    RemoveCannedReply { reply: CannedReplyId },
    /// Nor is any of somebody's own.
    RemoveCannedRepliesOf { owner: AgentId },
    /// A note beside a conversation as it shall read.
    PutNote { note: Box<Note>, is_new: bool },
    /// A note is there no more.
    RemoveNote { room: RoomId, note: NoteId },
    /// A tag on a room; the tag may be new in the app.
    AddTag {
        /// The room.
        room: RoomId,
        tag: Tag,
    },
    /// A tag is taken off a room.
    RemoveTag {
        /// The room.
        room: RoomId,
        tag: TagId,
    },
    /// Something is not known any more about a customer in a room.
    RemoveInfo { room: RoomId, key: String },
    /// Something known about the customer in a room.
    PutInfo {
        /// The room.
        room: RoomId,
        info: Info,
    },
    /// One of those who work in the app has seen everything up to this message of a room.
    See { room: RoomId, agent: AgentId, number: u64 },
    /// One of them calls a room unread, which has messages up to this one.
    Unsee { room: RoomId, agent: AgentId, number: u64 },
    /// Something known about a customer in every room.
    PutProperty { customer: UserKey, property: CustomerProperty },
    /// Something is not known any more about a customer in every room.
    RemoveProperty { customer: UserKey, property: PropertyId },
    /// A tag of the app is called so, on all rooms too, and has this colour.
    ChangeTag(StoredTag),
    /// A tag of the app is there no more; rooms that had it have the other one, if there is one.
    RemoveTagOfApp { tag: TagId, into: Option<TagId> },
    /// Infos, notes and what the channel kept of a customer's room are gone (D-0146).
    EraseRoom { room: RoomId },
}

impl SupportChange {
    /// The room that looks different in inboxes once this is written.
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

/// A change of where customers write from. No `Debug`: keys.
#[derive(Clone)]
pub enum ChannelChange {
    /// A channel as it shall be; it may be new.
    Put(Channel),
    /// What a visitor of the widget shows from now on.
    SetVisitorSecret {
        /// Through which channel they come.
        channel: ChannelId,
        user: UserId,
        /// The hash of their secret.
        hash: String,
    },
    /// A setting of a channel's account at its service, or none.
    SetAccountSetting { channel: ChannelId, name: String, value: Option<String> },
    /// A secret of it, or none.
    SetAccountSecret { channel: ChannelId, name: String, value: Option<String> },
    /// Nothing of the account is kept that opens it.
    ForgetSecrets { channel: ChannelId },
    /// How a channel is.
    SetHealth { channel: ChannelId, health: ProviderHealth },
    /// Up to where a channel's service was asked for what happened.
    SetCursor { channel: ChannelId, cursor: i64 },
    /// A service knows a customer by this id.
    Identify { channel: ChannelId, identity: Identity, customer: UserKey, at: Timestamp },
    /// A service knows a message by this name.
    AddMessage(ChannelMessage),
    /// Something said to a customer waits to be sent.
    AddState(PartState),
    /// How far something said to a customer is, if that is news.
    SetState {
        state: PartState,
        /// What failed was sent again.
        is_again: bool,
    },
    /// How far something is that was sent beside all rooms, if that is news.
    SetDirectSend(DirectSend),
    /// What was sent so before this time is known no more, of all channels.
    ForgetDirectSends { before: Timestamp },
}

/// A change of where the app is told of what happens, and of what is on its way there.
#[derive(Clone)]
pub enum WebhookChange {
    /// An endpoint as it shall be; it may be new. An app has one for each kind and name.
    PutEndpoint(Endpoint),
    /// An endpoint is there no more. What waits for it is given up.
    RemoveEndpoint { endpoint: EndpointId },
    /// Deliveries of the endpoint wait, or go on.
    SetPaused {
        endpoint: EndpointId,
        /// Whether they wait.
        is_paused: bool,
    },
    /// The endpoint answers, does not answer, or gets nothing any more.
    SetHealth {
        endpoint: EndpointId,
        /// Since when it fails.
        failing: Option<Failing>,
        /// Whether deliveries are made for it.
        is_enabled: bool,
    },
    /// A notice for an endpoint, next in its lane.
    InsertDelivery(Delivery),
    /// An attempt was made, and this is how far the delivery is now.
    RecordAttempt {
        delivery: DeliveryId,
        /// Its lane, which leads to it.
        lane: Lane,
        /// What happened.
        attempt: Attempt,
        /// How far it is.
        progress: Progress,
    },
    /// The delivery is sent again, from the beginning of its plan.
    Replay {
        delivery: DeliveryId,
        /// Its lane, which leads to it.
        lane: Lane,
        /// When it was asked for.
        at: Timestamp,
        /// A new id: what is asked for later has a greater one.
        mark: i64,
    },
}

/// A change of the app itself. No `Debug`: keys.
#[derive(Clone)]
pub enum AppChange {
    /// It has this name for people.
    Rename { name: String },
    /// A step of a change of its keys, if it may still be taken (D-0029).
    TakeKeyStep {
        /// What keys are sealed for.
        code: AppCode,
        step: KeyStep,
        now: Timestamp,
    },
}

/// A change of what was uploaded.
#[derive(Clone)]
pub enum FileChange {
    /// A file is there; it may have been before.
    Add(StoredFile),
    /// What an app has, and what a user added on a day, is so much more (D-0079).
    CountUpload {
        /// In this app.
        app: AppId,
        user: UserKey,
        /// On which day, counted from 1970.
        day: i64,
        /// So much.
        bytes: u64,
    },
    /// What users added on days before this one is counted no more, in all apps.
    ForgetUploads {
        /// The day, counted from 1970.
        before_day: i64,
    },
    /// A file of the app, if there is one, may be named by nothing any more (D-0146).
    Doubt { app: AppId, hash: String },
    /// It is named: it stays.
    Trust { app: AppId, hash: String },
    /// No message up to this one names it.
    LookOn { app: AppId, hash: String, up_to: MessageId },
    /// It is gone, unless it came again meanwhile; the app has so many bytes less.
    Remove { app: AppId, hash: String, size: u64 },
}

/// A change of what search goes by (D-0145).
#[derive(Clone)]
pub enum SearchChange {
    /// A message in a customer's room is found by these words, unless it is deleted or was there.
    AddMessage { room: RoomId, message: MessageId, words: String },
    /// A customer is found by these words, unless they were there.
    AddContact { contact: UserKey, app: AppId, words: String },
    /// How far the index is, unless somebody else writes it.
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
