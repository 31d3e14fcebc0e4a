//! The signal from commits to the delivery engine.

use std::collections::HashSet;

use confab_domain::ids::AppId;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Wakes the engine after commits, and collects the apps whose cached endpoints are out of date.
#[derive(Default)]
pub struct DeliveryWake {
    signal: Notify,
    changed: Mutex<HashSet<AppId>>,
}

impl DeliveryWake {
    /// Wakes the engine, so that it polls the store.
    pub fn wake(&self) {
        self.signal.notify_one();
    }

    /// Invalidates the engine's cache of an app, its keys and its endpoints, before the next
    /// deliveries are read.
    pub fn changed(&self, app: AppId) {
        self.changed.lock().insert(app);
    }

    /// Returns the apps that were changed since the last call.
    pub(super) fn take_changed(&self) -> HashSet<AppId> {
        std::mem::take(&mut self.changed.lock())
    }

    /// Waits for the next wake.
    pub(super) async fn woken(&self) {
        self.signal.notified().await;
    }
}
