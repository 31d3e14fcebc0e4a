//! Rights: an agent's permission to make a decision. A right is verified when a request arrives,
//! and checked again in the decision's transaction, because it may have ended in between (D-0067).

use std::fmt;

use crate::agents::role::Role;
use crate::ids::AgentId;
use crate::time::Timestamp;

/// Permission of an agent to make a decision.
#[derive(Clone, PartialEq, Eq)]
pub struct Right {
    pub user: AgentId,
    /// Hash of the token with which the agent authenticated.
    pub sign_in: String,
    /// Roles that permit the decision. The agent must have one of these roles.
    pub roles: &'static [Role],
    /// The agent's role when the request arrived. The right ends with any change of the role
    /// (D-0067).
    pub role: Role,
}

/// Hides the hash of the token, which must not reach a log.
impl fmt::Debug for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Right({} as {:?})", self.user, self.roles)
    }
}

/// Current role and expiry of the sign-in that a right refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignInState {
    /// Current role of the agent.
    pub role: Role,
    /// Expiry time of the sign-in.
    pub until: Timestamp,
}
