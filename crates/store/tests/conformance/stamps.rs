//! Predictable times and ids: the clock stands still until it is set.

use std::sync::atomic::{AtomicI64, Ordering};

use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{ID_EPOCH_MS, ID_LOW_BITS};
use confab_domain::time::Timestamp;

/// 2026-01-31T10:00:00Z
pub const MORNING: Timestamp = Timestamp(1_769_853_600_000_000);

/// Gap between consecutive ids, so that there are unused ids between them.
const ID_STEP: i64 = 3;

/// A clock that is set by hand, and ids that follow it as in D-0013. As in a new process, ids are
/// independent of those created before the start.
pub struct TestStamps {
    now: AtomicI64,
    last_id: AtomicI64,
    node: AtomicI64,
}

impl TestStamps {
    pub fn at(now: Timestamp) -> Self {
        let [last_id, node] = [0, 0].map(AtomicI64::new);
        Self { now: AtomicI64::new(now.0), last_id, node }
    }

    /// Returns the node number of the store.
    pub fn node(&self) -> i64 {
        self.node.load(Ordering::Relaxed)
    }

    pub fn advance_seconds(&self, seconds: i64) {
        self.now.fetch_add(seconds * 1_000_000, Ordering::Relaxed);
    }
}

impl Stamps for TestStamps {
    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::Relaxed))
    }

    fn next_id(&self, after: i64) -> i64 {
        let least = after.max((self.now().unix_ms() - ID_EPOCH_MS) << ID_LOW_BITS);
        let next = |last: i64| last.max(least) + ID_STEP;
        let update = |last| Some(next(last));
        let last = self.last_id.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
        next(last.expect("every value is updated"))
    }

    /// Records the number. Ids do not contain it: one process at a time needs no distinction.
    fn serve_as(&self, node: i64) {
        self.node.store(node, Ordering::Relaxed);
    }
}
