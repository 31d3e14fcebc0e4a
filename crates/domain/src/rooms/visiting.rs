//! What clients may do in rooms: those who are in one may change it, and whoever may not see one is
//! told that there is none (wire facts 4.2, D-0045).

use std::sync::Arc;

use crate::decision::facts::{Facts, Participation, RoomFacts};
use crate::decision::question::Question;
use crate::decision::rule::Decision;
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::ids::UserKey;
use crate::people::user::{User, UserRef};
use crate::refusal::Refusal;
use crate::rooms::joining;
use crate::rooms::opening::{self, NewRoom, RoomEdit, question as opening_question};
use crate::rooms::room::{Room, RoomKind, RoomRef};
use crate::rooms::seeing::not_in;

/// What the server calls the rooms of two, and clients may not call theirs.
const OWN_NAMES: [&str; 2] = ["single-", "room-"];

/// Up to where a user is in a room, who must be in it.
pub(crate) fn participation<'a>(
    facts: &'a Facts,
    asked: &RoomRef,
    by: &User,
) -> Result<(&'a RoomFacts, Participation), Refusal> {
    let found = facts.room(asked)?;
    let its = found.participations.iter().find(|(key, _)| *key == by.key);
    let (_, participation) = its.ok_or_else(|| not_in(asked, &found.room, &by.user_id))?;
    Ok((found, *participation))
}

/// What the rules about one room want to know. `others` are the users it is about.
pub fn question(room: &RoomRef, by: &UserRef, others: &[UserRef]) -> Question {
    let mut users = others.to_vec();
    if !users.iter().any(|user| user.user_id() == by.user_id()) {
        users.push(by.clone());
    }
    joining::question(room, &users)
}

/// Brings users into a room.
pub fn add(
    facts: &Facts,
    room: &RoomRef,
    by: &UserRef,
    users: &[UserRef],
    system_user: UserKey,
    stamp: &Stamp<'_>,
) -> Result<Decision<Vec<Arc<User>>>, Refusal> {
    changeable(facts, room, by)?;
    joining::add(facts, room, users, system_user, stamp)
}

/// Takes users out of a room; anybody may leave.
pub fn remove(
    facts: &Facts,
    room: &RoomRef,
    by: &UserRef,
    users: &[UserRef],
) -> Result<Decision<Vec<Arc<User>>>, Refusal> {
    changeable(facts, room, by)?;
    joining::remove(facts, room, users)
}

/// Changes a room.
pub fn update(
    facts: &Facts,
    room: &RoomRef,
    by: &UserRef,
    edit: &RoomEdit,
    stamp: &Stamp<'_>,
) -> Result<Decision<(bool, Arc<Room>)>, Refusal> {
    changeable(facts, room, by)?;
    opening::update(facts, room, edit, stamp)
}

/// What `by_name` wants to know.
pub fn naming_question(new: &NewRoom) -> Question {
    opening_question(new, None)
}

/// Finds a room by its unique id, or opens it as a channel, where the user comes in.
pub fn by_name(
    facts: &Facts,
    new: &NewRoom,
    by: &UserRef,
    system_user: UserKey,
    stamp: &Stamp<'_>,
) -> Result<Decision<(bool, Arc<Room>)>, Refusal> {
    let named = RoomRef::Unique(new.unique_id.clone());
    match facts.found_room(&named) {
        Some(found) if found.room.kind != RoomKind::Channel => {
            must_be_in(facts, &named, by)?;
            Ok(Decision::nothing((false, found.room.clone())))
        }
        None if OWN_NAMES.iter().any(|start| new.unique_id.as_str().starts_with(start)) => {
            Err(FieldProblem::new("unique_id", "must not begin with single- or room-").into())
        }
        _ => opening::channel(facts, new, system_user, stamp),
    }
}

/// A room that its participants may change, and the user is one of them.
fn changeable(facts: &Facts, room: &RoomRef, by: &UserRef) -> Result<(), Refusal> {
    let found = must_be_in(facts, room, by)?;
    if found.room.customer.is_some() {
        return Err(Refusal::CustomersRoom(room.shown()));
    }
    Ok(())
}

/// The room, which the user must be in.
fn must_be_in<'a>(
    facts: &'a Facts,
    room: &RoomRef,
    by: &UserRef,
) -> Result<&'a RoomFacts, Refusal> {
    let found = facts.room(room)?;
    let is_in = facts.found_user(by).is_some_and(|user| found.members.contains(&user.key));
    if is_in { Ok(found) } else { Err(not_in(room, &found.room, by.user_id())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{self, Counting};
    use crate::people::user::UserId;

    fn id(text: &str) -> UserRef {
        UserId::parse("user_id", text).expect("valid").into()
    }

    #[test]
    fn who_is_not_in_a_room_changes_nothing_and_does_not_learn_of_it() {
        let (facts, stamps) = (example::facts(), Counting::default());
        let (room, stamp) = (example::room_ref(), Stamp::new(&stamps, &facts));
        let unknown = Refusal::RoomNotFound(room.shown());
        let added = add(&facts, &room, &id("bob"), &[id("bob")], example::SYSTEM, &stamp);
        assert_eq!(added.err(), Some(unknown.clone()));
        let removed = remove(&facts, &room, &id("bob"), &[id("ana")]);
        assert_eq!(removed.err(), Some(unknown.clone()));
        let edit = RoomEdit { name: Some("x".to_owned()), ..RoomEdit::default() };
        let updated = update(&facts, &room, &id("bob"), &edit, &stamp);
        assert_eq!(updated.err(), Some(unknown));
        assert!(add(&facts, &room, &id("ana"), &[id("bob")], example::SYSTEM, &stamp).is_ok());
    }

    #[test]
    fn who_sees_a_channel_and_is_not_in_it_is_told_so() {
        let mut facts = example::facts();
        example::make_channel(&mut facts);
        let removed = remove(&facts, &example::room_ref(), &id("bob"), &[id("ana")]);
        assert!(matches!(removed.err(), Some(Refusal::NotAParticipant { .. })));
    }

    #[test]
    fn a_customers_room_is_not_changed_by_clients() {
        let mut facts = example::facts();
        let mut room = Room::clone(&facts.rooms[0].1.room);
        room.customer = Some(UserKey(1));
        facts.rooms[0].1.room = Arc::new(room);
        let removed = remove(&facts, &example::room_ref(), &id("ana"), &[id("ana")]);
        assert!(matches!(removed.err(), Some(Refusal::CustomersRoom(_))));
    }
}
