//! The sender side of a reply to a customer.

use crate::ids::AgentId;

/// The sender of a reply to a customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answerer {
    /// An agent, who must be assigned to the room, or an admin or supervisor.
    Staff(AgentId),
    /// The app itself, with or without a bot. It may always answer (D-0056).
    Bot,
}

impl Answerer {
    /// Returns the agent, admin or supervisor; `None` for the app.
    pub fn staff(self) -> Option<AgentId> {
        match self {
            Self::Staff(agent) => Some(agent),
            Self::Bot => None,
        }
    }
}
