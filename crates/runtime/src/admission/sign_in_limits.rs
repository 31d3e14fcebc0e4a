//! Limits on failed sign-ins (D-0069). Each node counts only its own, and counts existing and
//! nonexistent accounts alike.
//!
//! Each counter is a leaky bucket: it allows a number of failures at once, and one more each time a
//! failure has drained. Wrong passwords therefore slow down further attempts, and no account is
//! locked for good. An attempt is counted after its password was checked. Until then it reserves a
//! slot, so that concurrent attempts are limited like consecutive ones.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::{Duration, Instant};

use confab_domain::ids::AppId;
use confab_domain::limits;
use parking_lot::Mutex;

use crate::admission::peer::Peer;
use crate::ids;

/// Recent failed sign-ins. Cheap to clone; all clones share the counters.
#[derive(Clone, Default)]
pub struct SignInLimits(Arc<Mutex<FailureBuckets>>);

#[derive(Default)]
struct FailureBuckets {
    buckets: HashMap<CountedBy, FailureBucket>,
    /// Addresses of successful sign-ins to each account, with the time of the last one. Failed
    /// attempts from other addresses do not slow down sign-ins from these addresses.
    places: HashMap<(TriedAccount, Peer), Instant>,
}

/// The account to which an attempt signs in: an agent's e-mail address or a user of an app.
/// Contains only a hash of the name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TriedAccount {
    app: Option<AppId>,
    name_hash: Arc<str>,
}

impl TriedAccount {
    /// Returns the account of an agent; e-mail addresses are unique across apps.
    pub fn of_agent(email: &str) -> Self {
        Self { app: None, name_hash: ids::token_hash(email).into() }
    }

    /// Returns the account of a user of an app.
    pub fn of_user(app: AppId, user_id: &str) -> Self {
        Self { app: Some(app), name_hash: ids::token_hash(user_id).into() }
    }
}

/// The origin of a sign-in attempt.
pub enum TriedFrom {
    Address(Peer),
    /// A browser that has signed in to the account before (D-0069). Failed attempts elsewhere, even
    /// from the same address, do not slow it down.
    KnownDevice(String),
}

/// The key of a failure counter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum CountedBy {
    AccountAt(TriedAccount, Peer),
    AccountOn(TriedAccount, String),
    Account(TriedAccount),
    /// An address, for all accounts of an app or, without an app, for all accounts of the
    /// dashboard.
    Peer(Option<AppId>, Peer),
}

impl CountedBy {
    /// Whether running attempts reserve slots of the counter. Counters of addresses reserve none:
    /// an address is limited to a share of the hashing queue, and may register many users at once.
    fn is_account(&self) -> bool {
        !matches!(self, Self::Peer(..))
    }

    /// Returns the number of failures allowed at once, and the time in which one failure drains.
    fn bound(&self) -> (u32, Duration) {
        let account_every = Duration::from_millis(limits::SIGN_IN_TRY_EVERY_MS);
        let peer_every = Duration::from_millis(limits::PEER_SIGN_IN_TRY_EVERY_MS);
        match self {
            Self::AccountAt(..) | Self::AccountOn(..) => (limits::SIGN_IN_TRIES_MAX, account_every),
            Self::Account(_) => (limits::ACCOUNT_SIGN_IN_TRIES_MAX, account_every),
            Self::Peer(..) => (limits::PEER_SIGN_IN_TRIES_MAX, peer_every),
        }
    }
}

#[derive(Clone, Copy)]
struct FailureBucket {
    /// Time at which all counted failures will have drained.
    empty_at: Instant,
    /// Number of attempts whose password is being checked.
    under_way: u32,
}

/// Too many attempts have failed. Until the time is over, even an attempt with the right password
/// is refused.
#[derive(Debug, PartialEq, Eq)]
pub struct TooOften {
    pub retry_after_s: u64,
}

/// A running sign-in attempt. If it is dropped, for example because the client disconnected, no
/// failure is counted.
pub struct Try {
    tries: SignInLimits,
    account: TriedAccount,
    /// Address of the attempt; `None` for a browser that is recognized by its proof.
    peer: Option<Peer>,
    /// Counters on which the attempt counts. The first belongs to the account at this address or in
    /// this browser.
    counted: Vec<CountedBy>,
}

