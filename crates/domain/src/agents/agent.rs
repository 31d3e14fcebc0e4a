//! Agents: the people who sign in to work in an app, in any role.

use crate::agents::role::Role;
use crate::ids::{AgentId, AppId};
use crate::time::Timestamp;

/// A person who signs in to work in an app, without the password hash.
#[derive(Debug, Clone)]
pub struct Agent {
    pub id: AgentId,
    pub app: AppId,
    /// E-mail address for signing in, unique in the whole server.
    pub email: String,
    /// Display name.
    pub name: String,
    pub role: Role,
    /// Creation time of the account.
    pub created_at: Timestamp,
}

/// Id and name of an agent, which everyone in the app may see.
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
