//! Deletion of messages. A request deletes either all of its messages or none (D-0020).

use std::sync::Arc;

use crate::app::App;
use crate::decision::change::{Change, MessageChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{EventId, RoomId};
use crate::messages::message::{Message, MessageRef};
use crate::messages::room_event::{RoomEvent, RoomEventKind};
use crate::messages::unique_id::UniqueId;
use crate::people::user::UserRef;
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomRef};
use crate::rooms::seeing::may_see;

/// Deletes messages permanently on behalf of the app: either all of them or none. Notifies their
/// rooms. The outcome is the deleted messages.
#[derive(Debug)]
pub struct DeleteMessages {
    pub ids: Vec<UniqueId>,
}

impl Rule for DeleteMessages {
    type Outcome = Vec<Message>;

    fn question(&self, app: &App) -> Question {
        question(&self.ids, &system_user(app))
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Vec<Message>>, Refusal> {
        delete(facts, &self.ids, &system_user(&context.app), true, stamp)
    }
}

pub(crate) fn system_user(app: &App) -> UserRef {
    UserRef::own(App::system_user_id(&app.code))
}

pub(crate) fn question(ids: &[UniqueId], by: &UserRef) -> Question {
    let messages = ids.iter().cloned().map(MessageRef::Unique).collect();
    Question { messages, users: vec![by.user_id().clone()], ..Question::default() }
}

/// Deletes the messages, or fails with the unknown ids and deletes none. A message that was deleted
/// before counts as unknown.
pub(crate) fn delete(
    facts: &Facts,
    ids: &[UniqueId],
    by: &UserRef,
    is_hard: bool,
    stamp: &Stamp<'_>,
) -> Result<Decision<Vec<Message>>, Refusal> {
    let by = facts.user(by)?;
    let found = |id: &UniqueId| {
        facts.message(&MessageRef::Unique(id.clone())).filter(|posted| !posted.message.is_deleted)
    };
    let unknown: Vec<_> =
        ids.iter().filter(|id| found(id).is_none()).map(ToString::to_string).collect();
    if !unknown.is_empty() {
        return Err(Refusal::MessagesNotFound(unknown));
    }
    let messages: Vec<_> = ids.iter().filter_map(found).map(|s| s.message.clone()).collect();
    let mut changes: Vec<_> = messages
        .iter()
        .map(|m| {
            Change::Message(MessageChange::Delete { room: m.room, number: m.number, id: m.id })
        })
        .collect();
    let mut rooms: Vec<_> = messages.iter().map(|message| message.room).collect();
    rooms.sort_unstable();
    rooms.dedup();
    for room in rooms {
        let gone = messages.iter().filter(|message| message.room == room);
        let gone = gone.map(Message::unique_id).collect();
        let what = RoomEventKind::Deleted { by: by.clone(), messages: gone, is_hard };
        changes.push(Change::Message(MessageChange::InsertEvent(RoomEvent {
            id: EventId(stamp.next_id()),
            room,
            what,
        })));
    }
    Ok(Decision::new(changes, messages))
}

/// A deleted message and its room.
pub type DeletedMessage = (Message, Arc<Room>);

/// Deletes a user's own messages in rooms that they may see: all of them or none.
pub struct DeleteOwnMessages {
    /// Rooms of the messages. The caller finds them first with `FindMessages`.
    pub rooms: Vec<RoomId>,
    pub ids: Vec<UniqueId>,
    pub by: UserRef,
    /// Whether clients must remove the messages completely, without a placeholder.
    pub is_hard: bool,
}

impl Rule for DeleteOwnMessages {
    type Outcome = Vec<DeletedMessage>;

    fn question(&self, _: &App) -> Question {
        Question {
            rooms: self.rooms.iter().copied().map(RoomRef::Id).collect(),
            finds_members: true,
            ..question(&self.ids, &self.by)
        }
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Vec<DeletedMessage>>, Refusal> {
        let Self { ids, by, is_hard, .. } = self;
        let user = facts.user(by)?;
        let mut rooms = Vec::with_capacity(ids.len());
        let unknown = |id: &UniqueId| Refusal::MessagesNotFound(vec![id.to_string()]);
        for id in ids {
            let posted =
                facts.message(&MessageRef::Unique(id.clone())).ok_or_else(|| unknown(id))?;
            let room = facts.room(&RoomRef::Id(posted.message.room)).map_err(|_| unknown(id))?;
            // Hide the existence of the message from users who may not see the room.
            if !may_see(&room.room, user.realm, room.members.contains(&user.key)) {
                return Err(unknown(id));
            }
            if posted.message.sender != user.key {
                return Err(Refusal::NotYourMessage(id.to_string()));
            }
            rooms.push(room.room.clone());
        }
        let deleted = delete(facts, ids, by, *is_hard, stamp)?;
        Ok(deleted.map(|messages| messages.into_iter().zip(rooms).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{self, CountingStamps};
    use crate::people::user::UserId;

    fn ids(texts: &[&str]) -> Vec<UniqueId> {
        texts.iter().map(|t| UniqueId::parse("unique_ids", t).expect("valid")).collect()
    }

    fn try_delete(facts: &Facts, ids: &[UniqueId]) -> Result<Decision<Vec<Message>>, Refusal> {
        let stamps = CountingStamps::default();
        let by = UserId::parse("user_id", "ana").expect("valid").into();
        delete(facts, ids, &by, true, &Stamp::new(&stamps, facts))
    }

    #[test]
    fn one_unknown_id_prevents_all_deletions_and_is_named() {
        let mut facts = example::facts();
        facts
            .messages
            .push((MessageRef::Unique(ids(&["a"])[0].clone()), example::posted_message(5)));
        let refused = try_delete(&facts, &ids(&["a", "b"])).err();
        assert_eq!(refused, Some(Refusal::MessagesNotFound(vec!["b".to_owned()])));
        let changes = try_delete(&facts, &ids(&["a"])).expect("deleted").changes;
        assert!(matches!(changes[0], Change::Message(MessageChange::Delete { .. })));
        let Change::Message(MessageChange::InsertEvent(shown)) = &changes[1] else {
            panic!("the room is notified")
        };
        assert!(
            matches!(&shown.what, RoomEventKind::Deleted { messages, .. } if messages.len() == 1)
        );
    }

    #[test]
    fn users_delete_only_their_own_messages() {
        let mut facts = example::facts();
        let room = facts.rooms[0].1.clone();
        facts.rooms.push((RoomRef::Id(room.room.id), room));
        facts
            .messages
            .push((MessageRef::Unique(ids(&["a"])[0].clone()), example::posted_message(5)));
        let own = |by: &str| {
            let by = UserId::parse("user_id", by).expect("valid").into();
            let (rooms, ids) = (Vec::new(), ids(&["a"]));
            example::decided(&facts, &DeleteOwnMessages { rooms, ids, by, is_hard: true })
        };
        assert_eq!(own("ana").expect("deleted").outcome.len(), 1);
        assert_eq!(own("gone").err(), Some(Refusal::NotYourMessage("a".to_owned())));
        assert_eq!(own("bob").err(), Some(Refusal::MessagesNotFound(vec!["a".to_owned()])));
    }

    #[test]
    fn a_deleted_message_is_unknown() {
        let mut facts = example::facts();
        let mut posted = example::posted_message(5);
        posted.message.is_deleted = true;
        facts.messages.push((MessageRef::Unique(ids(&["a"])[0].clone()), posted));
        assert!(try_delete(&facts, &ids(&["a"])).is_err());
    }
}
