//! The bucket leases of this node (D-0014).
//!
//! [`BucketLeases`] is a plain value without I/O: the engine queries the store and passes in the
//! answers. Nodes share the buckets evenly. A node that has more than its share releases buckets as
//! soon as none of their deliveries is running.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use confab_domain::limits;
use confab_domain::webhooks::delivery::{BUCKETS, Lane};
use confab_store::LeasedBuckets;

/// Interval of lease renewals.
const RENEW_INTERVAL: Duration = Duration::from_secs(limits::BUCKET_LEASE_S / 3);
/// Delay before a failed renewal is retried, or the release of surplus buckets is completed.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// Time by which a lease is considered to end earlier, because the clocks of nodes may differ.
const MARGIN: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(super) struct BucketLeases {
    buckets: BTreeSet<i64>,
    /// Buckets to release to other nodes as soon as none of their deliveries is running.
    releasing: BTreeSet<i64>,
    until: Option<Instant>,
    /// Time of the next renewal; `None` while one is in flight.
    renew_at: Option<Instant>,
}

/// Buckets that this node gained by a renewal, and whether it lost any.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Turnover {
    pub(super) gained: Vec<i64>,
    pub(super) has_lost: bool,
}

impl BucketLeases {
    /// Starts without leases. The first renewal is due immediately.
    pub(super) fn new() -> Self {
        Self { renew_at: Some(Instant::now()), ..Self::default() }
    }

    /// Starts a renewal if one is due, and returns the buckets to release with it.
    pub(super) fn start_renewal(
        &mut self,
        now: Instant,
        mut is_running: impl FnMut(i64) -> bool,
    ) -> Option<Vec<i64>> {
        self.renew_at.take_if(|at| *at <= now)?;
        let mut given = std::mem::take(&mut self.releasing);
        self.releasing = given.extract_if(.., |bucket| is_running(*bucket)).collect();
        Some(given.into_iter().collect())
    }

    /// Returns the time of the next renewal.
    pub(super) fn renew_at(&self) -> Option<Instant> {
        self.renew_at
    }

    /// Applies the result of the renewal that started at `asked`. Schedules buckets above this
    /// node's share for release.
    pub(super) fn renewed(&mut self, asked: Instant, held: &LeasedBuckets) -> Turnover {
        let lease = Duration::from_secs(limits::BUCKET_LEASE_S);
        self.until = Some(asked + lease - MARGIN);
        self.renew_at = Some(asked + RENEW_INTERVAL);
        let mut ours: BTreeSet<i64> = held.buckets.iter().copied().collect();
        self.releasing.retain(|bucket| ours.contains(bucket));
        let share = (BUCKETS as usize).div_ceil(held.senders.max(1));
        while ours.len() > share {
            // Release the last buckets first, so that the lower ones stay with this node.
            self.releasing.extend(ours.pop_last());
        }
        ours.retain(|bucket| !self.releasing.contains(bucket));
        let gained = ours.difference(&self.buckets).copied().collect();
        let has_lost = self.buckets.difference(&ours).next().is_some();
        self.buckets = ours;
        if !self.releasing.is_empty() {
            self.renew_at = Some(asked + RETRY_INTERVAL);
        }
        Turnover { gained, has_lost }
    }

    /// Schedules a retry after a failed renewal.
    pub(super) fn failed(&mut self, now: Instant) {
        self.renew_at = Some(now + RETRY_INTERVAL);
    }

    /// Whether the leases are valid at `now`.
    pub(super) fn is_valid(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    /// Whether this node leased the lane's bucket at the last renewal. Does not check the expiry
    /// time.
    pub(super) fn has(&self, lane: Lane) -> bool {
        self.buckets.contains(&lane.bucket())
    }

    /// Returns the expiry time of the leases, less the safety margin.
    pub(super) fn until(&self) -> Option<Instant> {
        self.until
    }

    pub(super) fn buckets(&self) -> Vec<i64> {
        self.buckets.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(buckets: std::ops::Range<i64>, senders: usize) -> LeasedBuckets {
        LeasedBuckets { buckets: buckets.collect(), senders }
    }

    #[test]
    fn leases_expire_slightly_before_the_store_ends_them() {
        let (mut leases, now) = (BucketLeases::new(), Instant::now());
        assert!(!leases.is_valid(now));
        assert_eq!(leases.start_renewal(now, |_| false), Some(vec![]));
        assert_eq!(leases.start_renewal(now, |_| false), None, "a renewal is in flight");
        let turnover = leases.renewed(now, &held(0..64, 1));
        assert_eq!((turnover.gained.len(), turnover.has_lost), (64, false));
        assert!(leases.is_valid(now + Duration::from_secs(12)));
        assert!(!leases.is_valid(now + Duration::from_secs(13)));
        assert!(leases.start_renewal(now + RENEW_INTERVAL, |_| false).is_some());
        leases.failed(now);
        assert!(leases.start_renewal(now + RETRY_INTERVAL, |_| false).is_some());
    }

    #[test]
    fn half_of_the_buckets_go_to_a_second_node_once_their_deliveries_finish() {
        let (mut leases, now) = (BucketLeases::new(), Instant::now());
        leases.start_renewal(now, |_| false);
        leases.renewed(now, &held(0..64, 1));
        leases.start_renewal(now + RENEW_INTERVAL, |_| false);
        let turnover = leases.renewed(now + RENEW_INTERVAL, &held(0..64, 2));
        assert_eq!((turnover.gained.len(), turnover.has_lost), (0, true));
        assert_eq!(leases.buckets(), (0..32).collect::<Vec<_>>());
        let later = now + RENEW_INTERVAL + RETRY_INTERVAL;
        let given = leases
            .start_renewal(later, |bucket| bucket == 40)
            .expect("the release is retried soon");
        assert_eq!(given.len(), 31, "one bucket has a running delivery");
        let turnover = leases.renewed(later, &held(0..33, 2));
        assert!(turnover.gained.is_empty());
        assert_eq!(leases.buckets().len(), 32);
    }

    #[test]
    fn buckets_move_between_nodes() {
        let (mut leases, now) = (BucketLeases::new(), Instant::now());
        leases.renewed(now, &held(0..32, 2));
        let turnover = leases.renewed(now, &held(0..20, 2));
        assert_eq!(turnover, Turnover { gained: vec![], has_lost: true });
        let turnover = leases.renewed(now, &held(0..64, 1));
        assert_eq!((turnover.gained.len(), turnover.has_lost), (44, false));
    }
}
