//! Ways out: what carries a delivery to whom it is for.
//!
//! Each has the same shape: whether it is still wanted, the request, and how the answer is judged.
//! [`webhook`] posts to an endpoint, [`apns`] to a phone, [`service`] to a messenger's service, and
//! hands on what one told. Called by `attempting`, which knows when
//! something is sent and writes down what became of it. A new way out is a file here and one in
//! `wire`; it never writes to the store and never waits longer than its timeout.

pub(crate) mod apns;
pub(crate) mod provider;
pub(crate) mod webhook;

use std::time::Duration;

use confab_domain::channels::provider_health::ProviderState;
use confab_domain::decision::change::Change;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{Attempt, Delivery, ErrorClass, Progress};
use confab_domain::webhooks::retry_schedule::Outcome;

use super::addresses::Destination;
use super::task::YieldSlot;
use crate::traces::TraceContext;

/// A way out.
pub(super) trait Carrier {
    /// Why there is no use in sending it now, if there is none.
    fn unwanted(&self, parcel: &AttemptInput<'_>) -> impl Future<Output = Option<Unwanted>> + Send;

    /// Sends it and tells what became of it.
    fn carry(&self, parcel: &AttemptInput<'_>) -> impl Future<Output = AttemptResult> + Send;
}

/// One attempt to be made.
pub(super) struct AttemptInput<'a> {
    pub(super) delivery: &'a Delivery,
    pub(super) addressee: &'a Destination,
    /// The first is 1.
    pub(super) number: u32,
    /// When its retry schedule began.
    pub(super) since: Timestamp,
    /// Its retry schedule is over.
    pub(super) is_expired: bool,
    /// An earlier delivery of the lane was put aside.
    pub(super) is_after_gap: bool,
    pub(super) sent_at: Timestamp,
    /// How far the delivery is if this attempt succeeds.
    pub(super) if_delivered: Progress,
    /// For who waits for somebody else.
    pub(super) aside: &'a YieldSlot,
    /// What the attempt is of a trace, if it is recorded.
    pub(super) trace: Option<TraceContext>,
}

/// Why something is not sent.
pub(super) struct Unwanted(pub(super) ErrorClass, pub(super) &'static str);

/// An attempt, and what else follows from it.
pub(super) struct AttemptResult {
    pub(super) outcome: Outcome,
    pub(super) attempt: Attempt,
    /// To be written with the attempt.
    pub(super) changes: Vec<Change>,
    /// The channel cannot go on like that, and why.
    pub(super) stops: Option<(ProviderState, String)>,
    /// The attempt is written down already, with what followed from it (D-0172).
    pub(super) is_recorded: bool,
}

impl AttemptInput<'_> {
    /// Goes out this way, unless nobody wants it any more.
    pub(super) async fn by(&self, carrier: &(impl Carrier + Sync)) -> AttemptResult {
        match carrier.unwanted(self).await {
            Some(Unwanted(class, why)) => self.unsent(class, why),
            None => carrier.carry(self).await,
        }
    }

    fn timeout(&self) -> Duration {
        Duration::from_millis(u64::from(self.addressee.endpoint.policy.timeout_ms))
    }

    /// It was not sent.
    pub(super) fn unsent(&self, class: ErrorClass, why: &str) -> AttemptResult {
        AttemptResult::unsent(self.number, self.sent_at, class, why)
    }
}

impl AttemptResult {
    /// An attempt that was not made.
    pub(super) fn unsent(number: u32, at: Timestamp, class: ErrorClass, why: &str) -> Self {
        let attempt = Attempt {
            number,
            at,
            error: Some(class),
            status: None,
            url: None,
            peer: None,
            phases_us: [None; 5],
            answer: why.to_owned(),
            headers: None,
        };
        Self::of(Outcome::Failed { class, retry_after_s: None }, attempt, Vec::new())
    }

    /// An attempt that was made, and what is to be written with it.
    pub(super) fn of(outcome: Outcome, attempt: Attempt, changes: Vec<Change>) -> Self {
        Self { outcome, attempt, changes, stops: None, is_recorded: false }
    }
}
