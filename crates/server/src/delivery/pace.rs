//! A limit on attempts started per second.

use confab_domain::time::Timestamp;

const SECOND_US: i64 = 1_000_000;

/// A rate limiter that spaces starts evenly: one start every second divided by the limit. Unused
/// starts accumulate for at most a tenth of a second.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Time of the next start, ignoring accumulated starts.
    next_at: Option<Timestamp>,
}

impl Pace {
    /// Uses one start. Returns the time of the next free start if there is none now.
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

    /// Whether the next start is free without accumulated starts, so that this limiter has no
    /// effect.
    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        self.next_at.is_none_or(|at| at <= now)
    }

    /// Returns a start that was not used.
    pub(super) fn give_back(&mut self, limit: Option<u32>) {
        let every_us = (SECOND_US / i64::from(limit.unwrap_or(1).max(1))).max(1);
        self.next_at = self.next_at.map(|at| Timestamp(at.0 - every_us));
    }
}
