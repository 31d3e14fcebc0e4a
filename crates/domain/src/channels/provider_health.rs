//! Health of provider channels (design/channels).

use crate::time::Timestamp;

/// State of the connection between a channel and its provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProviderState {
    /// No problem is known.
    #[default]
    Ok,
    /// The provider limits the request rate.
    Limited,
    /// The provider rejects the token. Nothing is sent until it is replaced.
    Unauthorized,
    /// The account at the provider is not set up as the channel requires.
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

/// The state of a channel's connection to its provider, with the reason and start of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderHealth {
    pub state: ProviderState,
    /// Description of the problem; empty if there is none.
    pub reason: String,
    pub since: Timestamp,
}
