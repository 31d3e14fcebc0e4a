//! Rights: the permission on which a decision rests. A right is proven when a request arrives, and
//! checked again in the decision's own transaction, because it may end in between (D-0067).

use std::fmt;

use crate::agents::role::Role;
use crate::ids::AgentId;
use crate::time::Timestamp;

/// Permission of an agent to make a decision. Where a right is an `Option`, `None` stands for the
/// app itself, which may do everything.
#[derive(Clone, PartialEq, Eq)]
pub struct Right {
    pub user: AgentId,
    /// Hash of the agent's token.
    pub sign_in: String,
    /// Roles that are permitted. The agent must have one of them.
    pub roles: &'static [Role],
    /// The agent's role when the request arrived, on which the decision is based. Any change of the
    /// role ends the right (D-0067).
    pub role: Role,
}

/// Hides the hash of the token, which must not reach a log.
impl fmt::Debug for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Right({} as {:?})", self.user, self.roles)
    }
}

/// Current state of the sign-in that a right rests on. There is none if the sign-in or its agent
/// was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignInState {
    /// Current role of the agent.
    pub role: Role,
    /// Expiry time of the sign-in.
    pub until: Timestamp,
}
