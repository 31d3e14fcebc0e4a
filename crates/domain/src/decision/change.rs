//! What is written: one change of the stored state each.

use std::sync::Arc;

use crate::channels::channel::Channel;
use crate::files::stored_file::StoredFile;
use crate::ids::{
    AppId, ChannelId, DashboardUserId, DeliveryId, EndpointId, EventId, MessageId, RoomId, TagId,
    UserKey,
};
use crate::messages::message::Said;
use crate::messages::room_event::Event;
use crate::people::device::Device;
use crate::people::user::{User, UserId};
use crate::rooms::room::Room;
use crate::service::customer_room::{CustomerRoom, WorkingUser};
use crate::time::Timestamp;
use crate::webhooks::delivery::{Attempt, Delivery, Lane, Progress};
use crate::webhooks::endpoint::{Endpoint, Failing};
use crate::webhooks::notice::{CustomerProperty, Info, Tag};

/// One change of the stored state.
#[derive(Clone)]
pub enum Change {
    /// A new message at the end of its room.
    InsertMessage {
        /// The message and who says it.
        said: Arc<Said>,
        /// Where.
        room: Arc<Room>,
    },
    /// Something else happened to messages, which those in the room are shown.
    InsertEvent(Event),
    /// What happened to messages before this id, in all apps, is forgotten.
    ForgetEvents {
        /// The first that stays.
        before: EventId,
    },
    /// The message loses its content and is listed no more (D-0020).
    DeleteMessage {
        /// Where it is.
        room: RoomId,
        /// Its number there.
        number: u64,
        /// The message.
        id: MessageId,
    },
    /// A new user.
    InsertUser(NewUser),
    /// A changed profile.
    UpdateUser {
        /// The user as it shall be.
        user: User,
        /// A new password's hash, when it changes.
        password_hash: Option<String>,
    },
    /// The user's old token stops working.
    SetToken {
        /// Whose.
        user: UserKey,
        /// The new one.
        token: String,
    },
    /// A new room.
    InsertRoom(Room),
    /// A changed room.
    UpdateRoom(Room),
    /// A user comes into a room.
    AddParticipant {
        /// The room.
        room: RoomId,
        /// Who.
        user: UserKey,
        /// What was said before is not unread for them (D-0019).
        read_number: u64,
        /// When.
        at: Timestamp,
    },
    /// A user leaves a room.
    RemoveParticipant {
        /// The room.
        room: RoomId,
        /// Who.
        user: UserKey,
    },
    /// An endpoint as it shall be; it may be new. An app has one for each kind and name.
    PutEndpoint(Endpoint),
    /// Deliveries of the endpoint wait, or go on.
    SetPaused {
        /// Which.
        endpoint: EndpointId,
        /// Whether they wait.
        is_paused: bool,
    },
    /// The endpoint answers, does not answer, or gets nothing any more.
    SetHealth {
        /// Which.
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
        /// Which.
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
        /// Which.
        delivery: DeliveryId,
        /// Its lane, which leads to it.
        lane: Lane,
        /// When it was asked for.
        at: Timestamp,
        /// A new id: what is asked for later has a greater one.
        mark: i64,
    },
    /// Something that a client keeps about itself.
    Client(ClientChange),
    /// Whether a user is there, as this node sees it.
    SetPresence {
        /// Who.
        user: UserKey,
        /// Whether they are.
        is_online: bool,
        /// Since when, or when they were last seen.
        at: Timestamp,
        /// Who says so.
        node: i64,
    },
    /// Nobody is connected to this node.
    EndPresences {
        /// Which.
        node: i64,
    },
    /// Something of the omnichannel half.
    Omni(OmniChange),
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

/// A change of the omnichannel half. No `Debug`: it may hold keys.
#[derive(Clone)]
pub enum OmniChange {
    /// A customer's room as it shall be, with its newest session.
    PutCustomerRoom(CustomerRoom),
    /// An agent serves a room.
    AddAgent {
        /// The room.
        room: RoomId,
        /// Who.
        agent: DashboardUserId,
        /// Since when.
        at: Timestamp,
    },
    /// An agent does not serve a room any more.
    RemoveAgent {
        /// The room.
        room: RoomId,
        /// Who.
        agent: DashboardUserId,
    },
    /// A dashboard user as it shall be; it may be new.
    PutDashboardUser(WorkingUser),
    /// A password's new hash.
    SetPassword {
        /// Whose.
        user: DashboardUserId,
        /// The hash.
        hash: String,
    },
    /// Somebody signs in.
    AddSignIn {
        /// The hash of the token.
        hash: String,
        /// Who.
        user: DashboardUserId,
        /// Until when it is good.
        until: Timestamp,
    },
    /// A token is good no more.
    EndSignIn {
        /// The hash of the token.
        hash: String,
    },
    /// No token of theirs is good any more.
    EndSignIns {
        /// Whose.
        user: DashboardUserId,
    },
    /// A channel as it shall be; it may be new.
    PutChannel(Channel),
    /// A setting of the app, or none.
    SetSetting {
        /// Its name.
        name: String,
        /// Its value.
        value: Option<String>,
    },
    /// A custom button's label; the button may be new. Where it leads is an endpoint's matter.
    PutButton {
        /// Which: also the integer of its endpoint.
        button: EndpointId,
        /// What stands on it.
        label: String,
    },
    /// A custom button is there no more.
    RemoveButton {
        /// Which.
        button: EndpointId,
    },
    /// A tag on a room; the tag may be new in the app.
    AddTag {
        /// The room.
        room: RoomId,
        /// The tag.
        tag: Tag,
    },
    /// A tag is taken off a room.
    RemoveTag {
        /// The room.
        room: RoomId,
        /// Which.
        tag: TagId,
    },
    /// Something known about the customer in a room.
    PutInfo {
        /// The room.
        room: RoomId,
        /// What.
        info: Info,
    },
    /// Something known about a customer in every room.
    PutProperty {
        /// Whom.
        customer: UserKey,
        /// What.
        property: CustomerProperty,
    },
    /// What a visitor of the widget shows from now on.
    SetVisitorSecret {
        /// Through which channel they come.
        channel: ChannelId,
        /// Who.
        user: UserId,
        /// The hash of their secret.
        hash: String,
    },
    /// A nonce that may be used once.
    AddNonce {
        /// The nonce.
        nonce: String,
        /// Until when.
        until: Timestamp,
    },
    /// It was used.
    UseNonce {
        /// The nonce.
        nonce: String,
    },
}

/// A change of what clients keep. No `Debug`: tokens of devices.
#[derive(Clone)]
pub enum ClientChange {
    /// Pushes go to this device, and no more to anybody else of the app whose it was.
    PutDevice {
        /// Whose.
        user: UserKey,
        /// Which.
        device: Device,
        /// Since when.
        at: Timestamp,
    },
    /// They do not any more.
    RemoveDevice {
        /// Whose.
        user: UserKey,
        /// Which.
        token: String,
    },
    /// Pushes go to none of the user's devices any more.
    RemoveDevices {
        /// Whose.
        user: UserKey,
    },
    /// A user does not want to hear from another one.
    Block {
        /// Who.
        user: UserKey,
        /// From whom.
        blocked: UserKey,
        /// Since when.
        at: Timestamp,
    },
    /// They do again.
    Unblock {
        /// Who.
        user: UserKey,
        /// From whom.
        blocked: UserKey,
    },
    /// A file is there; it may have been before.
    AddFile(StoredFile),
    /// What an app has, and what a user added on a day, is so much more (D-0079).
    CountUpload {
        /// In this app.
        app: AppId,
        /// Who.
        user: UserKey,
        /// On which day, counted from 1970.
        day: i64,
        /// So much.
        bytes: u64,
    },
    /// Nonces that ended before this time are gone, and what users added on days before this one.
    ForgetLapsed {
        /// The time.
        nonces: Timestamp,
        /// The day, counted from 1970.
        day: i64,
    },
}

impl From<OmniChange> for Change {
    fn from(change: OmniChange) -> Self {
        Self::Omni(change)
    }
}

impl From<ClientChange> for Change {
    fn from(change: ClientChange) -> Self {
        Self::Client(change)
    }
}
