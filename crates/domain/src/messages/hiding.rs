//! Hiding of messages from one user; other users still see the messages (design/message-api).

use std::sync::Arc;

use crate::app::App;
use crate::decision::change::{Change, MessageChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::RoomId;
use crate::limits;
use crate::messages::message::{MessageRef, PostedMessage};
use crate::messages::unique_id::UniqueId;
use crate::people::user::UserRef;
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomRef};
use crate::rooms::seeing::may_see;

/// A hidden message and its room.
pub type HiddenMessage = (PostedMessage, Arc<Room>);

/// Hides messages of any sender from one user: all of them or none. No event is published.
pub struct HideMessages {
    /// Rooms of the messages. The caller finds them first with `FindMessages`.
    pub rooms: Vec<RoomId>,
    pub ids: Vec<UniqueId>,
    pub by: UserRef,
    /// Number of messages already hidden from the user in one room: the greatest number among
    /// `rooms`.
    pub hidden_before: usize,
}

impl Rule for HideMessages {
    type Outcome = Vec<HiddenMessage>;

    fn question(&self, _: &App) -> Question {
        Question {
            rooms: self.rooms.iter().copied().map(RoomRef::Id).collect(),
            finds_members: true,
            messages: self.ids.iter().cloned().map(MessageRef::Unique).collect(),
            users: vec![self.by.user_id().clone()],
            ..Question::default()
        }
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        _: &Stamp<'_>,
    ) -> Result<Decision<Vec<HiddenMessage>>, Refusal> {
        let user = facts.user(&self.by)?;
        let mut hidden: Vec<HiddenMessage> = Vec::with_capacity(self.ids.len());
        for id in &self.ids {
            let unknown = || Refusal::MessagesNotFound(vec![id.to_string()]);
            let posted = facts.message(&MessageRef::Unique(id.clone())).ok_or_else(unknown)?;
            let room = facts.room(&RoomRef::Id(posted.message.room)).map_err(|_| unknown())?;
            // Hide the existence of the message from users who may not see the room.
            let is_shown = may_see(&room.room, user.realm, room.members.contains(&user.key));
            if !is_shown || posted.message.is_deleted {
                return Err(unknown());
            }
            hidden.push((posted.clone(), room.room.clone()));
        }
        if self.hidden_before + hidden.len() > limits::HIDDEN_MESSAGES_MAX {
            let max = limits::HIDDEN_MESSAGES_MAX;
            return Err(Refusal::TooMany { what: "hidden messages in this room", max });
        }
        let change = |(posted, _): &HiddenMessage| {
            let (room, number) = (posted.message.room, posted.message.number);
            Change::Message(MessageChange::Hide { room, user: user.key, number })
        };
        let changes = hidden.iter().map(change).collect();
        Ok(Decision::new(changes, hidden))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use crate::people::user::UserId;

    fn hide(facts: &Facts, by: &str, hidden_before: usize) -> Result<usize, Refusal> {
        let by = UserId::parse("user_id", by).expect("valid").into();
        let ids = vec![UniqueId::parse("unique_ids", "a").expect("valid")];
        let rule = HideMessages { rooms: Vec::new(), ids, by, hidden_before };
        example::decided(facts, &rule).map(|decision| decision.changes.len())
    }

    #[test]
    fn users_hide_any_message_that_they_see_and_no_other() {
        let mut facts = example::facts();
        let room = facts.rooms[0].1.clone();
        facts.rooms.push((RoomRef::Id(room.room.id), room));
        let id = UniqueId::parse("unique_ids", "a").expect("valid");
        facts.messages.push((MessageRef::Unique(id), example::posted_message(5)));
        assert_eq!(hide(&facts, "ana", 0), Ok(1), "one change, and no event");
        assert_eq!(hide(&facts, "gone", 0), Ok(1), "another user's message");
        let unknown = Err(Refusal::MessagesNotFound(vec!["a".to_owned()]));
        assert_eq!(hide(&facts, "bob", 0), unknown, "not in the room");
        let full = hide(&facts, "ana", limits::HIDDEN_MESSAGES_MAX);
        assert!(matches!(full, Err(Refusal::TooMany { .. })));
        facts.messages[0].1.message.is_deleted = true;
        assert_eq!(hide(&facts, "ana", 0), unknown);
    }
}
