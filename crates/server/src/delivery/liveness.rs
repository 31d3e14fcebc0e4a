//! Whether deliveries move: what `/ready` and the metrics are told.

use std::time::{Duration, Instant};

use confab_domain::time::Timestamp;
use parking_lot::Mutex;

use super::lanes::LanesStanding;

/// How long the engine may be silent, or without an answer of the store.
const SILENT_MAX: Duration = Duration::from_secs(30);

/// What the engine last said of itself.
pub(crate) struct Liveness(Mutex<Beats>);

struct Beats {
    turned: Instant,
    looked: Instant,
    /// An attempt that does not come to its end.
    is_stuck: bool,
}

impl Default for Liveness {
    fn default() -> Self {
        let now = Instant::now();
        Self(Mutex::new(Beats { turned: now, looked: now, is_stuck: false }))
    }
}

impl Liveness {
    /// The engine is at work.
    pub(super) fn turned(&self) {
        self.0.lock().turned = Instant::now();
    }

    /// The store said what is new.
    pub(super) fn looked(&self) {
        self.0.lock().looked = Instant::now();
    }

    /// Tells the numbers.
    pub(super) fn measured(&self, standing: LanesStanding, now: Timestamp, is_stuck: bool) {
        self.0.lock().is_stuck = is_stuck;
        let LanesStanding { waiting, parked, running, open_breakers, oldest, .. } = standing;
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

    /// What is wrong, in words.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let beats = self.0.lock();
        if beats.turned.elapsed() > SILENT_MAX {
            Some("the delivery engine does not move")
        } else if beats.looked.elapsed() > SILENT_MAX {
            Some("the store does not say what is to be delivered")
        } else if beats.is_stuck {
            Some("a lane of deliveries is stuck: an attempt does not come to its end")
        } else {
            None
        }
    }
}
