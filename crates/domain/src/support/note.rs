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
    /// Author.
    pub by: AgentId,
    /// Name of the author.
    pub by_name: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Unique id that the author's client gave the note before it was stored.
    pub unique_id: Option<UniqueId>,
}

/// The note that a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteRef {
    /// A stored note.
    Id(NoteId),
    /// A note that may be stored already, if an earlier request was not answered.
    UniqueId(UniqueId),
    /// A new note.
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

/// A change of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteEvent {
    Added,
    Changed,
    Deleted,
}

impl NoteEvent {
    pub const ALL: [Self; 3] = [Self::Added, Self::Changed, Self::Deleted];

    /// Returns the public name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Deleted => "deleted",
        }
    }
}
