//! The liveness of the delivery engine, for `/ready` and the metrics.

use std::time::{Duration, Instant};

use confab_domain::time::Timestamp;
use parking_lot::Mutex;

use super::lanes::LaneCounts;

/// Maximum time without an iteration of the engine, or without a successful read from the store,
/// until the engine counts as failed.
const SILENT_MAX: Duration = Duration::from_secs(30);

/// State of the engine as last reported by its task.
pub struct Liveness(Mutex<Beats>);

struct Beats {
    turned: Instant,
    polled: Instant,
    /// Whether a running attempt has exceeded its time limit.
    is_stuck: bool,
}

impl Default for Liveness {
    fn default() -> Self {
        let now = Instant::now();
        Self(Mutex::new(Beats { turned: now, polled: now, is_stuck: false }))
    }
}

impl Liveness {
    /// Records an iteration of the engine.
    pub(super) fn turned(&self) {
        self.0.lock().turned = Instant::now();
    }

    /// Records a successful poll of the store.
    pub(super) fn polled(&self) {
        self.0.lock().polled = Instant::now();
    }

    /// Publishes the engine's counts as metrics and records whether an attempt is stuck.
    pub(super) fn measured(&self, standing: LaneCounts, now: Timestamp, is_stuck: bool) {
        self.0.lock().is_stuck = is_stuck;
        let LaneCounts { waiting, parked, running, open_breakers, oldest, .. } = standing;
        let oldest_s = oldest.map_or(0, |oldest| now.0.saturating_sub(oldest.0).max(0));
        let backlog = |state: &'static str, count: usize| {
            metrics::gauge!("confab_webhook_backlog", "state" => state).set(count as f64);
        };
        backlog("waiting", waiting);
        backlog("parked", parked);
        backlog("running", running);
        metrics::gauge!("confab_webhook_breakers_open").set(open_breakers as f64);
        metrics::gauge!("confab_webhook_oldest_seconds").set(oldest_s as f64 / 1e6);
    }

    /// Returns the reason why the engine does not work, if there is one.
    pub fn problem(&self) -> Option<&'static str> {
        let beats = self.0.lock();
        if beats.turned.elapsed() > SILENT_MAX {
            Some("the delivery engine does not respond")
        } else if beats.polled.elapsed() > SILENT_MAX {
            Some("the delivery engine cannot read from the store")
        } else if beats.is_stuck {
            Some("a delivery attempt has exceeded its time limit and blocks its lane")
        } else {
            None
        }
    }
}
