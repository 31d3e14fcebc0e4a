//! Room events, as the participants of a room see them. A posted message is an event itself; edits,
//! deletions and receipts are events about earlier messages (D-0041).

use std::sync::Arc;

use crate::ids::{EventId, MessageId, RoomId};
use crate::json_text::JsonText;
use crate::messages::message::PostedMessage;
use crate::messages::unique_id::UniqueId;
use crate::people::user::User;
use crate::rooms::room::Room;

/// An event in a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomEvent {
    /// Integer id. The event of a posted message has the message's id; other events have ids from
    /// the same sequence. Ids created by one node increase with time.
    pub id: EventId,
    pub room: RoomId,
    pub what: RoomEventKind,
}

impl RoomEvent {
    /// Returns the size of the shown content in bytes: the message and the room's options.
    pub fn content_bytes(&self) -> usize {
        match &self.what {
            RoomEventKind::Posted { posted, room } | RoomEventKind::Edited { posted, room } => {
                posted.message.content_bytes() + room.options.len()
            }
            RoomEventKind::Cleared { room, .. } => room.options.len(),
            RoomEventKind::Deleted { .. } | RoomEventKind::Received(_) | RoomEventKind::Read(_) => {
                0
            }
        }
    }

    /// Whether the event may change the room's row in lists of conversations, which show the newest
    /// message of customers' rooms.
    pub fn changes_row(&self) -> bool {
        match &self.what {
            RoomEventKind::Posted { room, .. } | RoomEventKind::Edited { room, .. } => {
                room.customer.is_some()
            }
            // The event does not contain the room, which may be a customer's.
            RoomEventKind::Deleted { .. } => true,
            RoomEventKind::Cleared { .. } | RoomEventKind::Received(_) | RoomEventKind::Read(_) => {
                false
            }
        }
    }

    /// Returns the room at the time of the event, if the event contains it.
    pub fn room_then(&self) -> Option<&Arc<Room>> {
        match &self.what {
            RoomEventKind::Posted { room, .. }
            | RoomEventKind::Edited { room, .. }
            | RoomEventKind::Cleared { room, .. } => Some(room),
            RoomEventKind::Deleted { .. } | RoomEventKind::Received(_) | RoomEventKind::Read(_) => {
                None
            }
        }
    }
}

/// The kind of a room event, with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoomEventKind {
    /// A message was posted.
    Posted {
        posted: Arc<PostedMessage>,
        /// The room when the message was posted.
        room: Arc<Room>,
    },
    /// A message was edited.
    Edited {
        /// The message with its new content.
        posted: Arc<PostedMessage>,
        /// The room when the message was edited.
        room: Arc<Room>,
    },
    /// Messages were deleted.
    Deleted {
        /// The user who deleted the messages.
        by: Arc<User>,
        messages: Vec<UniqueId>,
        /// Whether clients must remove the messages completely, without a placeholder.
        is_hard: bool,
    },
    /// A user cleared the room for themselves. Only the user's own clients receive the event.
    Cleared {
        by: Arc<User>,
        /// Number of the newest cleared message.
        number: u64,
        /// The room when it was cleared.
        room: Arc<Room>,
    },
    /// A user received all messages up to a position.
    Received(Receipt),
    /// A user read all messages up to a position.
    Read(Receipt),
}

/// The position up to which a user received or read a room's messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub by: Arc<User>,
    /// Id of the newest message that the receipt covers.
    pub message: MessageId,
    pub unique_id: UniqueId,
    /// Number of the newest message that the receipt covers.
    pub number: u64,
}

/// An event that connected clients see immediately and that is not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EphemeralEvent {
    /// A user started or stopped typing.
    Typing {
        room: RoomId,
        by: Arc<User>,
        /// Whether the user is typing now.
        is_typing: bool,
    },
    /// An event that the app defines, sent by a client.
    Custom {
        room: RoomId,
        by: Arc<User>,
        /// Content as the client sent it.
        data: JsonText,
    },
}
