//! Clearing rooms: what was said so far is not shown to one participant any more.

use std::sync::Arc;

use crate::decision::change::{Change, MessageChange};
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::Decision;
use crate::decision::stamp::Stamp;
use crate::ids::EventId;
use crate::messages::room_event::{RoomEvent, What};
use crate::people::user::UserRef;
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomRef};
use crate::rooms::visiting::participation;

/// What `clear` wants to know.
pub fn question(rooms: &[RoomRef], by: &UserRef) -> Question {
    Question {
        rooms: rooms.to_vec(),
        users: vec![by.user_id().clone()],
        finds_members: true,
        finds_participations: true,
        ..Question::default()
    }
}

/// Clears all of the rooms for one participant, or none. Nothing is lost for the others, and what
/// is cleared is read.
pub fn clear(
    facts: &Facts,
    rooms: &[RoomRef],
    by: &UserRef,
    stamp: &Stamp<'_>,
) -> Result<Decision<Vec<Arc<Room>>>, Refusal> {
    let by = facts.user(by)?;
    let mut decision = Decision::nothing(Vec::<Arc<Room>>::new());
    for asked in rooms {
        let (found, at) = participation(facts, asked, by)?;
        let room = found.room.clone();
        // Two references may name one room.
        if decision.outcome.iter().any(|other| other.id == room.id) {
            continue;
        }
        if let Some(last) = found.last
            && last.number > at.cleared_number
        {
            let what = What::Cleared { by: by.clone(), number: last.number, room: room.clone() };
            let event = RoomEvent { id: EventId(stamp.next_id()), room: room.id, what };
            decision.changes.push(Change::Message(MessageChange::InsertEvent(event)));
        }
        decision.outcome.push(room);
    }
    Ok(decision)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::facts::Participation;
    use crate::example::{self, Counting};
    use crate::ids::UserKey;
    use crate::people::user::UserId;

    fn try_clear(by: &str, cleared_number: u64) -> Result<Decision<Vec<Arc<Room>>>, Refusal> {
        let mut facts = example::facts();
        let at = Participation { cleared_number, ..Participation::default() };
        facts.rooms[0].1.participations = vec![(UserKey(2), at)];
        let by = UserId::parse("user_id", by).expect("valid").into();
        let stamps = Counting::default();
        let rooms = [example::room_ref(), example::room_ref()];
        clear(&facts, &rooms, &by, &Stamp::new(&stamps, &facts))
    }

    #[test]
    fn a_room_is_cleared_once_up_to_its_newest_message() {
        let cleared = try_clear("ana", 0).expect("cleared");
        assert_eq!((cleared.changes.len(), cleared.outcome.len()), (1, 1));
        let Change::Message(MessageChange::InsertEvent(event)) = &cleared.changes[0] else {
            panic!("an event")
        };
        assert!(matches!(event.what, What::Cleared { number: 7, .. }));
        assert!(try_clear("ana", 7).expect("cleared").changes.is_empty());
    }

    #[test]
    fn only_participants_clear() {
        assert!(matches!(try_clear("bob", 0).err(), Some(Refusal::RoomNotFound(_))));
    }
}
