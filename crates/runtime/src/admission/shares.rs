//! Counters of how much of a shared resource each key holds, for example each client address.
//!
//! The counters are sharded by key, so that concurrent callers seldom wait for a lock. The counter
//! of a key that holds nothing is evicted.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::Arc;

use parking_lot::Mutex;

/// Number of shards. Each has its own lock.
const PARTS: usize = 16;

/// The amount that each key holds. Cheap to clone; all clones share the counters.
pub(crate) struct Shares<Key>(Arc<SharesInner<Key>>);

struct SharesInner<Key> {
    parts: [Mutex<HashMap<Key, usize>>; PARTS],
    hasher: RandomState,
}

impl<Key> Clone for Shares<Key> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<Key> Default for Shares<Key> {
    fn default() -> Self {
        let parts = std::array::from_fn(|_| Mutex::default());
        Self(Arc::new(SharesInner { parts, hasher: RandomState::new() }))
    }
}

impl<Key: Hash + Eq + Copy> Shares<Key> {
    /// Creates an empty share of this key. All shares of the key together may hold at most `max`.
    pub(crate) fn of(&self, key: Key, max: usize) -> Share<Key> {
        Share { shares: self.clone(), key, max, held: 0 }
    }

    /// Whether no key holds anything.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.parts.iter().all(|part| part.lock().is_empty())
    }

    fn part(&self, key: &Key) -> &Mutex<HashMap<Key, usize>> {
        let place = self.0.hasher.hash_one(key) as usize;
        &self.0.parts[place % PARTS]
    }
}

/// An amount held by a key, released on drop.
pub(crate) struct Share<Key: Hash + Eq + Copy> {
    shares: Shares<Key>,
    key: Key,
    max: usize,
    held: usize,
}

impl<Key: Hash + Eq + Copy> Share<Key> {
    /// Returns the key that holds the share.
    pub(crate) fn key(&self) -> &Key {
        &self.key
    }

    /// Adds an amount, unless all shares of the key together would then hold more than the maximum.
    /// Returns whether the amount was added.
    pub(crate) fn take(&mut self, amount: usize) -> bool {
        let max = self.max;
        self.take_if(amount, |held| held.saturating_add(amount) <= max)
    }

    /// Adds an amount like [`Self::take`]. If the key holds nothing yet, any amount is allowed.
    pub(crate) fn take_or_first(&mut self, amount: usize) -> bool {
        let max = self.max;
        self.take_if(amount, |held| held == 0 || held.saturating_add(amount) <= max)
    }

    fn take_if(&mut self, amount: usize, fits: impl FnOnce(usize) -> bool) -> bool {
        let mut part = self.shares.part(&self.key).lock();
        let held = part.entry(self.key).or_default();
        let fits = fits(*held);
        if fits {
            *held += amount;
            self.held += amount;
        } else if *held == 0 {
            part.remove(&self.key);
        }
        fits
    }
}

impl<Key: Hash + Eq + Copy> Drop for Share<Key> {
    fn drop(&mut self) {
        if self.held == 0 {
            return;
        }
        let mut part = self.shares.part(&self.key).lock();
        if let Some(held) = part.get_mut(&self.key) {
            *held -= self.held;
            if *held == 0 {
                part.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_holder_has_its_own_share_and_is_removed_when_it_holds_nothing() {
        let shares = Shares::default();
        let (mut one, mut same, mut other) = (shares.of(1, 3), shares.of(1, 3), shares.of(2, 3));
        assert!(one.take(2) && !same.take(2) && same.take(1) && !one.take(1));
        assert!(other.take(3) && !other.take(1));
        drop(one);
        assert!(same.take(2), "the dropped share is available");
        drop((same, other));
        assert!(!shares.of(3, 1).take(2));
        assert!(shares.is_empty());
        let (mut first, mut second) = (shares.of(4, 1), shares.of(4, 1));
        assert!(
            first.take_or_first(5) && !second.take_or_first(1),
            "only the first holder may exceed the limit"
        );
    }
}
