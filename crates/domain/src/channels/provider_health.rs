//! Health of provider channels (design/channels).

use crate::time::Timestamp;

/// The health of a channel in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProviderState {
    /// No problem is known.
    #[default]
    Ok,
    /// The provider limits the request rate.
    Limited,
    /// The provider rejects the token. Nothing is sent until it is replaced.
    Unauthorized,
    /// The account is not set up as needed.
    Misconfigured,
    /// The provider does not answer.
    Unreachable,
    /// The channel was switched off.
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

    /// Returns the stored and public name.
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

    /// Parses the stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// The health of a channel, with its reason and start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderHealth {
    pub state: ProviderState,
    /// Description of the problem; empty without one.
    pub reason: String,
    pub since: Timestamp,
}
