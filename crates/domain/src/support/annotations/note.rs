//! Internal notes of agents on a conversation (design/support).

use crate::ids::{AgentId, NoteId, RoomId};
use crate::messages::unique_id::UniqueId;
use crate::time::Timestamp;

/// An internal note on a conversation. Customers, bots and webhooks never see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub id: NoteId,
    pub room: RoomId,
    pub text: String,
    /// Agent who wrote the note.
    pub by: AgentId,
    /// Name of the author.
    pub by_name: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Unique id that the author's client assigned, so that a repeated request creates no second
    /// note.
    pub unique_id: Option<UniqueId>,
}

/// A reference to the note that a rule creates, changes or deletes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteRef {
    /// An existing note, by its id.
    Id(NoteId),
    /// A note by the unique id that a client assigned. It exists already if the client repeats a
    /// request.
    UniqueId(UniqueId),
    /// A note that does not exist yet and has no unique id.
    New,
}

/// Facts about the notes of a room.
#[derive(Debug, Clone, Default)]
pub struct NoteFacts {
    /// Number of notes in the room.
    pub count: usize,
    /// The requested note.
    pub note: Option<Note>,
}

/// The kind of change of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteEvent {
    Added,
    Changed,
    Deleted,
}

impl NoteEvent {
    pub const ALL: [Self; 3] = [Self::Added, Self::Changed, Self::Deleted];

    /// Returns the name that clients receive.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Deleted => "deleted",
        }
    }
}
