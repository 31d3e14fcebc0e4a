//! Adding users to rooms and removing them (wire facts 3.2).

use std::sync::Arc;

use crate::app::App;
use crate::decision::change::{Change, RoomChange};
use crate::decision::context::Context;
use crate::decision::facts::{Facts, RoomFacts};
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::UserKey;
use crate::limits;
use crate::people::user::{User, UserRef};
use crate::refusal::Refusal;
use crate::rooms::room::{RoomKind, RoomRef};

/// Adds users to a room. Users who are already in the room are skipped. The outcome is the added
/// users.
pub struct AddParticipants {
    pub room: RoomRef,
    pub users: Vec<UserRef>,
}

impl Rule for AddParticipants {
    type Outcome = Vec<Arc<User>>;

    fn question(&self, _: &App) -> Question {
        question(&self.room, &self.users)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        add(facts, &self.room, &self.users, context.app.system_user, stamp)
    }
}

/// Removes users from a room. Users who are not in it are skipped. The outcome is the removed
/// users.
pub struct RemoveParticipants {
    pub room: RoomRef,
    pub users: Vec<UserRef>,
}

impl Rule for RemoveParticipants {
    type Outcome = Vec<Arc<User>>;

    fn question(&self, _: &App) -> Question {
        question(&self.room, &self.users)
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        _: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        remove(facts, &self.room, &self.users)
    }
}

/// Returns the facts that rules need to add or remove participants.
pub(crate) fn question(room: &RoomRef, users: &[UserRef]) -> Question {
    Question {
        rooms: vec![room.clone()],
        users: users.iter().map(|user| user.user_id().clone()).collect(),
        finds_members: true,
        counts_participants: true,
        ..Question::default()
    }
}

pub(crate) fn add(
    facts: &Facts,
    room: &RoomRef,
    users: &[UserRef],
    system_user: UserKey,
    stamp: &Stamp<'_>,
) -> Result<Decision<Vec<Arc<User>>>, Refusal> {
    let found = open_to_change(facts, room)?;
    let mut newcomers = people(facts, Some(found), users, system_user)?;
    newcomers.retain(|user| !found.members.contains(&user.key));
    if found.participants + newcomers.len() > limits::ROOM_PARTICIPANTS_MAX {
        return Err(Refusal::RoomFull(room.shown()));
    }
    let read_number = found.last.map_or(0, |last| last.number);
    let join = |user: &Arc<User>| {
        Change::Room(RoomChange::AddParticipant {
            room: found.room.id,
            user: user.key,
            read_number,
            at: stamp.now,
        })
    };
    Ok(Decision::new(newcomers.iter().map(join).collect(), newcomers))
}

pub(crate) fn remove(
    facts: &Facts,
    room: &RoomRef,
    users: &[UserRef],
) -> Result<Decision<Vec<Arc<User>>>, Refusal> {
    let found = open_to_change(facts, room)?;
    let mut leavers = facts.all_users(Some(found), users)?;
    leavers.retain(|user| found.members.contains(&user.key));
    let leave = |user: &Arc<User>| {
        Change::Room(RoomChange::RemoveParticipant { room: found.room.id, user: user.key })
    };
    Ok(Decision::new(leavers.iter().map(leave).collect(), leavers))
}

/// Returns the named users, resolved in the room if one is given. Fails for unknown users and the
/// System user.
pub(crate) fn people(
    facts: &Facts,
    room: Option<&RoomFacts>,
    users: &[UserRef],
    system_user: UserKey,
) -> Result<Vec<Arc<User>>, Refusal> {
    let people = facts.all_users(room, users)?;
    match people.iter().find(|user| user.key == system_user) {
        Some(system) => Err(Refusal::SystemUser(system.user_id.as_str().to_owned())),
        None => Ok(people),
    }
}

fn open_to_change<'a>(facts: &'a Facts, room: &RoomRef) -> Result<&'a RoomFacts, Refusal> {
    let found = facts.room(room)?;
    if found.room.kind == RoomKind::Single {
        return Err(Refusal::WrongRoomKind {
            room: room.shown(),
            kind: "single",
            wanted: "group and channel",
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use crate::people::user::UserId;

    fn ids(texts: &[&str]) -> Vec<UserRef> {
        texts.iter().map(|t| UserId::parse("user_ids", t).expect("valid").into()).collect()
    }

    fn add_to_example(facts: &Facts, users: &[&str]) -> Result<Vec<String>, Refusal> {
        let rule = AddParticipants { room: example::room_ref(), users: ids(users) };
        let added = example::decided(facts, &rule)?;
        Ok(added.outcome.iter().map(|user| user.user_id.as_str().to_owned()).collect())
    }

    #[test]
    fn participants_are_not_added_again() {
        assert_eq!(add_to_example(&example::facts(), &["ana", "bob"]), Ok(vec!["bob".to_owned()]));
    }

    #[test]
    fn users_cannot_be_added_to_a_full_room() {
        let mut facts = example::facts();
        facts.rooms[0].1.participants = limits::ROOM_PARTICIPANTS_MAX;
        assert_eq!(add_to_example(&facts, &["ana"]), Ok(vec![]));
        assert!(matches!(add_to_example(&facts, &["bob"]), Err(Refusal::RoomFull(_))));
    }

    #[test]
    fn one_unknown_user_or_the_system_user_prevents_all_additions() {
        let facts = example::facts();
        let unknown = Refusal::UsersNotFound(vec!["eve".to_owned(), "mallory".to_owned()]);
        assert_eq!(add_to_example(&facts, &["eve", "bob", "mallory"]), Err(unknown));
        let system = add_to_example(&facts, &["system@app"]);
        assert_eq!(system, Err(Refusal::SystemUser("system@app".to_owned())));
    }
}
