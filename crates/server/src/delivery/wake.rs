//! How those who commit reach the engine: it looks at once, and forgets what is out of date.

use std::collections::HashSet;

use confab_domain::ids::AppId;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Something was committed that the engine must know of.
#[derive(Default)]
pub(crate) struct DeliveryWake {
    looks: Notify,
    changed: Mutex<HashSet<AppId>>,
}

impl DeliveryWake {
    /// There is something to look for.
    pub(crate) fn wake(&self) {
        self.looks.notify_one();
    }

    /// An app, its keys or its endpoints are others from now on: whatever is committed after this
    /// goes where they say.
    pub(crate) fn changed(&self, app: AppId) {
        self.changed.lock().insert(app);
    }

    /// The apps of which that was said since the last time.
    pub(super) fn take_changed(&self) -> HashSet<AppId> {
        std::mem::take(&mut self.changed.lock())
    }

    /// Comes when there is something to look for.
    pub(super) async fn woken(&self) {
        self.looks.notified().await;
    }
}
