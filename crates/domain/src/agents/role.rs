//! What agents may do.

/// What an agent may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Everything in the app.
    Admin,
    /// Serves customers.
    Agent,
    /// Sees all conversations.
    Supervisor,
}

impl Role {
    /// The number of spec 2.5.
    pub fn number(self) -> i64 {
        match self {
            Self::Admin => 1,
            Self::Agent => 2,
            Self::Supervisor => 3,
        }
    }

    /// The name of spec 2.5.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Agent => "agent",
            Self::Supervisor => "supervisor",
        }
    }

    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Admin, Self::Agent, Self::Supervisor];

    /// Reads the number of spec 2.5.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.number() == number)
    }

    /// Reads the name or the number of spec 2.5.
    pub fn parse(text: &str) -> Option<Self> {
        let is_it = |role: &Self| role.as_str() == text || role.number().to_string() == text;
        Self::ALL.into_iter().find(is_it)
    }
}
