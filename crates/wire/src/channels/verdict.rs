//! What a provider's answer means for a delivery.

use std::time::Duration;

use super::health::HealthState;
use super::provider_event::ExternalId;

/// The code of a refusal because the month's messages are used up.
pub const QUOTA_SPENT: &str = "quota_spent";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It was taken.
    Sent {
        /// The ids of the message at the provider; none if it makes no message.
        ids: Vec<String>,
        /// Other ids of the customer that the answer names.
        also_known_as: Vec<ExternalId>,
    },
    /// Not now. Neither opens the breaker nor counts as failing (channel facts 1, rule 8).
    Again {
        after: Pause,
        /// The whole channel waits, not only this customer's lane.
        whole_channel: bool,
        /// What to do differently.
        instead: Option<Instead>,
    },
    /// It can never be sent: failed, shown with the reason.
    Never { code: String, why: String },
    /// Only templates reach the customer now.
    WindowClosed,
    /// The token is dead, or the account is stopped: the channel pauses visibly and nothing is
    /// given up (channel facts 1, rule 9).
    BadToken { health: HealthState, code: String, why: String },
    /// Nobody can say whether it was taken (channel facts 5.4).
    Uncertain,
}

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    /// As long as the provider asks for.
    Exactly(Duration),
    /// Longer each time, up to a bound.
    Doubling { first: Duration, most: Duration },
}

impl Pause {
    pub(super) const NONE: Self = Self::Exactly(Duration::ZERO);

    /// A provider's trouble: from 1 s to 60 s (channel facts 3.5).
    pub(super) const TROUBLE: Self =
        Self::Doubling { first: Duration::from_secs(1), most: Duration::from_secs(60) };

    /// After so many pauses in a row before this one.
    pub fn length(self, pauses_before: u32) -> Duration {
        match self {
            Self::Exactly(length) => length,
            Self::Doubling { first, most } => {
                let factor = 1u32.checked_shl(pauses_before).filter(|it| *it > 0);
                factor.and_then(|it| first.checked_mul(it)).map_or(most, |it| it.min(most))
            }
        }
    }
}

/// What the next attempt does differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instead {
    /// The customer is reached here from now on.
    Address(String),
    /// The token of a reply is spent: push (channel facts 4.3).
    Push,
}

impl Verdict {
    /// Taken, as this message.
    pub(super) fn sent(id: Option<String>) -> Self {
        Self::Sent { ids: id.into_iter().collect(), also_known_as: Vec::new() }
    }

    /// The provider's trouble: the whole channel waits, longer each time.
    pub(super) fn trouble() -> Self {
        Self::Again { after: Pause::TROUBLE, whole_channel: true, instead: None }
    }

    pub(super) fn never(code: impl ToString, why: impl Into<String>) -> Self {
        Self::Never { code: code.to_string(), why: why.into() }
    }

    pub(super) fn bad_token(code: impl ToString, why: impl Into<String>) -> Self {
        let health = HealthState::Unauthorized;
        Self::BadToken { health, code: code.to_string(), why: why.into() }
    }
}
