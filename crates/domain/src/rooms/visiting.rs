//! Rules for clients that change rooms. Participants may change their rooms; a room that the caller
//! may not see is reported as not found (wire facts 4.2).

use std::sync::Arc;

use crate::app::App;
use crate::decision::context::Context;
use crate::decision::facts::{Facts, Participation, RoomFacts};
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::people::user::{User, UserRef};
use crate::refusal::Refusal;
use crate::rooms::joining;
use crate::rooms::opening::{self, NewRoom};
use crate::rooms::room::{Room, RoomKind, RoomRef};
use crate::rooms::seeing::not_in;
use crate::rooms::updating::{self, RoomEdit};

/// Prefixes of the unique ids that the server creates. Clients may not choose unique ids with these
/// prefixes.
const OWN_NAMES: [&str; 2] = ["single-", "room-"];

/// Returns the room and the caller's positions in it. Fails unless the caller is a participant.
pub(crate) fn participation<'a>(
    facts: &'a Facts,
    asked: &RoomRef,
    by: &User,
) -> Result<(&'a RoomFacts, Participation), Refusal> {
    let found = facts.room(asked)?;
    let its = found.participations.iter().find(|(key, _)| *key == by.key);
    let (_, participation) = its.ok_or_else(|| not_in(asked, &found.room, &by.itself()))?;
    Ok((found, *participation))
}

/// Adds users to a room on behalf of a participant.
pub struct AddParticipantsAs {
    pub by: UserRef,
    pub room: RoomRef,
    pub users: Vec<UserRef>,
}

impl Rule for AddParticipantsAs {
    type Outcome = Vec<Arc<User>>;

    fn question(&self, _: &App) -> Question {
        question(&self.room, &self.by, &self.users)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        changeable(facts, &self.room, &self.by)?;
        joining::add(facts, &self.room, &self.users, context.app.system_user, stamp)
    }
}

/// Removes users from a room on behalf of a participant, who may also remove themselves.
pub struct RemoveParticipantsAs {
    pub by: UserRef,
    pub room: RoomRef,
    pub users: Vec<UserRef>,
}

impl Rule for RemoveParticipantsAs {
    type Outcome = Vec<Arc<User>>;

    fn question(&self, _: &App) -> Question {
        question(&self.room, &self.by, &self.users)
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        _: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        changeable(facts, &self.room, &self.by)?;
        joining::remove(facts, &self.room, &self.users)
    }
}

/// Updates a room on behalf of a participant. The outcome states whether anything changed.
pub struct UpdateRoomAs {
    pub by: UserRef,
    pub room: RoomRef,
    pub edit: RoomEdit,
}

impl Rule for UpdateRoomAs {
    type Outcome = (bool, Arc<Room>);

    fn question(&self, _: &App) -> Question {
        question(&self.room, &self.by, &[])
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        changeable(facts, &self.room, &self.by)?;
        updating::update(facts, &self.room, &self.edit, stamp)
    }
}

/// Finds a room by its unique id, or opens a public room with it if there is none. Adds the caller
/// if the room is public. The outcome states whether anything changed.
pub struct OpenByName {
    pub by: UserRef,
    pub new: NewRoom,
}

impl Rule for OpenByName {
    type Outcome = (bool, Arc<Room>);

    fn question(&self, _: &App) -> Question {
        opening::question(&self.new)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        let new = &self.new;
        let named = RoomRef::Unique(new.unique_id.clone());
        match facts.found_room(&named) {
            Some(found) if found.room.kind != RoomKind::Public => {
                must_be_in(facts, &named, &self.by)?;
                Ok(Decision::nothing((false, found.room.clone())))
            }
            None if OWN_NAMES.iter().any(|start| new.unique_id.as_str().starts_with(start)) => {
                Err(FieldProblem::new("unique_id", "must not begin with single- or room-").into())
            }
            _ => opening::channel(facts, new, context.app.system_user, stamp),
        }
    }
}

/// Returns the facts that the rules about one room need. `others` are the users to add or remove.
fn question(room: &RoomRef, by: &UserRef, others: &[UserRef]) -> Question {
    let mut users = others.to_vec();
    if !users.iter().any(|user| user.user_id() == by.user_id()) {
        users.push(by.clone());
    }
    joining::question(room, &users)
}

/// Fails if the caller is not a participant of the room, or if it is a customer's room.
fn changeable(facts: &Facts, room: &RoomRef, by: &UserRef) -> Result<(), Refusal> {
    let found = must_be_in(facts, room, by)?;
    if found.room.customer.is_some() {
        return Err(Refusal::CustomersRoom(room.shown()));
    }
    Ok(())
}

/// Returns the room. Fails unless the caller is a participant.
fn must_be_in<'a>(
    facts: &'a Facts,
    room: &RoomRef,
    by: &UserRef,
) -> Result<&'a RoomFacts, Refusal> {
    let found = facts.room(room)?;
    let is_in = facts.found_user(by).is_some_and(|user| found.members.contains(&user.key));
    if is_in { Ok(found) } else { Err(not_in(room, &found.room, by)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{self};
    use crate::ids::UserKey;
    use crate::people::user::UserId;

    fn id(text: &str) -> UserRef {
        UserId::parse("user_id", text).expect("valid").into()
    }

    fn add(facts: &Facts, by: &str, user: &str) -> Option<Refusal> {
        let (room, by, users) = (example::room_ref(), id(by), vec![id(user)]);
        example::decided(facts, &AddParticipantsAs { by, room, users }).err()
    }

    fn remove(facts: &Facts, by: &str, user: &str) -> Option<Refusal> {
        let (room, by, users) = (example::room_ref(), id(by), vec![id(user)]);
        example::decided(facts, &RemoveParticipantsAs { by, room, users }).err()
    }

    #[test]
    fn users_outside_a_room_cannot_change_it_and_get_room_not_found() {
        let (facts, room) = (example::facts(), example::room_ref());
        let unknown = Refusal::RoomNotFound(room.shown());
        assert_eq!(add(&facts, "bob", "bob"), Some(unknown.clone()));
        assert_eq!(remove(&facts, "bob", "ana"), Some(unknown.clone()));
        let edit = RoomEdit { name: Some("x".to_owned()), ..RoomEdit::default() };
        let updated = example::decided(&facts, &UpdateRoomAs { by: id("bob"), room, edit });
        assert_eq!(updated.err(), Some(unknown));
        assert_eq!(add(&facts, "ana", "bob"), None);
    }

    #[test]
    fn users_outside_a_public_room_get_not_a_participant() {
        let mut facts = example::facts();
        example::make_public(&mut facts);
        let removed = remove(&facts, "bob", "ana");
        assert!(matches!(removed, Some(Refusal::NotAParticipant { .. })));
    }

    #[test]
    fn clients_cannot_change_a_customers_room() {
        let mut facts = example::facts();
        let mut room = Room::clone(&facts.rooms[0].1.room);
        room.customer = Some(UserKey(1));
        facts.rooms[0].1.room = Arc::new(room);
        assert!(matches!(remove(&facts, "ana", "ana"), Some(Refusal::CustomersRoom(_))));
    }
}
