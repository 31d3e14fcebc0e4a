//! Rules by which a user blocks and unblocks other users (wire facts 4.2).

use std::sync::Arc;

use crate::app::App;
use crate::decision::change::UserChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::ids::UserKey;
use crate::limits;
use crate::people::user::{User, UserId};
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomKind};

/// Blocks another user.
pub struct BlockUser {
    /// The blocking user.
    pub user: UserKey,
    pub other: UserId,
    /// Number of users that the blocking user has already blocked.
    pub blocked_before: usize,
}

impl Rule for BlockUser {
    type Outcome = Arc<User>;

    fn question(&self, _: &App) -> Question {
        question(&self.other)
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        let (user, other) = (self.user, facts.user(&self.other.clone().into())?);
        if other.key == user {
            return Err(FieldProblem::new("user_email", "must be another user").into());
        }
        if self.blocked_before >= limits::BLOCKS_OF_USER_MAX {
            let max = limits::BLOCKS_OF_USER_MAX;
            return Err(Refusal::TooMany { what: "blocked users", max });
        }
        let change = UserChange::Block { user, blocked: other.key, at: stamp.now };
        Ok(Decision::new(vec![change.into()], other.clone()))
    }
}

/// Ends the block of a user.
pub struct UnblockUser {
    pub user: UserKey,
    pub other: UserId,
}

impl Rule for UnblockUser {
    type Outcome = Arc<User>;

    fn question(&self, _: &App) -> Question {
        question(&self.other)
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        _: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        let other = facts.user(&self.other.clone().into())?;
        let change = UserChange::Unblock { user: self.user, blocked: other.key };
        Ok(Decision::new(vec![change.into()], other.clone()))
    }
}

/// Whether a block between two participants prevents messages in a room. It does in single rooms
/// only.
pub fn matters_in(room: &Room) -> bool {
    room.kind == RoomKind::Single
}

/// Fails if the other user of a single room has blocked the sender.
pub fn check(room: &Room, is_blocked: bool) -> Result<(), Refusal> {
    match is_blocked && matters_in(room) {
        true => Err(Refusal::Blocked(room.id.to_string())),
        false => Ok(()),
    }
}

fn question(other: &UserId) -> Question {
    Question { users: vec![other.clone()], ..Question::default() }
}
