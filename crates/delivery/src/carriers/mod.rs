//! Carriers: the transports of deliveries.
//!
//! Each carrier checks whether the delivery is still wanted, sends the request and judges the
//! answer. [`webhook`] posts to an endpoint, [`apns`] pushes to a phone, and [`provider`] sends
//! messages to customers. Carriers never write to the store. Events from providers are not sent: a
//! [`Worker`] processes them. `attempting` calls the carriers and the worker, and records the
//! results. A new carrier needs one file here and one in `wire` or `providers`. Each request is
//! bounded by the endpoint's timeout.

pub mod apns;
pub mod provider;
pub mod webhook;

use std::ops::ControlFlow;
use std::pin::Pin;
use std::time::Duration;

use confab_domain::channels::provider_health::ProviderState;
use confab_domain::decision::change::Change;
use confab_domain::ids::ChannelId;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{Attempt, Delivery, ErrorClass, Progress};
use confab_domain::webhooks::retry_schedule::{Outcome, PostponedScope};
use confab_runtime::traces::TraceContext;

use super::addresses::Destination;
use super::task::YieldSlot;

/// A transport of deliveries.
pub(super) trait Carrier {
    /// The data that [`Carrier::load`] reads.
    type Loaded: Send;

    /// Loads the data needed to send the delivery. Breaks with the result of the attempt if the
    /// delivery is not sent now.
    fn load(
        &self,
        input: &AttemptInput<'_>,
    ) -> impl Future<Output = ControlFlow<AttemptResult, Self::Loaded>> + Send;

    /// Whether the start of the attempt must be recorded before the delivery is sent.
    fn records_start(&self, _: &Self::Loaded) -> bool {
        false
    }

    /// Sends the delivery and judges the answer.
    fn carry(
        &self,
        input: &AttemptInput<'_>,
        loaded: Self::Loaded,
    ) -> impl Future<Output = AttemptResult> + Send;
}

/// Future of the result of an attempt.
pub type ResultFuture<'a> = Pin<Box<dyn Future<Output = AttemptResult> + Send + 'a>>;

/// Processes deliveries within this server, instead of sending them. The engine imports no workers;
/// `background` passes them in.
pub trait Worker: Send + Sync {
    /// Processes the delivery. Its effects and the record of the attempt may be committed together.
    fn process<'a>(&'a self, input: &'a AttemptInput<'_>) -> ResultFuture<'a>;
}

/// Explanation for a delivery whose endpoint does not belong to a channel.
pub const NO_CHANNEL: &str = "The endpoint does not belong to a channel.";

/// The input of one attempt.
pub struct AttemptInput<'a> {
    pub delivery: &'a Delivery,
    pub addressee: &'a Destination,
    /// Number of the attempt, counted from 1.
    pub number: u32,
    /// Start of the retry schedule.
    pub since: Timestamp,
    /// Whether the retry schedule has ended.
    pub(crate) is_expired: bool,
    /// Whether an earlier delivery of the lane is parked.
    pub(crate) is_after_gap: bool,
    pub sent_at: Timestamp,
    /// State to store for the delivery if this attempt succeeds.
    pub if_delivered: Progress,
    /// Releases this attempt's slot while it waits for a third party.
    pub yield_slot: &'a YieldSlot,
    /// The span of the attempt, if it is traced.
    pub(crate) trace: Option<TraceContext>,
}

/// Result of an attempt, with the changes to the store that follow from it.
pub struct AttemptResult {
    pub outcome: Outcome,
    pub attempt: Attempt,
    /// Changes to store together with the attempt.
    pub changes: Vec<Change>,
    /// New state of the channel and its reason, if the provider's answer shows that the channel
    /// cannot send any messages.
    pub stops: Option<(ProviderState, String)>,
    /// Whether the attempt is already recorded, together with its effects (D-0150).
    pub is_recorded: bool,
}

impl AttemptInput<'_> {
    fn timeout(&self) -> Duration {
        Duration::from_millis(u64::from(self.addressee.endpoint.policy.timeout_ms))
    }

    /// Returns the channel to which the endpoint belongs.
    pub fn channel(&self) -> Option<ChannelId> {
        self.addressee.endpoint.name.parse().ok().map(ChannelId)
    }

    /// Returns the result of an attempt that ended before a request was sent.
    pub fn unsent(&self, class: ErrorClass, why: &str) -> AttemptResult {
        AttemptResult::unsent(self.number, self.sent_at, class, why)
    }

    /// Returns the result of an attempt that succeeded without a request.
    pub fn delivered(&self, note: &str) -> AttemptResult {
        let result = self.unsent(ErrorClass::Write, note);
        let attempt = Attempt { error: None, ..result.attempt };
        AttemptResult::of(Outcome::Delivered, attempt, Vec::new())
    }
}

impl AttemptResult {
    /// Returns the result of an attempt that ended before a request was sent.
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

    /// Postpones the delivery without counting the attempt.
    pub fn postpone(&mut self, class: ErrorClass, after_s: u64, holds: PostponedScope) {
        self.attempt.error = Some(class);
        self.outcome = Outcome::Postponed { class, after_s, holds };
    }

    /// Returns a result that stops no channel and is not recorded yet.
    pub(super) fn of(outcome: Outcome, attempt: Attempt, changes: Vec<Change>) -> Self {
        Self { outcome, attempt, changes, stops: None, is_recorded: false }
    }
}
