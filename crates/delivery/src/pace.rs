//! A limit on attempts started per second.

use confab_domain::time::Timestamp;

const SECOND_US: i64 = 1_000_000;

/// A rate limiter that spaces starts evenly. Starts that are not used accumulate for at most a
/// tenth of a second.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Earliest time of the next start if no unused starts had accumulated.
    next_at: Option<Timestamp>,
}

impl Pace {
    /// Uses one start, or returns the time at which the next start is allowed.
    pub(super) fn take(&mut self, limit: Option<u32>, now: Timestamp) -> Result<(), Timestamp> {
        let Some(limit) = limit else { return Ok(()) };
        let every_us = (SECOND_US / i64::from(limit.max(1))).max(1);
        let saved_us = every_us.max(SECOND_US / 10);
        let earliest = Timestamp(now.0 - saved_us + every_us);
        let next_at = self.next_at.map_or(now, |at| at.max(earliest));
        if next_at > now {
            return Err(next_at);
        }
        self.next_at = Some(Timestamp(next_at.0 + every_us));
        Ok(())
    }

    /// Whether this limiter is in the same state as a new one, so that it can be dropped.
    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        self.next_at.is_none_or(|at| at <= now)
    }

    /// Makes a start available again that was taken but not used.
    pub(super) fn give_back(&mut self, limit: Option<u32>) {
        let every_us = (SECOND_US / i64::from(limit.unwrap_or(1).max(1))).max(1);
        self.next_at = self.next_at.map(|at| Timestamp(at.0 - every_us));
    }
}
