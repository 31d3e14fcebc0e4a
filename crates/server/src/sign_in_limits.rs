//! How often signing in may fail (D-0069). Counted in this process, for known and unknown accounts
//! alike.
//!
//! Each counter is a leaky bucket: so many failures are free, then one more at a time as it drains.
//! So whoever types a wrong password slows down, and nobody is kept out for good. A try counts once
//! its password was looked at; until then it only holds a place, so that many at once are as few as
//! many after each other.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::{Duration, Instant};

use confab_domain::ids::AppId;
use confab_domain::limits;
use parking_lot::Mutex;

use crate::ids;
use crate::peer::Peer;

/// The tries of a while. Cheap to clone; all clones are one.
#[derive(Clone, Default)]
pub(crate) struct SignInLimits(Arc<Mutex<FailureBuckets>>);

#[derive(Default)]
struct FailureBuckets {
    buckets: HashMap<CountedBy, FailureBucket>,
    /// From where accounts were signed in to, and when last: whoever tries there is not slowed down
    /// by others elsewhere.
    places: HashMap<(TriedAccount, Peer), Instant>,
}

/// Whose tries are counted: an address that somebody signs in with, or a user of an app. Only a
/// hash of the name is kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct TriedAccount {
    app: Option<AppId>,
    name_hash: Arc<str>,
}

impl TriedAccount {
    /// Somebody who works in whatever app.
    pub(crate) fn of_agent(email: &str) -> Self {
        Self { app: None, name_hash: ids::token_hash(email).into() }
    }

    /// A user of the app.
    pub(crate) fn of_user(app: AppId, user_id: &str) -> Self {
        Self { app: Some(app), name_hash: ids::token_hash(user_id).into() }
    }
}

/// Where an account is tried from.
pub(crate) enum TriedFrom {
    Address(Peer),
    /// A browser that signed in to the account before (D-0213): others who try it do not slow this
    /// one down, wherever they are.
    KnownDevice(String),
}

/// What failures are counted by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum CountedBy {
    AccountAt(TriedAccount, Peer),
    AccountOn(TriedAccount, String),
    Account(TriedAccount),
    /// Whatever accounts of the app, or of the dashboard, are tried from there.
    Peer(Option<AppId>, Peer),
}

impl CountedBy {
    /// Whether tries that are under way hold places. Those of an address are bounded by its share
    /// of the queue where passwords are hashed; and it may register many users at once.
    fn is_account(&self) -> bool {
        !matches!(self, Self::Peer(..))
    }

    /// How many failures are free, and how fast they are forgotten.
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
    /// When all its failures are forgotten.
    empty_at: Instant,
    /// Tries whose password is being looked at.
    under_way: u32,
}

/// Too many tries failed; even the right password is refused until then.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooOften {
    pub(crate) retry_after_s: u64,
}

/// A try that is under way. If it is dropped, as when its caller goes away, it counts nothing.
pub(crate) struct Try {
    tries: SignInLimits,
    account: TriedAccount,
    /// Not that of a known device, which is recognized anyway.
    peer: Option<Peer>,
    /// The account's own first.
    counted: Vec<CountedBy>,
}

impl SignInLimits {
    /// Begins a try to sign in to an account.
    pub(crate) fn begin(
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
    /// How long a try has to wait, if it has to.
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
    /// The password was wrong: that counts.
    pub(crate) fn failed(self, now: Instant) {
        let mut tries = self.tries.0.lock();
        for counted in &self.counted {
            let (_, every) = counted.bound();
            let bucket = tries.bucket(counted, now);
            bucket.empty_at = bucket.empty_at.max(now) + every;
        }
    }

    /// The password was right: the account starts anew where it was tried from.
    pub(crate) fn succeeded(self, now: Instant) {
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

/// Forgets the older half of a map that is full.
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
