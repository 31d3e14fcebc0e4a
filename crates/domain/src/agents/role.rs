//! The roles of agents.

/// The permissions of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// May do everything in the app.
    Admin,
    /// Serves customers.
    Agent,
    /// Sees all conversations.
    Supervisor,
}

impl Role {
    /// Returns the number of spec 2.5.
    pub fn number(self) -> i64 {
        match self {
            Self::Admin => 1,
            Self::Agent => 2,
            Self::Supervisor => 3,
        }
    }

    /// Returns the name of spec 2.5.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Agent => "agent",
            Self::Supervisor => "supervisor",
        }
    }

    /// All roles, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Admin, Self::Agent, Self::Supervisor];

    /// Parses the number of spec 2.5.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.number() == number)
    }

    /// Parses the name or the number of spec 2.5.
    pub fn parse(text: &str) -> Option<Self> {
        let is_it = |role: &Self| role.as_str() == text || role.number().to_string() == text;
        Self::ALL.into_iter().find(is_it)
    }
}
