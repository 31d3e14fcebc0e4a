//! The retry schedule: when a delivery is attempted again, when it stops blocking its lane, when it
//! is given up, and how a circuit breaker pauses and probes a failing endpoint.

use crate::limits;
use crate::time::Timestamp;
use crate::webhooks::delivery::ErrorClass;
use crate::webhooks::event_kind::EventKind;

/// The waits between attempts, and two hard limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetrySchedule {
    /// Waits in seconds after the first failure, the second and so on; the last one is repeated.
    pub waits_s: Vec<u64>,
    /// Maximum number of attempts.
    pub attempts_max: u32,
    /// Maximum age of a delivery in seconds.
    pub age_max_s: u64,
}

impl Default for RetrySchedule {
    /// Returns 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, 4 h, 8 h, then every 12 h: 30 attempts,
    /// 10 days.
    fn default() -> Self {
        Self {
            waits_s: vec![5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200],
            attempts_max: 30,
            age_max_s: 10 * 24 * 3600,
        }
    }
}

impl RetrySchedule {
    /// Returns the schedule for a kind of event. Pushes, and events and messages of provider
    /// channels, are useless after a day. Other kinds, including forwarded events, have the
    /// default.
    pub fn of(kind: EventKind) -> Self {
        let plan = Self::default();
        match kind {
            EventKind::Push => Self { age_max_s: limits::PUSH_AGE_MAX_S, ..plan },
            EventKind::ChannelEvent | EventKind::ChannelSend => Self {
                waits_s: vec![2, 5, 15, 60, 300, 900, 3600],
                age_max_s: limits::CHANNEL_AGE_MAX_S,
                ..plan
            },
            _ => plan,
        }
    }

    /// Whether a delivery whose schedule began at `since` is too old to be sent.
    pub fn is_over(&self, since: Timestamp, now: Timestamp) -> bool {
        now.0.saturating_sub(since.0) > self.age_max_s.min(WAIT_MAX_S) as i64 * 1_000_000
    }
}

/// Upper limit in seconds for waits and ages in calculations, to avoid overflows. Longer than any
/// schedule.
const WAIT_MAX_S: u64 = 1 << 30;

/// Maximum wait in seconds that a receiver may request.
pub const RETRY_AFTER_MAX_S: u64 = 24 * 3600;

/// The outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver accepted the delivery.
    Delivered,
    /// The receiver did not accept the delivery, or its response was lost.
    Failed {
        class: ErrorClass,
        /// Wait in seconds that the receiver requested.
        retry_after_s: Option<u64>,
    },
    /// The receiver requested a later attempt. This is no failure and does not count as an attempt.
    Postponed {
        class: ErrorClass,
        after_s: u64,
        /// The other deliveries that wait until the next attempt.
        holds: PostponedScope,
    },
}

/// The deliveries that a postponed delivery blocks until its next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostponedScope {
    /// All deliveries to the endpoint.
    Endpoint,
    /// The later deliveries of its lane.
    Lane,
    /// No other deliveries: the postponed one is parked.
    Nothing,
}

/// The next step of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// The delivery succeeded; no attempt follows.
    Done,
    /// Another attempt at this time.
    TryAt(Timestamp),
    /// The delivery is given up for this reason.
    GiveUp(ErrorClass),
    /// The delivery is given up, and its endpoint is disabled.
    Disable,
}

/// The attempts of a delivery on its current schedule.
#[derive(Debug, Clone, Copy)]
pub struct AttemptCount {
    /// Time when the delivery was created or replayed.
    pub since: Timestamp,
    /// Number of attempts since then, including the last one. Postponed attempts do not count.
    pub attempts: u32,
}

/// A random number that spreads attempts, so that deliveries that failed together are not retried
/// together. It changes each wait by up to a fifth.
#[derive(Debug, Clone, Copy)]
pub struct Jitter(pub u16);

impl Jitter {
    fn spread(self, wait_s: u64) -> i64 {
        let millionths = 800_000 + i64::from(self.0) * 400_000 / i64::from(u16::MAX);
        wait_s.min(WAIT_MAX_S) as i64 * millionths
    }
}

/// Decides the next step after an attempt.
pub fn next(
    plan: &RetrySchedule,
    tries: AttemptCount,
    outcome: Outcome,
    now: Timestamp,
    jitter: Jitter,
) -> NextStep {
    let (class, retry_after_s) = match outcome {
        Outcome::Delivered => return NextStep::Done,
        Outcome::Postponed { after_s, .. } => {
            let after_us = after_s.min(RETRY_AFTER_MAX_S) as i64 * 1_000_000;
            return NextStep::TryAt(Timestamp(now.0.saturating_add(after_us)));
        }
        Outcome::Failed { class, retry_after_s } => (class, retry_after_s),
    };
    if class == ErrorClass::Status410 {
        return NextStep::Disable;
    }
    if class.is_final() {
        return NextStep::GiveUp(class);
    }
    if tries.attempts >= plan.attempts_max {
        return NextStep::GiveUp(class);
    }
    let asked_us = retry_after_s.map_or(0, |asked| asked.min(RETRY_AFTER_MAX_S) as i64 * 1_000_000);
    let wait_us = jitter.spread(wait_after(plan, tries.attempts)).max(asked_us);
    let at = Timestamp(now.0.saturating_add(wait_us));
    let age_max_us = plan.age_max_s.min(WAIT_MAX_S) as i64 * 1_000_000;
    let end = tries.since.0.saturating_add(age_max_us);
    if at.0 > end { NextStep::GiveUp(ErrorClass::Expired) } else { NextStep::TryAt(at) }
}

