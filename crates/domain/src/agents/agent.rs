//! Agents: whoever signs in to work in an app, in whatever role.

use crate::agents::role::Role;
use crate::ids::{AgentId, AppId};
use crate::time::Timestamp;

/// Somebody who signs in to work in an app. The password's hash stays in the store.
#[derive(Debug, Clone)]
pub struct Agent {
    /// The integer inside this server.
    pub id: AgentId,
    /// The app worked in.
    pub app: AppId,
    /// The sign-in name, one in the whole server.
    pub email: String,
    /// The name for people.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// When the account was created.
    pub created_at: Timestamp,
}

/// Somebody who works in an app, as far as everybody may know: who they are, and their name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub id: AgentId,
    pub name: String,
}

impl From<&Agent> for Person {
    fn from(agent: &Agent) -> Self {
        Self { id: agent.id, name: agent.name.clone() }
    }
}
