//! Writing, changing and deleting of notes on a conversation (design/support).
//!
//! Staff who may act in the room can write notes there, and change and delete their own. Admins and
//! supervisors can delete any note.

use crate::agents::agent::Agent;
use crate::app::App;
use crate::decision::change::SupportChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{NoteId, RoomId};
use crate::limits;
use crate::refusal::Refusal;
use crate::support::annotations::note::{Note, NoteRef};
use crate::support::assignment::allocating;
use crate::support::conversations::seeing;
use crate::support::conversations::support_room::SupportRoom;

/// Creates or changes a note. If a note with this unique id is stored already, it stays as it is.
pub struct PutNote {
    pub room: RoomId,
    pub note: NoteRef,
    pub text: String,
    pub by: Agent,
}

impl Rule for PutNote {
    type Outcome = Note;

    fn question(&self, app: &App) -> Question {
        question(app, self.room, self.note.clone(), &self.by)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Note>, Refusal> {
        let Self { room, ref note, ref text, ref by } = *self;
        let serving = SupportRoom::of(context, facts, room, stamp)?;
        serving.must_be_open_to_role(Some(by))?;
        let before = match note {
            NoteRef::Id(note) => Some(found(facts, *note)?),
            NoteRef::UniqueId(_) => facts.omni.notes.note.as_ref(),
            NoteRef::New => None,
        };
        if let Some(note) = before.filter(|it| it.by != by.id) {
            return Err(Refusal::NotYourNote(note.id.0));
        }
        let unique_id = match note {
            NoteRef::UniqueId(id) => Some(id.clone()),
            NoteRef::Id(_) | NoteRef::New => before.and_then(|before| before.unique_id.clone()),
        };
        if let (NoteRef::UniqueId(_), Some(written)) = (note, before) {
            return Ok(Decision::new(Vec::new(), written.clone()));
        }
        if before.is_none() && facts.omni.notes.count >= limits::NOTES_OF_ROOM_MAX {
            let max = limits::NOTES_OF_ROOM_MAX;
            return Err(Refusal::TooMany { what: "notes on a conversation", max });
        }
        let put = Note {
            id: before.map_or_else(|| NoteId(stamp.next_id()), |before| before.id),
            room,
            text: text.clone(),
            by: by.id,
            by_name: by.name.clone(),
            created_at: before.map_or(stamp.now, |before| before.created_at),
            updated_at: stamp.now,
            unique_id,
        };
        let change =
            SupportChange::PutNote { note: Box::new(put.clone()), is_new: before.is_none() };
        Ok(Decision::new(vec![change.into()], put))
    }
}

/// Deletes a note. The outcome is the deleted note.
pub struct RemoveNote {
    pub room: RoomId,
    pub note: NoteId,
    pub by: Agent,
}

impl Rule for RemoveNote {
    type Outcome = Note;

