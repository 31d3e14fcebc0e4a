//! Delivering: when a delivery is tried again, when it stops to hold up its lane, when it is given
//! up, and how an endpoint that fails is left in peace without being forgotten.

use crate::limits;
use crate::time::Timestamp;
use crate::webhooks::delivery::ErrorClass;
use crate::webhooks::event_kind::EventKind;

/// When attempts are made: the waits between them and the two hard caps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetrySchedule {
    /// The wait after the first failure, the second …; the last one counts for all that follow.
    pub waits_s: Vec<u64>,
    /// How many attempts are made in all.
    pub attempts_max: u32,
    /// How old a delivery may become.
    pub age_max_s: u64,
}

impl Default for RetrySchedule {
    /// 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, 4 h, 8 h, then every 12 h: 30 attempts, 10 days.
    fn default() -> Self {
        Self {
            waits_s: vec![5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200],
            attempts_max: 30,
            age_max_s: 10 * 24 * 3600,
        }
    }
}

impl RetrySchedule {
    /// What is shown on a phone, or said to a customer, is of no use a day later; all else has the
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

    /// Whether what is on it since then is too old to be sent at all.
    pub fn is_over(&self, since: Timestamp, now: Timestamp) -> bool {
        now.0.saturating_sub(since.0) > self.age_max_s.min(WAIT_MAX_S) as i64 * 1_000_000
    }
}

/// More than any plan lasts; longer ones are not computed with.
const WAIT_MAX_S: u64 = 1 << 30;

/// The longest wait that a receiver may ask for.
pub const RETRY_AFTER_MAX_S: u64 = 24 * 3600;

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver has it.
    Delivered,
    /// The receiver does not have it, as far as we know.
    Failed {
        class: ErrorClass,
        /// What the receiver asked us to wait.
        retry_after_s: Option<u64>,
    },
    /// The receiver does not want it yet, and says so: that is no failure, and does not count.
    Postponed {
        class: ErrorClass,
        after_s: u64,
        /// What else waits until then.
        holds: PostponedScope,
    },
}

/// What a postponed delivery holds up until its next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostponedScope {
    /// Everything that goes to the endpoint.
    Endpoint,
    /// The deliveries behind it in its lane.
    Lane,
    /// Nothing: the delivery is parked.
    Nothing,
}

/// What is done next with a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// Nothing: it is delivered.
    Done,
    /// Another attempt.
    TryAt(Timestamp),
    /// Nothing more, for this reason.
    GiveUp(ErrorClass),
    /// Nothing more, and the endpoint gets nothing any more either.
    Disable,
}

/// A delivery just after an attempt.
#[derive(Debug, Clone, Copy)]
pub struct AttemptCount {
    /// When it was made, or asked to be sent again.
    pub since: Timestamp,
    /// How many attempts were made since then, this one included.
    pub attempts: u32,
}

/// A random number that spreads attempts, so that those which failed together do not come back
/// together: a fifth less to a fifth more of each wait.
#[derive(Debug, Clone, Copy)]
pub struct Jitter(pub u16);

impl Jitter {
    fn spread(self, wait_s: u64) -> i64 {
        let millionths = 800_000 + i64::from(self.0) * 400_000 / i64::from(u16::MAX);
        wait_s.min(WAIT_MAX_S) as i64 * millionths
    }
}

/// Decides what comes after an attempt.
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

/// Whether a failing head of a lane lets the others pass: it held them up for long enough.
pub fn lets_others_pass(first_failed_at: Timestamp, block_s: u64, now: Timestamp) -> bool {
    now.0.saturating_sub(first_failed_at.0) >= block_s as i64 * 1_000_000
}

/// Failures in a row after which an endpoint is taken for dead.
const FAILURES_MAX: u32 = 10;
/// How long there may be nothing but failures, once there are several.
const FAILING_MAX_US: i64 = 5_000_000;
const SEVERAL: u32 = 3;
/// The first and the longest wait between two probes.
const PROBE_FIRST_US: i64 = 5_000_000;
const PROBE_LAST_US: i64 = 30_000_000;

/// Leaves a dead endpoint in peace: while it is open, one attempt at a time finds out whether the
/// receiver is back; once it is, attempts start slowly, one, two, four at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CircuitBreaker {
    /// All is well, or not yet bad enough.
    Closed {
        /// Failures in a row, and when they began.
        failing: Option<(u32, Timestamp)>,
    },
    /// Nothing but a probe now and then.
    Open {
        /// When it opened.
        since: Timestamp,
        /// When the next probe is due.
        probe_at: Timestamp,
        /// The wait after it, should it fail.
        wait_us: i64,
    },
    /// The receiver is back: so many attempts at once.
    Recovering {
        /// How many may run now.
        window: u32,
    },
}

/// What an endpoint's owner should hear of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthTransition {
    /// It stopped answering.
    Degraded,
    /// It answers again.
    Recovered,
}

impl Default for CircuitBreaker {
    fn default() -> Self {
        Self::Closed { failing: None }
    }
}

impl CircuitBreaker {
    /// How many attempts may run now, of the `limit` that the endpoint allows.
    pub fn at_once(&self, limit: u32, now: Timestamp) -> u32 {
        match self {
            Self::Closed { .. } => limit,
            Self::Open { probe_at, .. } => u32::from(now >= *probe_at),
            Self::Recovering { window } => limit.min(*window),
        }
    }

    /// When it may allow more than it does now.
    pub fn next_probe_at(&self) -> Option<Timestamp> {
        match self {
            Self::Open { probe_at, .. } => Some(*probe_at),
            _ => None,
        }
    }

    /// A success of any attempt.
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

    /// A failure that says something about the receiver.
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
