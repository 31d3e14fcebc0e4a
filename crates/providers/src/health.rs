//! Health of a channel, with the recommended action for a problem (channel facts 5.5).

use confab_domain::time::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthState {
    Ok,
    /// The channel works, with limits or delays.
    Limited,
    /// The provider rejects the token.
    Unauthorized,
    /// A setting at the provider is wrong or missing.
    Misconfigured,
    /// The provider does not respond.
    Unreachable,
}

impl HealthState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Limited => "limited",
            Self::Unauthorized => "unauthorized",
            Self::Misconfigured => "misconfigured",
            Self::Unreachable => "unreachable",
        }
    }
}

/// Result of checking a channel's account and settings at its provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelHealth {
    pub state: HealthState,
    /// Explanation for staff; empty if the channel is healthy.
    pub why: String,
    /// Recommended action for staff; empty if the channel is healthy.
    pub todo: String,
    /// Account of the channel at the provider.
    pub account: Option<AccountAtProvider>,
    /// Expiry time of the token, if known.
    pub token_ends_at: Option<Timestamp>,
    /// Sentence about how much of the monthly message quota is used; empty if there is no quota.
    pub quota: String,
}

/// A channel's account at its provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountAtProvider {
    pub id: String,
    pub name: String,
    /// User name of a bot, or phone number in display format.
    pub username: String,
}

/// Response to one request of a health check (`check`); `status` is `None` if there was no
/// response.
#[derive(Debug, Clone, Copy)]
pub struct CheckAnswer<'a> {
    pub status: Option<u16>,
    pub body: &'a [u8],
}

impl ChannelHealth {
    pub(super) fn ok(account: Option<AccountAtProvider>) -> Self {
        let (why, todo) = (String::new(), String::new());
        let quota = String::new();
        Self { state: HealthState::Ok, why, todo, account, token_ends_at: None, quota }
    }

    pub(super) fn is(state: HealthState, why: impl Into<String>, todo: &str) -> Self {
        let (why, todo) = (why.into(), todo.to_owned());
        Self { state, why, todo, ..Self::ok(None) }
    }

    pub(super) fn unreachable(who: &str) -> Self {
        let why = format!("{who} does not respond.");
        let todo = "Nothing is lost: waiting messages are sent when it responds again.";
        Self::is(HealthState::Unreachable, why, todo)
    }

    pub(super) fn unauthorized(who: &str) -> Self {
        let why = format!("{who} rejects the token.");
        let todo = "Replace the token of this channel; waiting messages are sent then.";
        Self::is(HealthState::Unauthorized, why, todo)
    }

    pub(super) fn with_account(self, account: Option<AccountAtProvider>) -> Self {
        Self { account, ..self }
    }
}
