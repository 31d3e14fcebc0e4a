//! How a channel is, and what to do about it (channel facts 5.5).

use confab_domain::time::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthState {
    Ok,
    /// It works, with bounds or late.
    Limited,
    /// The provider does not take the token.
    Unauthorized,
    /// Something must be set up at the provider.
    Misconfigured,
    /// The provider gives no answer.
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

/// What the answers to `check` say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelHealth {
    pub state: HealthState,
    /// In plain words; empty if all is well.
    pub why: String,
    /// What a person can do about it.
    pub todo: String,
    /// What the channel is called at the provider.
    pub account: Option<AccountAtProvider>,
    /// Until when the token is good, where that is known.
    pub token_ends_at: Option<Timestamp>,
    /// How much of the month's messages is used, where they are limited; else empty.
    pub quota: String,
}

/// A channel as its provider calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountAtProvider {
    pub id: String,
    pub name: String,
    /// A bot's name, a phone number as people write it.
    pub username: String,
}

/// The answer to a step of `check`; no status if none came.
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
        let why = format!("{who} gives no answer.");
        let todo = "Nothing is lost: what waits goes out when the service is back.";
        Self::is(HealthState::Unreachable, why, todo)
    }

    pub(super) fn unauthorized(who: &str) -> Self {
        let why = format!("{who} does not take the token.");
        let todo = "Replace the token of this channel; what waits goes out then.";
        Self::is(HealthState::Unauthorized, why, todo)
    }

    pub(super) fn with_account(self, account: Option<AccountAtProvider>) -> Self {
        Self { account, ..self }
    }
}
