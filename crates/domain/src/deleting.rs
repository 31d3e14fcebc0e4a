//! Deleting messages: all of them or none (D-0007, D-0020).

use crate::decision::{Change, Decision, Facts, Question, Stamp};
use crate::event::{Event, What};
use crate::ids::EventId;
use crate::message::{Message, MessageRef};
use crate::people::UserId;
use crate::refusal::Refusal;
use crate::unique_id::UniqueId;

/// What `delete` wants to know.
pub fn question(ids: &[UniqueId], by: &UserId) -> Question {
    let messages = ids.iter().cloned().map(MessageRef::Unique).collect();
    Question { messages, users: vec![by.clone()], ..Question::default() }
}

/// Deletes every message named, or names the unknown ones and deletes none. A message deleted
/// before counts as unknown. The outcome is what was deleted; those in its rooms are shown that it
/// is gone.
pub fn delete(
    facts: &Facts,
    ids: &[UniqueId],
    by: &UserId,
    is_hard: bool,
    stamp: &Stamp<'_>,
) -> Result<Decision<Vec<Message>>, Refusal> {
    let by = facts.user(by)?;
    let found = |id: &UniqueId| {
        facts.message(&MessageRef::Unique(id.clone())).filter(|said| !said.message.is_deleted)
    };
    let unknown: Vec<_> =
        ids.iter().filter(|id| found(id).is_none()).map(ToString::to_string).collect();
    if !unknown.is_empty() {
        return Err(Refusal::MessagesNotFound(unknown));
    }
    let messages: Vec<_> = ids.iter().filter_map(found).map(|s| s.message.clone()).collect();
    let mut changes: Vec<_> = messages
        .iter()
        .map(|m| Change::DeleteMessage { room: m.room, number: m.number, id: m.id })
        .collect();
    let mut rooms: Vec<_> = messages.iter().map(|message| message.room).collect();
    rooms.sort_unstable();
    rooms.dedup();
    for room in rooms {
        let gone = messages.iter().filter(|message| message.room == room);
        let gone = gone.map(Message::unique_id).collect();
        let what = What::Deleted { by: by.clone(), messages: gone, is_hard };
        changes.push(Change::InsertEvent(Event { id: EventId(stamp.next_id()), room, what }));
    }
    Ok(Decision { changes, outcome: messages })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{self, Counting};

    fn ids(texts: &[&str]) -> Vec<UniqueId> {
        texts.iter().map(|t| UniqueId::parse("unique_ids", t).expect("valid")).collect()
    }

    fn try_delete(facts: &Facts, ids: &[UniqueId]) -> Result<Decision<Vec<Message>>, Refusal> {
        let stamps = Counting::default();
        let by = UserId::parse("user_id", "ana").expect("valid");
        delete(facts, ids, &by, true, &Stamp::new(&stamps, facts))
    }

    #[test]
    fn one_unknown_id_keeps_all_messages_and_is_named() {
        let mut facts = example::facts();
        facts.messages.push((MessageRef::Unique(ids(&["a"])[0].clone()), example::said(5)));
        let refused = try_delete(&facts, &ids(&["a", "b"])).err();
        assert_eq!(refused, Some(Refusal::MessagesNotFound(vec!["b".to_owned()])));
        let changes = try_delete(&facts, &ids(&["a"])).expect("deleted").changes;
        assert!(matches!(changes[0], Change::DeleteMessage { .. }));
        let Change::InsertEvent(shown) = &changes[1] else { panic!("those in the room see it") };
        assert!(matches!(&shown.what, What::Deleted { messages, .. } if messages.len() == 1));
    }

    #[test]
    fn a_deleted_message_is_unknown() {
        let mut facts = example::facts();
        let mut said = example::said(5);
        said.message.is_deleted = true;
        facts.messages.push((MessageRef::Unique(ids(&["a"])[0].clone()), said));
        assert!(try_delete(&facts, &ids(&["a"])).is_err());
    }
}
