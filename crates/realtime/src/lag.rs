//! The delay between commits and the publication of their signals.
//!
//! The feed records its current work and the time at which it had last published everything in the
//! store; `/ready` and `/metrics` read these at any time, also while the feed is stuck (D-0041).

use std::time::{Duration, Instant};

use confab_domain::limits;
use parking_lot::Mutex;

/// Interval at which a node compares its published events with the store, unless it is the only
/// node.
pub(super) const CHECK_EVERY: Duration = Duration::from_secs(2);

const LAG_MAX: Duration = Duration::from_millis(limits::REALTIME_LAG_MAX_MS);

/// The delay between commits and the publication of their signals by the feed.
pub struct RealtimeLag {
    state: Mutex<LagState>,
}

struct LagState {
    /// Time at which the work that the feed is doing was committed or received. `None` if it is
    /// idle.
    working_on: Option<Instant>,
    /// Last time at which the feed had published everything in the store. `None` on a single node,
    /// which does not compare.
    level_at: Option<Instant>,
    /// Number of nodes that write to the store but from which the bus delivers nothing.
    unheard: usize,
}

impl RealtimeLag {
    pub(super) fn new() -> Self {
        let state = LagState { working_on: None, level_at: None, unheard: 0 };
        Self { state: Mutex::new(state) }
    }

    /// Records that the feed starts work that was committed or received at this time.
    pub(super) fn begin(&self, since: Instant) {
        self.state.lock().working_on = Some(since);
    }

    /// Records that the feed finished its current work.
    pub(super) fn end(&self) {
        self.state.lock().working_on = None;
    }

    /// Records that the feed has published everything in the store, and the number of nodes from
    /// which the bus delivers nothing.
    pub(super) fn level(&self, unheard: usize) {
        let mut state = self.state.lock();
        (state.level_at, state.unheard) = (Some(Instant::now()), unheard);
    }

    /// Returns the age of the oldest commit that may not be published yet.
    pub fn now(&self) -> Duration {
        let state = self.state.lock();
        let working = state.working_on.map_or(Duration::ZERO, |since| since.elapsed());
        let level = state.level_at.map_or(Duration::ZERO, |at| at.elapsed());
        working.max(level.saturating_sub(CHECK_EVERY))
    }

    /// Returns the reason for `/ready` to fail, if the lag is too long.
    pub fn problem(&self) -> Option<String> {
        let lag = self.now();
        (lag > LAG_MAX).then(|| format!("realtime is {} s behind commits", lag.as_secs()))
    }

    /// Returns a warning for `/ready`, if the bus delivers nothing from nodes that write.
    pub fn warning(&self) -> Option<&'static str> {
        (self.state.lock().unheard > 0).then_some(
            "The bus delivers nothing from another node that writes, so its events arrive up to \
             two seconds late. Check that both nodes have the same version, nats_url and key \
             file, and the right time.",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ago(duration: Duration) -> Instant {
        Instant::now().checked_sub(duration).expect("the machine has run for a while")
    }

    #[test]
    fn a_feed_that_is_stuck_or_never_catches_up_is_reported() {
        let lag = RealtimeLag::new();
        assert_eq!((lag.now(), lag.problem()), (Duration::ZERO, None));
        lag.begin(ago(LAG_MAX + CHECK_EVERY));
        assert_eq!(lag.problem().as_deref(), Some("realtime is 17 s behind commits"));
        lag.end();
        assert_eq!(lag.problem(), None);
        lag.state.lock().level_at = Some(ago(LAG_MAX + 2 * CHECK_EVERY));
        assert!(lag.problem().is_some());
        lag.level(0);
        assert_eq!((lag.problem(), lag.warning()), (None, None));
        lag.level(1);
        assert!(lag.problem().is_none() && lag.warning().is_some());
    }
}
