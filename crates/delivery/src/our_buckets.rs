//! The bucket leases of this node, for tasks that do other work per channel and must run on one
//! node only.

use std::collections::BTreeSet;
use std::time::Instant;

use confab_domain::webhooks::delivery::Lane;
use parking_lot::RwLock;

/// The leased buckets of the engine, with their expiry time.
#[derive(Default)]
pub struct OurBuckets(RwLock<Held>);

#[derive(Default)]
struct Held {
    buckets: BTreeSet<i64>,
    until: Option<Instant>,
}

impl OurBuckets {
    pub(super) fn set(&self, buckets: Vec<i64>, until: Option<Instant>) {
        *self.0.write() = Held { buckets: buckets.into_iter().collect(), until };
    }

    /// Whether this node has a valid lease on the lane's bucket.
    pub fn has(&self, lane: Lane) -> bool {
        let held = self.0.read();
        let is_held = held.until.is_some_and(|until| Instant::now() < until);
        is_held && held.buckets.contains(&lane.bucket())
    }
}
