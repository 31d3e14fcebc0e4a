//! The services that customers write from, each with a folder of its own.

/// Whose JSON it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    Telegram,
}

impl Provider {
    pub const ALL: [Self; 1] = [Self::Telegram];

    /// The word of paths, of `source` and before `_channels` (channel facts 2).
    pub fn word(self) -> &'static str {
        match self {
            Self::Telegram => "telegram",
        }
    }

    /// Reads the word of a path.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.word() == word)
    }

    /// What its customers are called in an app, where user ids are one space (channel facts 2).
    pub(super) fn user_id(self, external: &str) -> String {
        format!("{}-{external}", self.word())
    }
}
