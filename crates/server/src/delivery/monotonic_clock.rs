//! A clock for waiting, which nobody can set.

use std::time::Instant;

use confab_domain::time::Timestamp;

/// The wall's time at the start, and what passed since: an attempt that is due in ten minutes is
/// due in ten minutes, whatever happens to the wall's clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct MonotonicClock {
    began_at: Timestamp,
    began: Instant,
}

impl MonotonicClock {
    pub(super) fn starting_at(began_at: Timestamp) -> Self {
        Self { began_at, began: Instant::now() }
    }

    /// By how much the wall's clock was set back since the start; 0 if it was not.
    pub(super) fn ahead_us(&self, wall: Timestamp) -> i64 {
        self.now().0.saturating_sub(wall.0).max(0)
    }

    pub(super) fn now(&self) -> Timestamp {
        let passed_us = i64::try_from(self.began.elapsed().as_micros()).unwrap_or(i64::MAX);
        Timestamp(self.began_at.0.saturating_add(passed_us))
    }
}
