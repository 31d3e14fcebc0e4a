//! A clock for retry schedules that is unaffected by changes of the system clock.

use std::time::Instant;

use confab_domain::time::Timestamp;

/// The system time at the start plus the time elapsed since. A delivery due in ten minutes is
/// attempted in ten minutes, even if the system clock is set.
#[derive(Debug, Clone, Copy)]
pub(super) struct MonotonicClock {
    began_at: Timestamp,
    began: Instant,
}

impl MonotonicClock {
    pub(super) fn starting_at(began_at: Timestamp) -> Self {
        Self { began_at, began: Instant::now() }
    }

    /// Returns by how many microseconds this clock is ahead of the system clock, or 0 if it is not.
    pub(super) fn ahead_us(&self, wall: Timestamp) -> i64 {
        self.now().0.saturating_sub(wall.0).max(0)
    }

    pub(super) fn now(&self) -> Timestamp {
        let passed_us = i64::try_from(self.began.elapsed().as_micros()).unwrap_or(i64::MAX);
        Timestamp(self.began_at.0.saturating_add(passed_us))
    }
}