fn wait_after(plan: &RetrySchedule, attempts: u32) -> u64 {
    let at = (attempts.max(1) - 1) as usize;
    plan.waits_s.get(at).or(plan.waits_s.last()).copied().unwrap_or(0)
}

/// Whether a failing delivery has blocked its lane long enough and must let later ones pass.
pub fn lets_others_pass(first_failed_at: Timestamp, block_s: u64, now: Timestamp) -> bool {
    now.0.saturating_sub(first_failed_at.0) >= block_s as i64 * 1_000_000
}

/// Number of consecutive failures after which the circuit breaker opens.
const FAILURES_MAX: u32 = 10;
/// Duration of consecutive failures, in microseconds, after which the circuit breaker opens if
/// there were at least [`SEVERAL`].
const FAILING_MAX_US: i64 = 5_000_000;
const SEVERAL: u32 = 3;
/// Wait before the first probe, in microseconds. Later waits double, up to [`PROBE_LAST_US`].
const PROBE_FIRST_US: i64 = 5_000_000;
const PROBE_LAST_US: i64 = 30_000_000;

/// A circuit breaker. While it is open, single attempts probe whether the receiver has recovered;
/// then the number of concurrent attempts grows slowly: one, two, four and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CircuitBreaker {
    /// No failures, or too few to open the circuit breaker.
    Closed {
        /// Number of consecutive failures, and the time of the first.
        failing: Option<(u32, Timestamp)>,
    },
    /// Only probes are attempted.
    Open {
        /// Time when the circuit breaker opened.
        since: Timestamp,
        /// Time of the next probe.
        probe_at: Timestamp,
        /// Wait after the next probe, in microseconds, if that probe fails.
        wait_us: i64,
    },
    /// The receiver has recovered; the number of concurrent attempts is limited.
    Recovering {
        /// Maximum number of concurrent attempts.
        window: u32,
    },
}

/// A transition that the endpoint's owner is notified of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthTransition {
    /// The circuit breaker opened because attempts failed.
    Degraded,
    /// A probe succeeded.
    Recovered,
}

impl Default for CircuitBreaker {
    fn default() -> Self {
        Self::Closed { failing: None }
    }
}

impl CircuitBreaker {
    /// Returns the number of attempts that may run now, given the endpoint's own limit.
    pub fn at_once(&self, limit: u32, now: Timestamp) -> u32 {
        match self {
            Self::Closed { .. } => limit,
            Self::Open { probe_at, .. } => u32::from(now >= *probe_at),
            Self::Recovering { window } => limit.min(*window),
        }
    }

    /// Returns the time of the next probe, if the breaker is open.
    pub fn next_probe_at(&self) -> Option<Timestamp> {
        match self {
            Self::Open { probe_at, .. } => Some(*probe_at),
            _ => None,
        }
    }

    /// Records a successful attempt.
    pub fn succeeded(&mut self, limit: u32) -> Option<HealthTransition> {
        match self {
            Self::Closed { failing } => {
                *failing = None;
                None
            }
            Self::Open { .. } => {
                *self = Self::Recovering { window: 2 };
                Some(HealthTransition::Recovered)
            }
            Self::Recovering { window } if window.saturating_mul(2) >= limit => {
                *self = Self::default();
                None
            }
            Self::Recovering { window } => {
                *window *= 2;
                None
            }
        }
    }

    /// Records a failed attempt that indicates a problem of the receiver.
    pub fn failed(&mut self, now: Timestamp) -> Option<HealthTransition> {
        match *self {
            Self::Closed { failing } => {
                let (count, began_at) = failing.unwrap_or((0, now));
                let (count, is_long) = (count + 1, now.0 - began_at.0 >= FAILING_MAX_US);
                if count >= FAILURES_MAX || count >= SEVERAL && is_long {
                    self.open(now);
                    return Some(HealthTransition::Degraded);
                }
                *self = Self::Closed { failing: Some((count, began_at)) };
                None
            }
            Self::Open { since, wait_us, .. } => {
                let probe_at = Timestamp(now.0 + wait_us);
                *self = Self::Open { since, probe_at, wait_us: (wait_us * 2).min(PROBE_LAST_US) };
                None
            }
            Self::Recovering { .. } => {
                self.open(now);
                Some(HealthTransition::Degraded)
            }
        }
    }

    fn open(&mut self, now: Timestamp) {
        let probe_at = Timestamp(now.0 + PROBE_FIRST_US);
        let wait_us = (PROBE_FIRST_US * 2).min(PROBE_LAST_US);
        *self = Self::Open { since: now, probe_at, wait_us };
    }
}

#[cfg(test)]
mod tests;
