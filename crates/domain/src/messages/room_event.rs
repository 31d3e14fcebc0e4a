//! What those in a room are shown: a message is an event by itself; everything else that happens to
//! messages (edited, deleted, read) is an event beside them (D-0041).

use std::sync::Arc;

use crate::ids::{EventId, MessageId, RoomId};
use crate::json_text::JsonText;
use crate::messages::message::PostedMessage;
use crate::messages::unique_id::UniqueId;
use crate::people::user::User;
use crate::rooms::room::Room;

/// Something that happened in a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomEvent {
    /// Its integer: a message's own, or one of the same row. Of one node it rises with time.
    pub id: EventId,
    pub room: RoomId,
    /// What happened.
    pub what: RoomEventKind,
}

impl RoomEvent {
    /// The bytes of what it shows: a message, and where it was said.
    pub fn content_bytes(&self) -> usize {
        match &self.what {
            RoomEventKind::PostedMessage { said, room } | RoomEventKind::Edited { said, room } => {
                said.message.content_bytes() + room.options.len()
            }
            RoomEventKind::Cleared { room, .. } => room.options.len(),
            RoomEventKind::Deleted { .. } | RoomEventKind::Received(_) | RoomEventKind::Read(_) => {
                0
            }
        }
    }

    /// Whether lists of conversations show something else of the room after it, if it is a
    /// customer's: they show what was said last.
    pub fn changes_row(&self) -> bool {
        match &self.what {
            RoomEventKind::PostedMessage { room, .. } | RoomEventKind::Edited { room, .. } => {
                room.customer.is_some()
            }
            // Of whom the room is, is not known.
            RoomEventKind::Deleted { .. } => true,
            RoomEventKind::Cleared { .. } | RoomEventKind::Received(_) | RoomEventKind::Read(_) => {
                false
            }
        }
    }

    /// The room as it was when it was decided, where that was known.
    pub fn room_then(&self) -> Option<&Arc<Room>> {
        match &self.what {
            RoomEventKind::PostedMessage { room, .. }
            | RoomEventKind::Edited { room, .. }
            | RoomEventKind::Cleared { room, .. } => Some(room),
            RoomEventKind::Deleted { .. } | RoomEventKind::Received(_) | RoomEventKind::Read(_) => {
                None
            }
        }
    }
}

/// What happened in a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoomEventKind {
    /// Somebody said something.
    PostedMessage {
        /// The message.
        said: Arc<PostedMessage>,
        /// The room, as it was then.
        room: Arc<Room>,
    },
    /// A message reads differently now.
    Edited {
        /// The message as it reads now.
        said: Arc<PostedMessage>,
        /// The room, as it was then.
        room: Arc<Room>,
    },
    /// Messages are gone.
    Deleted {
        /// Who deleted them.
        by: Arc<User>,
        messages: Vec<UniqueId>,
        /// Clients shall not even show that something was there.
        is_hard: bool,
    },
    /// Somebody cleared the room for themselves; nobody else is shown it.
    Cleared {
        by: Arc<User>,
        /// Up to which message.
        number: u64,
        /// The room, as it was then.
        room: Arc<Room>,
    },
    /// Everything up to a message reached somebody.
    Received(Receipt),
    /// Somebody read everything up to a message.
    Read(Receipt),
}

/// Up to where somebody received or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub by: Arc<User>,
    /// Up to which message.
    pub message: MessageId,
    pub unique_id: UniqueId,
    /// Its place in the room.
    pub number: u64,
}

/// What somebody does in a room, shown at once and kept nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EphemeralEvent {
    /// Somebody writes, or stopped writing.
    Typing {
        room: RoomId,
        by: Arc<User>,
        /// Whether they write now.
        is_typing: bool,
    },
    /// Whatever a client wants others in the room to know.
    Custom {
        room: RoomId,
        by: Arc<User>,
        /// As the client sent it.
        data: JsonText,
    },
}
