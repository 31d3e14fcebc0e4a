//! Clearing rooms: earlier messages are no longer shown to one participant.

use std::sync::Arc;

use crate::app::App;
use crate::decision::change::{Change, MessageChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::EventId;
use crate::messages::room_event::{RoomEvent, RoomEventKind};
use crate::people::user::UserRef;
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomRef};
use crate::rooms::visiting::participation;

/// Clears rooms for one participant: all of them or none. Other participants still see the
/// messages. Cleared messages count as read.
pub struct ClearRooms {
    pub by: UserRef,
    pub rooms: Vec<RoomRef>,
}

impl Rule for ClearRooms {
    type Outcome = Vec<Arc<Room>>;

    fn question(&self, _: &App) -> Question {
        Question {
            rooms: self.rooms.clone(),
            users: vec![self.by.user_id().clone()],
            finds_members: true,
            finds_participations: true,
            ..Question::default()
        }
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        let by = facts.user(&self.by)?;
        let mut decision = Decision::nothing(Vec::<Arc<Room>>::new());
        for asked in &self.rooms {
            let (found, at) = participation(facts, asked, by)?;
            let room = found.room.clone();
            // Two of the references may name the same room.
            if decision.outcome.iter().any(|other| other.id == room.id) {
                continue;
            }
            if let Some(last) = found.last
                && last.number > at.cleared_number
            {
                let (by, number) = (by.clone(), last.number);
                let what = RoomEventKind::Cleared { by, number, room: room.clone() };
                let event = RoomEvent { id: EventId(stamp.next_id()), room: room.id, what };
                decision.changes.push(Change::Message(MessageChange::InsertEvent(event)));
            }
            decision.outcome.push(room);
        }
        Ok(decision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::facts::Participation;
    use crate::example;
    use crate::ids::UserKey;
    use crate::people::user::UserId;

    fn try_clear(by: &str, cleared_number: u64) -> Result<Decision<Vec<Arc<Room>>>, Refusal> {
        let mut facts = example::facts();
        let at = Participation { cleared_number, ..Participation::default() };
        facts.rooms[0].1.participations = vec![(UserKey(2), at)];
        let by = UserId::parse("user_id", by).expect("valid").into();
        let rooms = vec![example::room_ref(), example::room_ref()];
        example::decided(&facts, &ClearRooms { by, rooms })
    }

    #[test]
    fn a_room_is_cleared_once_up_to_its_newest_message() {
        let cleared = try_clear("ana", 0).expect("cleared");
        assert_eq!((cleared.changes.len(), cleared.outcome.len()), (1, 1));
        let Change::Message(MessageChange::InsertEvent(event)) = &cleared.changes[0] else {
            panic!("the change is an event")
        };
        assert!(matches!(event.what, RoomEventKind::Cleared { number: 7, .. }));
        assert!(try_clear("ana", 7).expect("cleared").changes.is_empty());
    }

    #[test]
    fn only_participants_clear_a_room() {
        assert!(matches!(try_clear("bob", 0).err(), Some(Refusal::RoomNotFound(_))));
    }
}
