//! Acknowledging: the positions up to which a user received and read a room's messages.

use std::sync::Arc;

use crate::app::App;
use crate::decision::change::{Change, MessageChange, SupportChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{EventId, MessageId};
use crate::messages::message::{Message, MessageRef};
use crate::messages::room_event::{Receipt, RoomEvent, RoomEventKind};
use crate::people::user::{User, UserRef};
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomRef};
use crate::rooms::seeing::may_see;
use crate::rooms::visiting::participation;

/// Records the positions up to which a user received and read a room's messages.
///
/// Positions never decrease, and reading a message implies having received it. The outcome is
/// whether a position changed; only then is the room notified.
#[derive(Debug, Clone)]
pub struct Acknowledge {
    pub room: RoomRef,
    pub by: UserRef,
    /// Newest message that the user read.
    pub read: Option<MessageId>,
    /// Newest message that the user received.
    pub received: Option<MessageId>,
}

impl Rule for Acknowledge {
    type Outcome = bool;

    fn question(&self, _: &App) -> Question {
        Question {
            rooms: vec![self.room.clone()],
            users: vec![self.by.user_id().clone()],
            finds_members: true,
            finds_participations: true,
            messages: self.read.into_iter().chain(self.received).map(MessageRef::Id).collect(),
            ..Question::default()
        }
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<bool>, Refusal> {
        let by = facts.user(&self.by)?;
        let found = facts.room(&self.room)?;
        let is_in = found.participations.iter().any(|(key, _)| *key == by.key);
        if !is_in && may_see(&found.room, by.realm, false) {
            // Clients also acknowledge messages of public rooms that their user has not joined. No
            // positions are stored for such users.
            message(facts, &found.room, self.read)?;
            message(facts, &found.room, self.received)?;
            return Ok(Decision::nothing(false));
        }
        let (room, mut at) = participation(facts, &self.room, by)?;
        let mut changes = Vec::new();
        if let Some(read) = message(facts, &room.room, self.read)?
            && read.number > at.read_number
        {
            (at.read_number, at.received_number) =
                (read.number, at.received_number.max(read.number));
            let what = RoomEventKind::Read(receipt(by, read));
            changes.push(happened(&room.room, what, stamp));
        }
        if let Some(received) = message(facts, &room.room, self.received)?
            && received.number > at.received_number.max(at.read_number)
        {
            let what = RoomEventKind::Received(receipt(by, received));
            changes.push(happened(&room.room, what, stamp));
        }
        let is_further = !changes.is_empty();
        changes.extend(seen(by, &room.room, message(facts, &room.room, self.read)?));
        Ok(Decision::new(changes, is_further))
    }
}

/// Returns the change that marks the room as seen for an agent, if the reading user posts for the
/// agent and the room is a customer's.
fn seen(by: &User, room: &Room, read: Option<&Message>) -> Option<Change> {
    let (agent, _) = by.works_as().zip(room.customer)?;
    Some(SupportChange::See { room: room.id, agent, number: read?.number }.into())
}

/// Returns the message with this id, also if it was deleted. Fails if it is not in the room.
pub fn message<'a>(
    facts: &'a Facts,
    room: &Room,
    id: Option<MessageId>,
) -> Result<Option<&'a Message>, Refusal> {
    let Some(id) = id else { return Ok(None) };
    let found = facts.message(&MessageRef::Id(id)).map(|posted| &posted.message);
    let found = found.filter(|message| message.room == room.id);
    found.map(Some).ok_or_else(|| Refusal::MessageNotFound(id.to_string()))
}

fn receipt(by: &Arc<User>, message: &Message) -> Receipt {
    let (id, unique_id, number) = (message.id, message.unique_id(), message.number);
    Receipt { by: by.clone(), message: id, unique_id, number }
}

fn happened(room: &Room, what: RoomEventKind, stamp: &Stamp<'_>) -> Change {
    Change::Message(MessageChange::InsertEvent(RoomEvent {
        id: EventId(stamp.next_id()),
        room: room.id,
        what,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::facts::Participation;
    use crate::example::{self};
    use crate::ids::UserKey;
    use crate::people::user::UserId;
    use crate::rooms::room::RoomKind;

    fn facts(read_number: u64, received_number: u64) -> Facts {
        let mut facts = example::facts();
        let at = Participation { read_number, received_number, cleared_number: 0 };
        facts.rooms[0].1.participations = vec![(UserKey(2), at)];
        for number in [3, 5] {
            let mut posted = example::posted_message(number);
            posted.message.number = number as u64;
            facts.messages.push((MessageRef::Id(MessageId(number)), posted));
        }
        facts
    }

    fn check(facts: &Facts, by: &str, read: i64, received: i64) -> Result<Vec<String>, Refusal> {
        let id = |id: i64| Some(MessageId(id)).filter(|id| id.0 > 0);
        let by = UserId::parse("user_id", by).expect("valid").into();
        let room = example::room_ref();
        let given = Acknowledge { room, by, read: id(read), received: id(received) };
        let decision = example::decided(facts, &given)?;
        let shown = |change: &Change| match change {
            Change::Message(MessageChange::InsertEvent(RoomEvent {
                what: RoomEventKind::Read(it),
                ..
            })) => {
                format!("read {}", it.number)
            }
            Change::Message(MessageChange::InsertEvent(RoomEvent {
                what: RoomEventKind::Received(it),
                ..
            })) => {
                format!("received {}", it.number)
            }
            _ => panic!("all changes are receipts"),
        };
        Ok(decision.changes.iter().map(shown).collect())
    }

    #[test]
    fn positions_never_decrease_and_reading_implies_receiving() {
        assert_eq!(check(&facts(0, 0), "ana", 5, 5), Ok(vec!["read 5".to_owned()]));
        let both = vec!["read 3".to_owned(), "received 5".to_owned()];
        assert_eq!(check(&facts(0, 0), "ana", 3, 5), Ok(both));
        assert_eq!(check(&facts(0, 3), "ana", 0, 5), Ok(vec!["received 5".to_owned()]));
        assert_eq!(check(&facts(5, 0), "ana", 3, 5), Ok(vec![]));
    }

    #[test]
    fn acknowledgements_of_followers_of_a_public_room_are_not_stored() {
        let mut channel = facts(0, 0);
        let room = Room { kind: RoomKind::Public, ..Room::clone(&channel.rooms[0].1.room) };
        channel.rooms[0].1.room = Arc::new(room);
        assert_eq!(check(&channel, "bob", 5, 5), Ok(vec![]));
        assert_eq!(check(&channel, "bob", 4, 0), Err(Refusal::MessageNotFound("4".to_owned())));
        assert_eq!(check(&channel, "ana", 5, 0), Ok(vec!["read 5".to_owned()]));
    }

    #[test]
    fn only_participants_acknowledge_and_only_messages_of_the_room() {
        assert!(matches!(check(&facts(0, 0), "bob", 5, 0), Err(Refusal::RoomNotFound(_))));
        assert_eq!(check(&facts(0, 0), "ana", 4, 0), Err(Refusal::MessageNotFound("4".to_owned())));
        let mut elsewhere = facts(0, 0);
        elsewhere.messages[0].1.message.room = crate::ids::RoomId(11);
        assert!(check(&elsewhere, "ana", 3, 0).is_err());
    }
}
