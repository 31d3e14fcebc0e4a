//! Deleting messages: all of them or none (D-0007, D-0020).

use crate::decision::{Change, Decision, Facts, Question};
use crate::message::{Message, MessageRef};
use crate::refusal::Refusal;
use crate::unique_id::UniqueId;

/// What `delete` wants to know.
pub fn question(ids: &[UniqueId]) -> Question {
    let messages = ids.iter().cloned().map(MessageRef::Unique).collect();
    Question { messages, ..Question::default() }
}

/// Deletes every message named, or names the unknown ones and deletes none. A message deleted
/// before counts as unknown. The outcome is what was deleted.
pub fn delete(facts: &Facts, ids: &[UniqueId]) -> Result<Decision<Vec<Message>>, Refusal> {
    let found = |id: &UniqueId| {
        facts.message(&MessageRef::Unique(id.clone())).filter(|said| !said.message.is_deleted)
    };
    let unknown: Vec<_> =
        ids.iter().filter(|id| found(id).is_none()).map(ToString::to_string).collect();
    if !unknown.is_empty() {
        return Err(Refusal::MessagesNotFound(unknown));
    }
    let messages: Vec<_> = ids.iter().filter_map(found).map(|s| s.message.clone()).collect();
    let changes = messages
        .iter()
        .map(|m| Change::DeleteMessage { room: m.room, number: m.number, id: m.id })
        .collect();
    Ok(Decision { changes, outcome: messages })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    fn ids(texts: &[&str]) -> Vec<UniqueId> {
        texts.iter().map(|t| UniqueId::parse("unique_ids", t).expect("valid")).collect()
    }

    #[test]
    fn one_unknown_id_keeps_all_messages_and_is_named() {
        let mut facts = example::facts();
        facts.messages.push((MessageRef::Unique(ids(&["a"])[0].clone()), example::said(5)));
        let refused = delete(&facts, &ids(&["a", "b"])).err();
        assert_eq!(refused, Some(Refusal::MessagesNotFound(vec!["b".to_owned()])));
        assert_eq!(delete(&facts, &ids(&["a"])).expect("deleted").changes.len(), 1);
    }

    #[test]
    fn a_deleted_message_is_unknown() {
        let mut facts = example::facts();
        let mut said = example::said(5);
        said.message.is_deleted = true;
        facts.messages.push((MessageRef::Unique(ids(&["a"])[0].clone()), said));
        assert!(delete(&facts, &ids(&["a"])).is_err());
    }
}
