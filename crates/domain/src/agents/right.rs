//! The right that a decision rests on: checked when the request arrives, and again within the
//! decision's transaction, because it may end in between (D-0067).

use std::fmt;

use crate::agents::role::Role;
use crate::ids::AgentId;
use crate::time::Timestamp;

/// The right of an agent to do something. Where a right is an `Option`, `None` is the app itself,
/// which may do everything.
#[derive(Clone, PartialEq, Eq)]
pub struct Right {
    pub user: AgentId,
    /// The hash of the token they showed.
    pub sign_in: String,
    /// The roles that may do it.
    pub roles: &'static [Role],
    /// The agent's role when the request arrived, by which the rule judges. The right ends when the
    /// role changes, to whichever other one (D-0206).
    pub role: Role,
}

/// Hashes of tokens must not reach a log.
impl fmt::Debug for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Right({} as {:?})", self.user, self.roles)
    }
}

/// What became of the sign-in that a right rests on; there is nothing if it or its owner is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignInState {
    /// The role of its owner now.
    pub role: Role,
    /// Until when it is good.
    pub until: Timestamp,
}
