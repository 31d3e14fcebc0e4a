//! Which buckets this node may send from, and until when (D-0014).
//!
//! A plain value: whoever runs it asks the store and hands in what came back. Nodes share the
//! buckets evenly; one that has too many lets some go, but not before nothing of them is under way.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use confab_domain::limits;
use confab_domain::webhooks::delivery::{BUCKETS, Lane};
use confab_store::LeasedBuckets;

/// How often the buckets are asked for.
const ASK_EVERY: Duration = Duration::from_secs(limits::BUCKET_LEASE_S / 3);
/// And how soon again if that failed.
const ASK_AGAIN: Duration = Duration::from_millis(500);
/// What is kept back of a lease, because clocks do not run alike.
const MARGIN: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(super) struct BucketLeases {
    buckets: BTreeSet<i64>,
    /// Others shall have these, once nothing of them is under way.
    leaving: BTreeSet<i64>,
    until: Option<Instant>,
    /// When to ask next; nothing while an answer is waited for.
    ask_at: Option<Instant>,
}

/// What became of the buckets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Turnover {
    pub(super) gained: Vec<i64>,
    pub(super) has_lost: bool,
}

impl BucketLeases {
    /// Holds nothing yet, and asks at once.
    pub(super) fn new() -> Self {
        Self { ask_at: Some(Instant::now()), ..Self::default() }
    }

    /// Whether it is time to ask; then, what can be given to others.
    pub(super) fn ask(
        &mut self,
        now: Instant,
        mut is_under_way: impl FnMut(i64) -> bool,
    ) -> Option<Vec<i64>> {
        self.ask_at.take_if(|at| *at <= now)?;
        let mut given = std::mem::take(&mut self.leaving);
        self.leaving = given.extract_if(.., |bucket| is_under_way(*bucket)).collect();
        Some(given.into_iter().collect())
    }

    /// When it wants to ask.
    pub(super) fn ask_at(&self) -> Option<Instant> {
        self.ask_at
    }

    /// What the store said to the question of that time.
    pub(super) fn answered(&mut self, asked: Instant, held: &LeasedBuckets) -> Turnover {
        let lease = Duration::from_secs(limits::BUCKET_LEASE_S);
        self.until = Some(asked + lease - MARGIN);
        self.ask_at = Some(asked + ASK_EVERY);
        let mut ours: BTreeSet<i64> = held.buckets.iter().copied().collect();
        self.leaving.retain(|bucket| ours.contains(bucket));
        let share = (BUCKETS as usize).div_ceil(held.senders.max(1));
        while ours.len() > share {
            // The last ones first, so that the others can be sure of what stays.
            self.leaving.extend(ours.pop_last());
        }
        ours.retain(|bucket| !self.leaving.contains(bucket));
        let gained = ours.difference(&self.buckets).copied().collect();
        let has_lost = self.buckets.difference(&ours).next().is_some();
        self.buckets = ours;
        if !self.leaving.is_empty() {
            self.ask_at = Some(asked + ASK_AGAIN);
        }
        Turnover { gained, has_lost }
    }

    /// The store could not be asked.
    pub(super) fn failed(&mut self, now: Instant) {
        self.ask_at = Some(now + ASK_AGAIN);
    }

    /// Whether anything may be sent now.
    pub(super) fn is_held(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    /// Whether the lane is ours to send from.
    pub(super) fn has(&self, lane: Lane) -> bool {
        self.buckets.contains(&lane.bucket())
    }

    /// Until when what is held may be acted upon.
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
    fn what_is_held_is_held_for_a_little_less_than_the_lease() {
        let (mut holding, now) = (BucketLeases::new(), Instant::now());
        assert!(!holding.is_held(now));
        assert_eq!(holding.ask(now, |_| false), Some(vec![]));
        assert_eq!(holding.ask(now, |_| false), None, "an answer is waited for");
        let turnover = holding.answered(now, &held(0..64, 1));
        assert_eq!((turnover.gained.len(), turnover.has_lost), (64, false));
        assert!(holding.is_held(now + Duration::from_secs(12)));
        assert!(!holding.is_held(now + Duration::from_secs(13)));
        assert!(holding.ask(now + ASK_EVERY, |_| false).is_some());
        holding.failed(now);
        assert!(holding.ask(now + ASK_AGAIN, |_| false).is_some());
    }

    #[test]
    fn half_goes_to_a_second_node_once_nothing_of_it_is_under_way() {
        let (mut holding, now) = (BucketLeases::new(), Instant::now());
        holding.ask(now, |_| false);
        holding.answered(now, &held(0..64, 1));
        holding.ask(now + ASK_EVERY, |_| false);
        let turnover = holding.answered(now + ASK_EVERY, &held(0..64, 2));
        assert_eq!((turnover.gained.len(), turnover.has_lost), (0, true));
        assert_eq!(holding.buckets(), (0..32).collect::<Vec<_>>());
        let later = now + ASK_EVERY + ASK_AGAIN;
        let given = holding.ask(later, |bucket| bucket == 40).expect("it asks soon");
        assert_eq!(given.len(), 31, "one is under way");
        let turnover = holding.answered(later, &held(0..33, 2));
        assert!(turnover.gained.is_empty());
        assert_eq!(holding.buckets().len(), 32);
    }

    #[test]
    fn what_others_took_is_lost_and_what_they_left_is_gained() {
        let (mut holding, now) = (BucketLeases::new(), Instant::now());
        holding.answered(now, &held(0..32, 2));
        let turnover = holding.answered(now, &held(0..20, 2));
        assert_eq!(turnover, Turnover { gained: vec![], has_lost: true });
        let turnover = holding.answered(now, &held(0..64, 1));
        assert_eq!((turnover.gained.len(), turnover.has_lost), (44, false));
    }
}
