//! Notes: what those who work in an app write down about a conversation, for each other (D-0126).

use crate::ids::{AgentId, NoteId, RoomId};
use crate::messages::unique_id::UniqueId;
use crate::time::Timestamp;

/// A note. Customers, bots and webhooks never see one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub id: NoteId,
    pub room: RoomId,
    pub text: String,
    /// Who wrote it.
    pub by: AgentId,
    /// What they are called.
    pub by_name: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// What whoever wrote it called it, before it was kept.
    pub unique_id: Option<UniqueId>,
}

/// Which note a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteRef {
    /// One that is there.
    Id(NoteId),
    /// One that may be there: it was written before, and whoever wrote it was not answered.
    UniqueId(UniqueId),
    /// One that is not there.
    New,
}

/// What a rule must know of the notes of a room.
#[derive(Debug, Clone, Default)]
pub struct NoteFacts {
    /// How many the room has.
    pub count: usize,
    /// The one that was asked for.
    pub note: Option<Note>,
}

/// What happened to a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteEvent {
    Added,
    Changed,
    Deleted,
}

impl NoteEvent {
    pub const ALL: [Self; 3] = [Self::Added, Self::Changed, Self::Deleted];

    /// The public name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Deleted => "deleted",
        }
    }
}