    fn question(&self, app: &App) -> Question {
        question(app, self.room, NoteRef::Id(self.note), &self.by)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Note>, Refusal> {
        let Self { room, note, ref by } = *self;
        SupportRoom::of(context, facts, room, stamp)?.must_be_open_to_role(Some(by))?;
        let gone = found(facts, note)?;
        if gone.by != by.id && seeing::limited(Some(by)).is_some() {
            return Err(Refusal::NotYourNote(note.0));
        }
        Ok(Decision::new(vec![SupportChange::RemoveNote { room, note }.into()], gone.clone()))
    }
}

fn question(app: &App, room: RoomId, note: NoteRef, by: &Agent) -> Question {
    let mut question = allocating::question_of(app, room, Some(by));
    question.omni.get_or_insert_default().notes_of = Some((room, note));
    question
}

fn found(facts: &Facts, note: NoteId) -> Result<&Note, Refusal> {
    facts.omni.notes.note.as_ref().ok_or(Refusal::NoteNotFound(note.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::role::Role;
    use crate::example::{candidate, customer_facts, decided};
    use crate::ids::AgentId;
    use crate::messages::unique_id::UniqueId;
    use crate::time::Timestamp;

    const ROOM: RoomId = RoomId(10);

    fn with_note(by: AgentId) -> Facts {
        let mut facts = customer_facts();
        facts.omni.services[0].agents.push(candidate(Role::Agent).profile);
        facts.omni.notes.note = Some(Note {
            id: NoteId(5),
            room: ROOM,
            text: "called".to_owned(),
            by,
            by_name: "Ana".to_owned(),
            created_at: Timestamp(1),
            updated_at: Timestamp(1),
            unique_id: Some(unique_id()),
        });
        facts
    }

    fn unique_id() -> UniqueId {
        UniqueId::from_stored("made-by-the-page".to_owned())
    }

    fn put(facts: &Facts, note: Option<i64>, role: Role) -> Result<Note, Refusal> {
        let by = candidate(role).profile.user;
        let note = note.map_or(NoteRef::New, |note| NoteRef::Id(NoteId(note)));
        let text = "called twice".to_owned();
        decided(facts, &PutNote { room: ROOM, note, text, by }).map(|it| it.outcome)
    }

    #[test]
    fn agents_with_access_write_notes_and_change_their_own() {
        let agent = candidate(Role::Agent).profile.user.id;
        let own = with_note(agent);
        let changed = put(&own, Some(5), Role::Agent).expect("the agent's own note");
        assert_eq!((changed.text.as_str(), changed.created_at), ("called twice", Timestamp(1)));
        assert!(put(&own, None, Role::Agent).is_ok());
        assert!(put(&own, None, Role::Admin).is_ok());
        let theirs = with_note(AgentId(999));
        for role in [Role::Agent, Role::Admin] {
            assert_eq!(put(&theirs, Some(5), role).err(), Some(Refusal::NotYourNote(5)));
        }
        let refused = put(&customer_facts(), None, Role::Agent).err();
        assert_eq!(refused, Some(Refusal::NotYourRoom("10".to_owned())));
        assert_eq!(put(&customer_facts(), Some(5), Role::Admin), Err(Refusal::NoteNotFound(5)));
    }

    #[test]
    fn a_repeated_note_is_stored_once() {
        let by = candidate(Role::Agent).profile.user;
        let again = |facts: &Facts| {
            let note = NoteRef::UniqueId(unique_id());
            let (text, by) = ("called".to_owned(), by.clone());
            decided(facts, &PutNote { room: ROOM, note, text, by })
        };
        let written = again(&with_note(by.id)).expect("the stored note");
        assert_eq!((written.changes.len(), written.outcome.id), (0, NoteId(5)));
        let mut first = with_note(by.id);
        first.omni.notes.note = None;
        let written = again(&first).expect("a new note");
        assert_eq!((written.changes.len(), written.outcome.unique_id), (1, Some(unique_id())));
        let others = again(&with_note(AgentId(999))).map(|it| it.outcome);
        assert_eq!(others, Err(Refusal::NotYourNote(5)));
    }

    #[test]
    fn the_number_of_notes_in_a_room_is_bounded() {
        let mut facts = customer_facts();
        facts.omni.notes.count = limits::NOTES_OF_ROOM_MAX;
        assert!(matches!(put(&facts, None, Role::Admin), Err(Refusal::TooMany { .. })));
    }

    #[test]
    fn supervisors_delete_any_note_and_agents_their_own() {
        let facts = with_note(AgentId(999));
        let removed = |role| {
            let by = candidate(role).profile.user;
            decided(&facts, &RemoveNote { room: ROOM, note: NoteId(5), by }).map(|it| it.outcome.id)
        };
        assert_eq!(removed(Role::Agent), Err(Refusal::NotYourNote(5)));
        assert_eq!(removed(Role::Supervisor), Ok(NoteId(5)));
    }
}
