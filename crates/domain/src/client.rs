//! What clients see of rooms, and what they keep about themselves: devices, blocks, files.

use std::sync::Arc;

use crate::decision::Change;
use crate::ids::{AppId, MessageId, UserKey};
use crate::messages::message::{Message, Said};
use crate::people::user::User;
use crate::rooms::room::Room;
use crate::time::Timestamp;

/// A room as one of its clients sees it.
#[derive(Debug, Clone)]
pub struct SeenRoom {
    /// The room.
    pub room: Room,
    /// Whether who looks is in it.
    pub is_in: bool,
    /// How much they have not read.
    pub unread: u64,
    /// What they cleared: nothing up to this number is shown to them.
    pub cleared_number: u64,
    /// How many are in it.
    pub participants_total: u64,
    /// The first of them, in the order they were registered.
    pub participants: Vec<Participant>,
    /// The newest message that is shown.
    pub last: Option<Arc<Said>>,
}

/// Somebody in a room, and how far they are.
#[derive(Debug, Clone)]
pub struct Participant {
    /// Who.
    pub user: User,
    /// Up to where they read.
    pub read: Mark,
    /// Up to where they received.
    pub received: Mark,
}

/// A message that somebody got to, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// Its number; 0 is none.
    pub number: u64,
    /// Its id; 0 is none.
    pub id: i64,
}

/// How far a message got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It is stored.
    Sent,
    /// It reached everybody else in the room.
    Delivered,
    /// Everybody else in the room read it.
    Read,
}

impl SeenRoom {
    /// How far a message of the room got. Of a room with more participants than are shown, nothing
    /// is said.
    pub fn reach(&self, message: &Message) -> Reach {
        let others = || self.participants.iter().filter(|it| it.user.key != message.sender);
        let is_known = self.participants.len() as u64 == self.participants_total;
        if !is_known || others().next().is_none() {
            return Reach::Sent;
        }
        if others().all(|it| it.read.number >= message.number) {
            return Reach::Read;
        }
        let got = |it: &Participant| it.received.number.max(it.read.number);
        if others().all(|it| got(it) >= message.number) { Reach::Delivered } else { Reach::Sent }
    }

    /// The other one of a single room.
    pub fn other_than(&self, viewer: UserKey) -> Option<&User> {
        self.participants.iter().map(|it| &it.user).find(|user| user.key != viewer)
    }

    /// The newest message that is shown.
    pub fn last_id(&self) -> MessageId {
        self.last.as_ref().map_or(MessageId(0), |said| said.message.id)
    }
}

/// Where pushes go.
#[derive(Clone)]
pub struct Device {
    /// What the maker of the device knows it by.
    pub token: String,
    /// Such as `ios` or `android`.
    pub platform: String,
    /// Whether the client is one that is being developed.
    pub is_development: bool,
}

/// A file that was uploaded. The bytes are kept by their hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// SHA-256, in hex.
    pub hash: String,
    /// In this app.
    pub app: AppId,
    /// As it was first called.
    pub name: String,
    /// As it was first served.
    pub media_type: String,
    /// Bytes.
    pub size: u64,
    /// Who first uploaded it.
    pub uploaded_by: UserKey,
    /// When.
    pub created_at: Timestamp,
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

impl From<ClientChange> for Change {
    fn from(change: ClientChange) -> Self {
        Self::Client(change)
    }
}
