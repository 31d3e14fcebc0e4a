//! Who does not want to hear from whom (wire facts 4.2, D-0045).

use std::sync::Arc;

use crate::decision::change::UserChange;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::Decision;
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::ids::UserKey;
use crate::limits;
use crate::people::user::{User, UserId};
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomKind};

/// What the rules here want to know.
pub fn question(other: &UserId) -> Question {
    Question { users: vec![other.clone()], ..Question::default() }
}

/// Blocks somebody. `blocked_before` is how many the user blocks already.
pub fn block(
    facts: &Facts,
    user: UserKey,
    other: &UserId,
    blocked_before: usize,
    stamp: &Stamp<'_>,
) -> Result<Decision<Arc<User>>, Refusal> {
    let other = facts.user(&other.clone().into())?;
    if other.key == user {
        return Err(FieldProblem::new("user_email", "must be somebody else").into());
    }
    if blocked_before >= limits::BLOCKS_OF_USER_MAX {
        return Err(Refusal::TooMany { what: "blocked users", max: limits::BLOCKS_OF_USER_MAX });
    }
    let change = UserChange::Block { user, blocked: other.key, at: stamp.now };
    Ok(Decision::new(vec![change.into()], other.clone()))
}

/// Ends that.
pub fn unblock(
    facts: &Facts,
    user: UserKey,
    other: &UserId,
) -> Result<Decision<Arc<User>>, Refusal> {
    let other = facts.user(&other.clone().into())?;
    let change = UserChange::Unblock { user, blocked: other.key };
    Ok(Decision::new(vec![change.into()], other.clone()))
}

/// Whether it must be asked who blocked whom before somebody posts: only for two alone.
pub fn matters_in(room: &Room) -> bool {
    room.kind == RoomKind::Single
}

/// Refuses who was blocked by the other one of a single room.
pub fn check(room: &Room, is_blocked: bool) -> Result<(), Refusal> {
    match is_blocked && matters_in(room) {
        true => Err(Refusal::Blocked(room.id.to_string())),
        false => Ok(()),
    }
}
