//! Joining and leaving of public rooms at the user's own request (wire facts 4.2).

use crate::app::App;
use crate::decision::change::Change;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::people::user::UserRef;
use crate::refusal::Refusal;
use crate::rooms::joining;
use crate::rooms::room::{RoomKind, RoomRef};

/// Adds the caller to public rooms, or removes the caller from them: either in all of the rooms or
/// in none. Rooms that the caller is already in, or not in, are skipped.
pub struct FollowChannels {
    pub by: UserRef,
    pub channels: Vec<RoomRef>,
    /// Whether the caller joins; otherwise they leave.
    pub joins: bool,
}

impl Rule for FollowChannels {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        Question {
            rooms: self.channels.clone(),
            users: vec![self.by.user_id().clone()],
            finds_members: true,
            counts_participants: true,
            ..Question::default()
        }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let by = std::slice::from_ref(&self.by);
        let mut changes: Vec<Change> = Vec::new();
        for channel in &self.channels {
            // Hide that the name belongs to a room of another kind.
            if facts.room(channel)?.room.kind != RoomKind::Public {
                return Err(Refusal::RoomNotFound(channel.shown()));
            }
            let decision = match self.joins {
                true => joining::add(facts, channel, by, context.app.system_user, stamp)?,
                false => joining::remove(facts, channel, by)?,
            };
            changes.extend(decision.changes);
        }
        Ok(Decision::new(changes, ()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use crate::people::user::UserId;

    fn follow(facts: &Facts, by: &str, joins: bool) -> Result<usize, Refusal> {
        let by = UserId::parse("user_id", by).expect("valid").into();
        let rule = FollowChannels { by, channels: vec![example::room_ref()], joins };
        example::decided(facts, &rule).map(|decision| decision.changes.len())
    }

    #[test]
    fn only_public_rooms_can_be_joined_and_left() {
        let mut facts = example::facts();
        let unknown = Err(Refusal::RoomNotFound(example::room_ref().shown()));
        assert_eq!(follow(&facts, "bob", true), unknown);
        assert_eq!(follow(&facts, "ana", false), unknown, "not from a group with the user");
        example::make_public(&mut facts);
        assert_eq!(follow(&facts, "bob", true), Ok(1));
        assert_eq!(follow(&facts, "ana", true), Ok(0), "already in the room");
        assert_eq!(follow(&facts, "ana", false), Ok(1));
        assert_eq!(follow(&facts, "bob", false), Ok(0));
    }
}
