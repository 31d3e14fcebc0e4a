//! The roles of agents.

/// The role of an agent, which determines their permissions.
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
    /// Returns the role's number in the public API (spec 2.5).
    pub fn number(self) -> i64 {
        match self {
            Self::Admin => 1,
            Self::Agent => 2,
            Self::Supervisor => 3,
        }
    }

    /// Returns the role's name in the public API (spec 2.5).
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Agent => "agent",
            Self::Supervisor => "supervisor",
        }
    }

    /// All roles, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Admin, Self::Agent, Self::Supervisor];

    /// Returns the role with this number (spec 2.5).
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.number() == number)
    }

    /// Parses a role's name or number (spec 2.5).
    pub fn parse(text: &str) -> Option<Self> {
        let is_it = |role: &Self| role.as_str() == text || role.number().to_string() == text;
        Self::ALL.into_iter().find(is_it)
    }
}
