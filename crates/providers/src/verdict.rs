//! Interpretation of a provider's response to a delivery.

use std::time::Duration;

use super::health::HealthState;
use super::provider_event::ExternalId;

/// Failure code of a message that is not sent because the provider's monthly quota is used up.
pub const QUOTA_SPENT: &str = "quota_spent";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The provider accepted the request.
    Sent {
        /// Ids of the message at the provider; empty if the request creates no message.
        ids: Vec<String>,
        /// Other ids of the customer in the response.
        also_known_as: Vec<ExternalId>,
    },
    /// The request must be repeated later. This outcome neither opens the circuit breaker nor
    /// counts as a failure (channel facts 1, rule 8).
    Again {
        after: Pause,
        /// Whether the whole channel waits, not only this customer's lane.
        whole_channel: bool,
        /// Change to the request of the next attempt, if necessary.
        instead: Option<Instead>,
    },
    /// The message can never be sent: it is marked as failed, with the reason.
    Never { code: String, why: String },
    /// The provider's 24-hour window for answering the customer is closed.
    WindowClosed,
    /// The token is invalid or the account is suspended: the channel pauses visibly and no delivery
    /// is given up (channel facts 1, rule 9).
    BadToken { health: HealthState, code: String, why: String },
    /// It is unknown whether the provider accepted the request (channel facts 5.4).
    Uncertain,
}

/// Time until the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    /// The time that the provider requests.
    Exactly(Duration),
    /// A time that doubles with each attempt, up to `most`.
    Doubling { first: Duration, most: Duration },
}

impl Pause {
    pub(super) const NONE: Self = Self::Exactly(Duration::ZERO);

    /// Pause after a problem of the provider: from 1 s to 60 s (channel facts 3.5).
    pub(super) const TROUBLE: Self =
        Self::Doubling { first: Duration::from_secs(1), most: Duration::from_secs(60) };

    /// Returns the length of the pause after `pauses_before` consecutive pauses.
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

/// Change to the next attempt of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instead {
    /// Send to this new address of the customer.
    Address(String),
    /// The reply token was used or has expired: send a push message (channel facts 4.3).
    Push,
}

impl Verdict {
    /// Returns the verdict for an accepted request. `id` is the provider's id of the message, if
    /// the request created one.
    pub(super) fn sent(id: Option<String>) -> Self {
        Self::Sent { ids: id.into_iter().collect(), also_known_as: Vec::new() }
    }

    /// Returns the verdict for a problem of the provider: the whole channel waits, with doubling
    /// pauses.
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
