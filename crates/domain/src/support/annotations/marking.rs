//! Seen marks: the position up to which an agent has seen a customer's room (design/support).
//!
//! A mark belongs to one agent. If the agent is a participant of the room, reading also updates the
//! agent's read receipt, which other participants see. The caller checks access to the room.

use crate::app::App;
use crate::decision::change::SupportChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{AgentId, MessageId, RoomId};
use crate::messages::acknowledging::{Acknowledge, message};
use crate::people::user::UserRef;
use crate::refusal::Refusal;
use crate::rooms::room::RoomRef;
use crate::webhooks::event::AgentProfile;

/// Records that an agent has read a customer's room up to a message.
pub struct MarkRead {
    agent: AgentId,
    acknowledge: Acknowledge,
    read: MessageId,
}

impl MarkRead {
    pub fn new(by: &AgentProfile, room: RoomId, read: MessageId) -> Self {
        let acknowledge = Acknowledge {
            room: RoomRef::Id(room),
            by: UserRef::own(by.sdk_user.clone()),
            read: Some(read),
            received: None,
        };
        Self { agent: by.user.id, acknowledge, read }
    }
}

impl Rule for MarkRead {
    type Outcome = ();

    fn question(&self, app: &App) -> Question {
        self.acknowledge.question(app)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let found = facts.room(&self.acknowledge.room)?;
        let by = facts.user(&self.acknowledge.by)?;
        if found.participations.iter().any(|(key, _)| *key == by.key) {
            let Decision { changes, .. } = self.acknowledge.decide(context, facts, stamp)?;
            return Ok(Decision::new(changes, ()));
        }
        let (agent, room) = (self.agent, found.room.id);
        let number = message(facts, &found.room, Some(self.read))?.map_or(0, |it| it.number);
        Ok(Decision::new(vec![SupportChange::See { room, agent, number }.into()], ()))
    }
}

/// Marks a customer's room unread for an agent.
pub struct MarkUnread {
    pub room: RoomId,
    pub by: AgentId,
}

impl Rule for MarkUnread {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        Question { rooms: vec![RoomRef::Id(self.room)], ..Question::default() }
    }

    fn decide(&self, _: &Context, facts: &Facts, _: &Stamp<'_>) -> Result<Decision<()>, Refusal> {
        let (agent, room) = (self.by, self.room);
        let found = facts.room(&RoomRef::Id(room))?;
        let number = found.last.map_or(0, |last| last.number);
        Ok(Decision::new(vec![SupportChange::Unsee { room, agent, number }.into()], ()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::role::Role;
    use crate::decision::change::{Change, MessageChange};
    use crate::decision::facts::Participation;
    use crate::example::{candidate, customer_facts, decided, posted_message};
    use crate::messages::message::MessageRef;

    fn in_words(change: &Change) -> String {
        match change {
            Change::Message(MessageChange::InsertEvent(_)) => "receipt".to_owned(),
            Change::Service(SupportChange::See { number, .. }) => format!("seen {number}"),
            Change::Service(SupportChange::Unsee { number, .. }) => format!("unseen at {number}"),
            _ => "something else".to_owned(),
        }
    }

    #[test]
    fn only_participants_leave_a_receipt() {
        let mut facts = customer_facts();
        // The speaker is one of the users in the facts.
        let speaker = facts.users[0].clone();
        let by = candidate(Role::Admin).profile;
        let by = AgentProfile { sdk_user: speaker.user_id.clone(), ..by };
        let mut message = posted_message(7);
        (message.message.number, message.message.room) = (3, RoomId(10));
        facts.messages.push((MessageRef::Id(MessageId(7)), message));
        let marked = |facts: &Facts, read| {
            let decision = decided(facts, &MarkRead::new(&by, RoomId(10), MessageId(read)))?;
            Ok::<_, Refusal>(decision.changes.iter().map(in_words).collect::<Vec<_>>())
        };
        for (_, room) in &mut facts.rooms {
            room.participations.clear();
        }
        assert_eq!(marked(&facts, 7), Ok(vec!["seen 3".to_owned()]));
        assert_eq!(marked(&facts, 8), Err(Refusal::MessageNotFound("8".to_owned())));
        let at = Participation { read_number: 0, received_number: 0, cleared_number: 0 };
        for (_, room) in &mut facts.rooms {
            room.participations = vec![(speaker.key, at)];
        }
        assert_eq!(marked(&facts, 7).expect("marked")[0], "receipt");
    }

    #[test]
    fn a_room_is_marked_unread_at_its_newest_message() {
        let facts = customer_facts();
        let decision = decided(&facts, &MarkUnread { room: RoomId(10), by: AgentId(7) });
        let last = facts.room(&RoomRef::Id(RoomId(10))).expect("the room is in the facts").last;
        let last = last.map_or(0, |last| last.number);
        let changes: Vec<_> = decision.expect("decided").changes.iter().map(in_words).collect();
        assert_eq!(changes, [format!("unseen at {last}")]);
    }
}
