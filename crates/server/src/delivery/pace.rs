//! How many attempts may start in a second.

use confab_domain::time::Timestamp;

const SECOND_US: i64 = 1_000_000;

/// Spreads starts evenly: one every second divided by the limit, with no more saved up than a
/// tenth of a second's worth.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// When the next one is free, were nothing saved up.
    next_at: Option<Timestamp>,
}

impl Pace {
    /// Takes one start, or says when one is free.
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

    /// Whether the next one is free, and always was since the last.
    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        self.next_at.is_none_or(|at| at <= now)
    }

    /// A start was taken and not used.
    pub(super) fn give_back(&mut self, limit: Option<u32>) {
        let every_us = (SECOND_US / i64::from(limit.unwrap_or(1).max(1))).max(1);
        self.next_at = self.next_at.map(|at| Timestamp(at.0 - every_us));
    }
}
