//! Presence: which users are online (design/realtime).
//!
//! A user is online while at least one connection on any node reports it. Each node tracks its own
//! connections, publishes changes to all nodes at once, and writes them to the store a little
//! later. Only changes are published, however often clients repeat themselves.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use confab_domain::ids::UserKey;
use confab_domain::limits;
use confab_domain::people::presence::Presence;
use confab_domain::people::user::{User, UserId};
use confab_domain::time::Timestamp;
use confab_store::{Store, StoreError};
use parking_lot::Mutex;

use super::hub::{EphemeralSignal, Hub};

/// Presence of users: since when they are online, or when they were last online.
pub struct Presences {
    store: Store,
    hub: Hub,
    inner: Mutex<PresenceInner>,
}

#[derive(Default)]
struct PresenceInner {
    /// Users who are online through this node.
    here: HashMap<UserKey, Here>,
    /// Presences that any node published recently. The store may not contain them yet.
    told: HashMap<UserKey, PublishedPresence>,
    unwritten: HashMap<UserKey, (bool, Timestamp)>,
}

struct Here {
    connections: usize,
    user: UserId,
    since: Timestamp,
}

struct PublishedPresence {
    is_online: bool,
    at: Timestamp,
    received_at: Instant,
}

impl Presences {
    pub(crate) fn new(store: Store, hub: Hub) -> Self {
        Self { store, hub, inner: Mutex::default() }
    }

    /// Counts one more connection that reports the user as online. With the first one, the user
    /// goes online.
    pub fn come(&self, user: &User, now: Timestamp) {
        let mut inner = self.inner.lock();
        let new = || Here { connections: 0, user: user.user_id.clone(), since: now };
        let of_user = inner.here.entry(user.key).or_insert_with(new);
        of_user.connections += 1;
        if of_user.connections == 1 {
            self.publish(&mut inner, user.key, user.user_id.clone(), true, now);
        }
    }

    /// Removes one connection that reported the user as online. With the last one, the user goes
    /// offline.
    pub fn go(&self, user: &User, now: Timestamp) {
        let mut inner = self.inner.lock();
        let Some(of_user) = inner.here.get_mut(&user.key) else { return };
        of_user.connections -= 1;
        if of_user.connections > 0 {
            return;
        }
        inner.here.remove(&user.key);
        self.publish(&mut inner, user.key, user.user_id.clone(), false, now);
    }

    /// Returns whether each of these users is online, with the time since when, or else the time
    /// when the user was last online. Users who were never online are omitted.
    pub async fn of(
        &self,
        users: &[UserKey],
    ) -> Result<Vec<(UserKey, bool, Timestamp)>, StoreError> {
        let mut found = Vec::new();
        let mut unknown = Vec::new();
        {
            let inner = self.inner.lock();
            for user in users {
                match inner.known(*user) {
                    Some((is_online, at)) => found.push((*user, is_online, at)),
                    None => unknown.push(*user),
                }
            }
        }
        if !unknown.is_empty() {
            found.extend(self.store.presences(&unknown).await?);
        }
        Ok(found)
    }

    /// Applies a presence that this node or another one published.
    pub(crate) fn receive(&self, user: UserKey, presence: &Presence) {
        let mut inner = self.inner.lock();
        inner.remember(user, presence.is_online, presence.at);
        let here = inner.here.get(&user);
        // The user went offline on another node but is still online through this one: publish that
        // again.
        let still_here = here
            .filter(|it| !presence.is_online && it.since < presence.at)
            .map(|it| (it.user.clone(), it.since));
        if let Some((user_id, since)) = still_here {
            self.publish(&mut inner, user, user_id, true, since);
        }
    }

    /// Queues all users who are online on this node for writing to the store, even those already
    /// written.
    pub fn write_all(&self) {
        let PresenceInner { here, unwritten, .. } = &mut *self.inner.lock();
        unwritten.extend(here.iter().map(|(user, here)| (*user, (true, here.since))));
    }

    /// Takes a batch of presences that are not written to the store yet.
    pub fn take_unwritten(&self) -> Vec<(UserKey, bool, Timestamp)> {
        let unwritten = &mut self.inner.lock().unwritten;
        let some: Vec<_> = unwritten.keys().copied().take(limits::PRESENCES_PER_COMMIT).collect();
        let taken = some.into_iter().filter_map(|user| {
            unwritten.remove(&user).map(|(is_online, at)| (user, is_online, at))
        });
        taken.collect()
    }

    /// Records and publishes a presence. The caller holds the lock, so that changes of a user are
    /// published in order.
    fn publish(
        &self,
        inner: &mut PresenceInner,
        key: UserKey,
        user: UserId,
        is_online: bool,
        at: Timestamp,
    ) {
        inner.remember(key, is_online, at);
        let has_room = inner.unwritten.len() < limits::PRESENCES_REMEMBERED_MAX;
        if has_room || inner.unwritten.contains_key(&key) {
            inner.unwritten.insert(key, (is_online, at));
        }
        self.hub.pass(EphemeralSignal::Presence(key, Presence { user, is_online, at }));
    }
}

impl PresenceInner {
    fn known(&self, user: UserKey) -> Option<(bool, Timestamp)> {
        if let Some(here) = self.here.get(&user) {
            return Some((true, here.since));
        }
        let fresh = Duration::from_millis(limits::PRESENCE_FRESH_MS);
        let told = self.told.get(&user)?;
        let counts = told.received_at.elapsed() < fresh || self.unwritten.contains_key(&user);
        counts.then_some((told.is_online, told.at))
    }

    fn remember(&mut self, user: UserKey, is_online: bool, at: Timestamp) {
        if self.told.len() >= limits::PRESENCES_REMEMBERED_MAX {
            self.told.clear();
        }
        let is_older = self.told.get(&user).is_some_and(|told| told.at > at);
        if !is_older {
            self.told
                .insert(user, PublishedPresence { is_online, at, received_at: Instant::now() });
        }
    }
}
