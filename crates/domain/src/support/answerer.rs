//! Who answers a customer.

use crate::ids::AgentId;

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answerer {
    /// Somebody who works in the app: an agent must serve the room, the others may everywhere.
    Staff(AgentId),
    /// The app itself, with a bot or without: it may always (D-0056).
    Bot,
}

impl Answerer {
    /// Who of those who work in the app, if it is one of them.
    pub fn staff(self) -> Option<AgentId> {
        match self {
            Self::Staff(agent) => Some(agent),
            Self::Bot => None,
        }
    }
}
