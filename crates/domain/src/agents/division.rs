//! Divisions: groups of those who work in an app, by which allocation services find agents
//! (D-0064).

use crate::ids::{AgentId, DivisionId};
use crate::time::Timestamp;

/// A group of those who work in an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Division {
    pub id: DivisionId,
    /// The name for people, one in the app.
    pub name: String,
    /// Who is hired without a division comes into this one; an app has one at most.
    pub is_default: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The divisions of an app, and who is in which.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Divisions {
    /// The oldest first.
    pub all: Vec<Division>,
    pub members: Vec<(AgentId, DivisionId)>,
}

impl Divisions {
    /// The divisions that an agent is in.
    pub fn of(&self, agent: AgentId) -> impl Iterator<Item = &Division> {
        self.all.iter().filter(move |it| self.members.contains(&(agent, it.id)))
    }
}
