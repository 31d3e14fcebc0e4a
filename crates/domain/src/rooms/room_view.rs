//! A room as one of its clients sees it.

use std::sync::Arc;

use crate::ids::{MessageId, UserKey};
use crate::messages::message::{Message, PostedMessage};
use crate::people::user::User;
use crate::rooms::room::Room;

/// A room as one of its clients sees it.
#[derive(Debug, Clone)]
pub struct RoomForClient {
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
    pub last: Option<Arc<PostedMessage>>,
}

impl RoomForClient {
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

/// Somebody in a room, and how far they are.
#[derive(Debug, Clone)]
pub struct Participant {
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
