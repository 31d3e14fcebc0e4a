//! How a channel of a service is (D-0153).

use crate::time::Timestamp;

/// How a channel is, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProviderState {
    /// It works, as far as anybody knows.
    #[default]
    Ok,
    /// The service asks us to be slower.
    Limited,
    /// The service does not know our token any more: nothing goes out until it is replaced.
    Unauthorized,
    /// Something is not set up as it must be.
    Misconfigured,
    /// The service does not answer.
    Unreachable,
    /// Somebody switched it off.
    Off,
}

impl ProviderState {
    const ALL: [Self; 6] = [
        Self::Ok,
        Self::Limited,
        Self::Unauthorized,
        Self::Misconfigured,
        Self::Unreachable,
        Self::Off,
    ];

    /// As it is stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Limited => "limited",
            Self::Unauthorized => "unauthorized",
            Self::Misconfigured => "misconfigured",
            Self::Unreachable => "unreachable",
            Self::Off => "off",
        }
    }

    /// Reads the stored word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// How a channel is, since when and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderHealth {
    pub state: ProviderState,
    /// In plain words; empty where nothing is wrong.
    pub reason: String,
    pub since: Timestamp,
}
