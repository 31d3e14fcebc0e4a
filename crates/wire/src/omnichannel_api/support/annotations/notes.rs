//! Internal notes in conversations, visible to staff only (design/support).

use confab_domain::ids::{ID_END, NoteId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::annotations::note::{Note, NoteRef};
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{Id, PageSize, Short, UniqueId, field};
use crate::omnichannel_api::support::{DataPage, PageMeta, page};
use crate::person::PersonShape;
use crate::request::request;
use crate::time::to_the_microsecond;

request! {
    /// Body of a request to change a note.
    pub struct NoteFields as "PutNote" {
        /// Text of the note.
        text: NoteText, required, example = "Wants to be called at noon.";
    }
}

request! {
    /// Body of a request to add a note.
    pub struct NewNoteFields as "AddNote" {
        /// Text of the note.
        text: NoteText, required, example = "Wants to be called at noon.";
        /// Unique id of the request. A second request with the same id returns the note that the
        /// first one created.
        unique_temp_id: UniqueId, optional;
    }
}

field! {
    /// The text of a note; blank text counts as absent.
    NoteText -> String, Short::<{ limits::INFO_CHARS_MAX }>::SHAPE;
    |reading, field, given| {
        let text = reading.short_text(field, given, limits::INFO_CHARS_MAX)?;
        Some(text).filter(|text| !text.trim().is_empty())
    }
}

request! {
    /// Query of `GET /api/v2/customer_rooms/{room_id}/notes`.
    pub struct NotesFields {
        /// `meta.before` of the previous page; older notes are returned.
        before: Id, optional;
        /// Notes per page, default 20, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

/// Parses the new text of a note.
pub fn read_note(body: &Body<'_>) -> Result<String, Refusal> {
    let NoteFields { text } = body.read()?;
    Ok(text)
}

/// Parses the text and unique id of a new note.
pub fn read_new_note(body: &Body<'_>) -> Result<(String, NoteRef), Refusal> {
    let NewNoteFields { text, unique_temp_id } = body.read()?;
    Ok((text, unique_temp_id.map_or(NoteRef::New, NoteRef::UniqueId)))
}

/// Parses a request for a page of notes: the id that all of its notes are below, and the maximum
/// number of notes.
pub fn read_notes(query: &Body<'_>) -> Result<(NoteId, usize), Refusal> {
    let NotesFields { before, limit } = query.read()?;
    Ok((NoteId(before.unwrap_or(ID_END)), limit))
}

/// An internal note.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Note)]
pub struct NoteShape<'a> {
    id: String,
    text: &'a str,
    /// Agent who wrote the note.
    by: PersonShape<'a>,
    #[schema(example = "2026-01-31T10:00:00.123456Z")]
    created_at: String,
    #[schema(example = "2026-01-31T10:00:00.123456Z")]
    updated_at: String,
}

impl<'a> From<&'a Note> for NoteShape<'a> {
    fn from(note: &'a Note) -> Self {
        Self {
            id: note.id.to_string(),
            text: &note.text,
            by: PersonShape { id: note.by.0, name: &note.by_name },
            created_at: to_the_microsecond(note.created_at),
            updated_at: to_the_microsecond(note.updated_at),
        }
    }
}

/// Response data with one note.
#[derive(Debug, Serialize, ToSchema)]
pub struct NoteBox<'a> {
    note: NoteShape<'a>,
}

/// Returns response data with one note.
pub fn one_note(note: &Note) -> NoteBox<'_> {
    NoteBox { note: note.into() }
}

/// Response data with a list of notes.
#[derive(Debug, Serialize, ToSchema)]
pub struct NoteList<'a> {
    notes: Vec<NoteShape<'a>>,
}

/// Returns one page of notes, newest first. `found` contains one note more than `size` if there is
/// a next page.
pub fn note_list(found: &[Note], size: usize) -> DataPage<NoteList<'_>> {
    let shown = &found[..found.len().min(size)];
    let before = shown.last().filter(|_| found.len() > size).map(|it| it.id.to_string());
    let meta = PageMeta { after: None, before, per_page: size, total_count: None };
    page(NoteList { notes: shown.iter().map(NoteShape::from).collect() }, meta)
}
