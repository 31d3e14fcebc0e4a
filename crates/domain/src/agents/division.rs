//! Divisions: groups of agents. Allocation services choose agents by division (design/support).

use crate::ids::{AgentId, DivisionId};
use crate::time::Timestamp;

/// A group of agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Division {
    pub id: DivisionId,
    /// Display name, unique in the app.
    pub name: String,
    /// Whether agents that are created without a division are put into this one. At most one
    /// division per app.
    pub is_default: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The divisions of an app and their members.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Divisions {
    /// All divisions, oldest first.
    pub all: Vec<Division>,
    pub members: Vec<(AgentId, DivisionId)>,
}

impl Divisions {
    /// Returns the divisions of an agent.
    pub fn of(&self, agent: AgentId) -> impl Iterator<Item = &Division> {
        self.all.iter().filter(move |it| self.members.contains(&(agent, it.id)))
    }
}
