//! On whose right something is decided: proven when the request arrived, and asked again within the
//! decision's own transaction, because a right may end in between (D-0067).

use std::fmt;

use crate::agents::role::Role;
use crate::ids::AgentId;
use crate::time::Timestamp;

/// The right of an agent to do something. Where a right is an `Option`, nobody's is that of
/// the app itself, which may do everything.
#[derive(Clone, PartialEq, Eq)]
pub struct Right {
    pub user: AgentId,
    /// The hash of the token they showed.
    pub sign_in: String,
    /// They must have one of these roles.
    pub roles: &'static [Role],
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
