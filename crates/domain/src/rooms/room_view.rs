//! A room from the point of view of one client.

use std::sync::Arc;

use crate::ids::{MessageId, UserKey};
use crate::messages::message::{Message, PostedMessage};
use crate::people::user::User;
use crate::rooms::room::Room;

/// A room as one of its clients sees it.
#[derive(Debug, Clone)]
pub struct RoomForClient {
    pub room: Room,
    /// Whether the viewing user is a participant.
    pub is_in: bool,
    /// Number of messages that the viewing user has not read.
    pub unread: u64,
    /// Number of the newest message that the viewing user cleared. The message and older ones are
    /// hidden.
    pub cleared_number: u64,
    /// Total number of participants.
    pub participants_total: u64,
    /// The participants who registered first, in the order of their registration; in large rooms
    /// not all.
    pub participants: Vec<Participant>,
    /// The newest message that the viewing user may see.
    pub last: Option<Arc<PostedMessage>>,
}

impl RoomForClient {
    /// Returns how far a message has reached the other participants. Always `Sent` if not all
    /// participants of the room are loaded.
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

    /// Returns the participant of a single room who is not `viewer`.
    pub fn other_than(&self, viewer: UserKey) -> Option<&User> {
        self.participants.iter().map(|it| &it.user).find(|user| user.key != viewer)
    }

    /// Returns the id of the newest message that the viewing user may see; 0 if there is none.
    pub fn last_id(&self) -> MessageId {
        self.last.as_ref().map_or(MessageId(0), |posted| posted.message.id)
    }
}

/// A participant of a room, with their positions.
#[derive(Debug, Clone)]
pub struct Participant {
    pub user: User,
    /// Newest message that the participant read.
    pub read: Mark,
    /// Newest message that the participant received.
    pub received: Mark,
}

/// The newest message that a participant read or received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// Number of the message; 0 if there is none.
    pub number: u64,
    /// Id of the message; 0 if there is none.
    pub id: i64,
}

/// Delivery state of a message to the other participants of its room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The message is stored.
    Sent,
    /// All other participants received the message.
    Delivered,
    /// All other participants read the message.
    Read,
}
