//! Notes of agents on conversations (design/support).

use confab_domain::ids::{AgentId, NoteId, RoomId};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::support::annotations::note::Note;

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

macro_rules! notes {
    ($where:literal) => {
        concat!(
            "SELECT n.id, n.room, n.text, n.author, d.name, n.created_at, n.updated_at, \
             n.unique_id FROM notes n JOIN dashboard_users d ON d.id = n.author WHERE ",
            $where
        )
    };
}

prepared! {
    NOTE = notes!("n.room = $1 AND n.id = $2");
    NOTE_CALLED = notes!("n.room = $1 AND n.unique_id = $2");
    COUNT_NOTES = "SELECT count(*) FROM notes WHERE room = $1";
    PUT_NOTE = "INSERT INTO notes (room, id, text, author, created_at, updated_at, unique_id) \
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (room, id) DO UPDATE SET \
        text = excluded.text, updated_at = excluded.updated_at";
    REMOVE_NOTES = "DELETE FROM notes WHERE room = $1";
    REMOVE_NOTE = "DELETE FROM notes WHERE room = $1 AND id = $2";
}

statements! {
    NOTES_BEFORE = notes!("n.room = $1 AND n.id < $2 ORDER BY n.id DESC LIMIT $3");
}

pub(crate) fn row(row: &ValueRow) -> Read<Note> {
    Ok(Note {
        id: NoteId(row.number(0)?),
        room: RoomId(row.number(1)?),
        text: row.text(2)?,
        by: AgentId(row.number(3)?),
        by_name: row.text(4)?,
        created_at: row.time(5)?,
        updated_at: row.time(6)?,
        unique_id: row.maybe_text(7)?.map(UniqueId::from_stored),
    })
}

pub(crate) fn put(note: &Note) -> Vec<Ask> {
    let Note { id, room, text, by, created_at, updated_at, unique_id, .. } = note;
    let unique_id = unique_id.as_ref().map(UniqueId::as_str);
    let values = values![room.0, id.0, text, by.0, *created_at, *updated_at, unique_id];
    vec![Ask::new(&PUT_NOTE, values)]
}

pub(crate) fn remove(room: RoomId, note: NoteId) -> Vec<Ask> {
    vec![Ask::new(&REMOVE_NOTE, values![room.0, note.0])]
}

/// Deletes all notes of a room.
pub(crate) fn remove_all(room: RoomId) -> Ask {
    Ask::new(&REMOVE_NOTES, values![room.0])
}

impl Store {
    /// Returns a note of a room.
    pub async fn note(&self, room: RoomId, note: NoteId) -> Read<Option<Note>> {
        Ok(self.query_now(Ask::new(&NOTE, values![room.0, note.0]), row).await?.pop())
    }

    /// Returns notes of a room before this one, newest first. The caller must check that the room
    /// belongs to its app.
    pub async fn notes(&self, room: RoomId, before: NoteId, size: usize) -> Read<Vec<Note>> {
        let ask = Ask::new(&NOTES_BEFORE, values![room.0, before.0, size as i64]);
        self.asked(ask, row).await
    }
}
