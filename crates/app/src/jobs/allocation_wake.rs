//! The signal that starts assignment runs.

use std::collections::HashSet;

use confab_domain::ids::AppId;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// The apps for which an assignment run was requested.
#[derive(Default)]
pub(crate) struct AllocationWake {
    apps: Mutex<HashSet<AppId>>,
    wanted: Notify,
}

impl AllocationWake {
    /// Requests a run for an app, because a customer waits or an agent became available.
    pub(crate) fn wake(&self, app: AppId) {
        self.apps.lock().insert(app);
        self.wanted.notify_one();
    }

    /// Takes the apps for which a run was requested.
    pub(crate) fn take(&self) -> HashSet<AppId> {
        std::mem::take(&mut self.apps.lock())
    }

    /// Waits until a run is requested.
    pub(crate) async fn wanted(&self) {
        self.wanted.notified().await;
    }
}