impl SignInLimits {
    /// Starts an attempt to sign in to an account, unless too many have failed.
    pub fn begin(
        &self,
        account: &TriedAccount,
        from: TriedFrom,
        now: Instant,
    ) -> Result<Try, TooOften> {
        let mut tries = self.0.lock();
        let (counted, peer) = match from {
            TriedFrom::KnownDevice(id) => (vec![CountedBy::AccountOn(account.clone(), id)], None),
            TriedFrom::Address(peer) => {
                let here = CountedBy::AccountAt(account.clone(), peer);
                let mut counted = vec![here, CountedBy::Peer(account.app, peer)];
                if !tries.places.contains_key(&(account.clone(), peer)) {
                    counted.push(CountedBy::Account(account.clone()));
                }
                (counted, Some(peer))
            }
        };
        let waits = counted.iter().filter_map(|it| tries.wait(it, now)).max();
        if let Some(wait) = waits {
            let retry_after_s = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            return Err(TooOften { retry_after_s: retry_after_s.max(1) });
        }
        for it in counted.iter().filter(|it| it.is_account()) {
            tries.bucket(it, now).under_way += 1;
        }
        let (account, tries) = (account.clone(), self.clone());
        Ok(Try { tries, account, peer, counted })
    }
}

impl FailureBuckets {
    /// Returns how long a counter delays the next attempt, or `None` if it may start now.
    fn wait(&self, counted: &CountedBy, now: Instant) -> Option<Duration> {
        let bucket = self.buckets.get(counted)?;
        let (free, every) = counted.bound();
        let filled = bucket.empty_at.saturating_duration_since(now) + every * bucket.under_way;
        let too_much = (filled + every).saturating_sub(every * free);
        Some(too_much).filter(|wait| !wait.is_zero())
    }

    fn bucket(&mut self, counted: &CountedBy, now: Instant) -> &mut FailureBucket {
        if self.buckets.len() >= limits::SIGN_IN_COUNTERS_MAX {
            self.buckets.retain(|_, it| it.under_way > 0 || it.empty_at > now);
            keep_latest(&mut self.buckets, limits::SIGN_IN_COUNTERS_MAX, |it| it.empty_at);
        }
        let empty = FailureBucket { empty_at: now, under_way: 0 };
        self.buckets.entry(counted.clone()).or_insert(empty)
    }
}

impl Try {
    /// Counts the attempt as failed: the password was wrong.
    pub fn failed(self, now: Instant) {
        let mut tries = self.tries.0.lock();
        for counted in &self.counted {
            let (_, every) = counted.bound();
            let bucket = tries.bucket(counted, now);
            bucket.empty_at = bucket.empty_at.max(now) + every;
        }
    }

    /// Resets the account's counter for this address or browser: the password was right.
    pub fn succeeded(self, now: Instant) {
        let mut tries = self.tries.0.lock();
        if let Some(bucket) = self.counted.first().and_then(|here| tries.buckets.get_mut(here)) {
            bucket.empty_at = now;
        }
        let Some(peer) = self.peer else { return };
        tries.places.insert((self.account.clone(), peer), now);
        keep_latest(&mut tries.places, limits::SIGN_IN_PLACES_MAX, |at| *at);
    }
}

impl Drop for Try {
    fn drop(&mut self) {
        let mut tries = self.tries.0.lock();
        for counted in self.counted.iter().filter(|it| it.is_account()) {
            if let Some(bucket) = tries.buckets.get_mut(counted) {
                bucket.under_way = bucket.under_way.saturating_sub(1);
            }
        }
    }
}

/// Evicts the older half of a map, if the map has `max` entries.
pub(crate) fn keep_latest<Key: Eq + Hash, Value>(
    map: &mut HashMap<Key, Value>,
    max: usize,
    time: impl Fn(&Value) -> Instant,
) {
    if map.len() < max {
        return;
    }
    let mut times: Vec<_> = map.values().map(&time).collect();
    let (_, middle, _) = times.select_nth_unstable(max / 2);
    let middle = *middle;
    map.retain(|_, value| time(value) > middle);
}

#[cfg(test)]
mod tests;
