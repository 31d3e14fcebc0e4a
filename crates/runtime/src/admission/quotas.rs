//! Quotas for messages, rooms, registrations of users, and nonces (design/sign-in-and-limits).
//!
//! `http` counts before anything is written. Counters are in memory: a restarted node starts with
//! new ones, and each node counts only its own requests. A quota starts full and refills evenly, so
//! at most twice its limit is allowed in any interval as long as its period. Uploads are counted in
//! the store instead, by `domain/files/uploading.rs`. Requests that are authenticated with an app's
//! own secrets count against the app only.

use std::hash::Hash;
use std::num::NonZeroU32;
use std::time::Duration;

use confab_domain::ids::{AppId, UserKey};
use governor::clock::{Clock, DefaultClock};
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};

use crate::admission::peer::Peer;
use crate::config::QuotaSettings;

const DAY: Duration = Duration::from_secs(24 * 3600);
const HOUR: Duration = Duration::from_secs(3600);
const MINUTE: Duration = Duration::from_secs(60);

/// The quota counters of this process.
pub struct Quotas {
    set: QuotaSettings,
    app_messages: Counter<AppId>,
    user_messages: Counter<(AppId, UserKey)>,
    app_rooms: Counter<AppId>,
    user_rooms: Counter<(AppId, UserKey)>,
    app_registrations: Counter<AppId>,
    peer_registrations: Counter<(AppId, Peer)>,
    app_nonces: Counter<AppId>,
    peer_nonces: Counter<(AppId, Peer)>,
}

/// A request was refused because its quota is used up.
#[derive(Debug)]
pub struct QuotaExceeded {
    /// Name of the setting that defines the quota.
    pub quota: &'static str,
    /// Value of the setting: the number allowed per period.
    pub limit: u32,
    /// Seconds until the quota allows one more.
    pub retry_after_s: u64,
}

type QuotaResult = Result<(), QuotaExceeded>;

impl Quotas {
    pub fn new(set: &QuotaSettings) -> Self {
        let registrations = set.address_registrations_per_hour;
        Self {
            set: *set,
            app_messages: Counter::new("app_messages_per_day", set.app_messages_per_day, DAY),
            user_messages: Counter::new("user_messages_per_day", set.user_messages_per_day, DAY),
            app_rooms: Counter::new("app_rooms_per_day", set.app_rooms_per_day, DAY),
            user_rooms: Counter::new("user_rooms_per_day", set.user_rooms_per_day, DAY),
            app_registrations: Counter::new(
                "app_registrations_per_day",
                set.app_registrations_per_day,
                DAY,
            ),
            peer_registrations: Counter::new("address_registrations_per_hour", registrations, HOUR),
            app_nonces: Counter::new("app_nonces_per_minute", set.app_nonces_per_minute, MINUTE),
            peer_nonces: Counter::new(
                "address_nonces_per_minute",
                set.address_nonces_per_minute,
                MINUTE,
            ),
        }
    }

    /// Counts a message of an app, posted by a user's client or, if there is no user, with the
    /// app's secrets. Anything else that a client adds to a room counts as one message.
    pub fn count_message(&self, app: AppId, by: Option<UserKey>) -> QuotaResult {
        by.map_or(Ok(()), |user| self.user_messages.count(&(app, user)))?;
        self.app_messages.count(&app)
    }

    /// Counts a new room of an app, created by a user's client or, if there is no user, with the
    /// app's secrets.
    pub fn count_room(&self, app: AppId, by: Option<UserKey>) -> QuotaResult {
        by.map_or(Ok(()), |user| self.user_rooms.count(&(app, user)))?;
        self.app_rooms.count(&app)
    }

    /// Counts a user's registration in an app, from this client address.
    pub fn count_registration(&self, app: AppId, peer: Peer) -> QuotaResult {
        self.peer_registrations.count(&(app, peer))?;
        self.app_registrations.count(&app)
    }

    /// Counts a nonce that a client of an app requests, from this client address.
    pub fn count_nonce(&self, app: AppId, peer: Peer) -> QuotaResult {
        self.peer_nonces.count(&(app, peer))?;
        self.app_nonces.count(&app)
    }

    /// Publishes the limits as metrics.
    pub fn show(&self) {
        let uploads = self.set.uploads;
        show("app_upload_bytes_max", uploads.app_bytes_max.unwrap_or(0));
        show("user_upload_bytes_per_day", uploads.user_bytes_per_day.unwrap_or(0));
        self.app_messages.show();
        self.user_messages.show();
        self.app_rooms.show();
        self.user_rooms.show();
        self.app_registrations.show();
        self.peer_registrations.show();
        self.app_nonces.show();
        self.peer_nonces.show();
    }

    /// Publishes the total size of an app's uploaded files as a metric.
    pub fn show_uploaded(&self, app: &str, bytes: u64) {
        metrics::gauge!("confab_app_upload_bytes", "app" => app.to_owned()).set(bytes as f64);
    }

    /// Evicts the counters of keys whose quota has completely refilled.
    pub fn remove_quiet(&self) {
        self.app_messages.remove_quiet();
        self.user_messages.remove_quiet();
        self.app_rooms.remove_quiet();
        self.user_rooms.remove_quiet();
        self.app_registrations.remove_quiet();
        self.peer_registrations.remove_quiet();
        self.app_nonces.remove_quiet();
        self.peer_nonces.remove_quiet();
    }
}

/// One quota, with a counter for each app, user or client address.
struct Counter<Key: Clone + Eq + Hash> {
    name: &'static str,
    limiter: Option<RateLimiter<Key, DefaultKeyedStateStore<Key>, DefaultClock>>,
    clock: DefaultClock,
    limit: u32,
}

impl<Key: Clone + Eq + Hash> Counter<Key> {
    fn new(name: &'static str, limit: Option<u32>, period: Duration) -> Self {
        let limit = limit.unwrap_or(0);
        let quota = NonZeroU32::new(limit)
            .and_then(|limit| Some(Quota::with_period(period / limit.get())?.allow_burst(limit)));
        Self { name, limiter: quota.map(RateLimiter::keyed), clock: DefaultClock::default(), limit }
    }

    fn count(&self, key: &Key) -> QuotaResult {
        let Some(limiter) = &self.limiter else { return Ok(()) };
        limiter.check_key(key).map_err(|until| {
            refused(self.name);
            let wait = until.wait_time_from(self.clock.now());
            let retry_after_s = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            let (quota, limit) = (self.name, self.limit);
            QuotaExceeded { quota, limit, retry_after_s: retry_after_s.max(1) }
        })
    }

    fn show(&self) {
        show(self.name, self.limit.into());
    }

    fn remove_quiet(&self) {
        if let Some(limiter) = &self.limiter {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }
}

/// Publishes a quota's limit as a metric (0 means no limit), and makes its counter of refusals
/// appear before the first refusal.
fn show(quota: &'static str, limit: u64) {
    metrics::gauge!("confab_quota_limit", "quota" => quota).set(limit as f64);
    metrics::counter!("confab_quota_refused_total", "quota" => quota).increment(0);
}

/// Counts a refusal because of this quota.
pub fn refused(quota: &'static str) {
    metrics::counter!("confab_quota_refused_total", "quota" => quota).increment(1);
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const APP: AppId = AppId(1);

    #[test]
    fn user_quotas_are_separate_and_messages_by_the_app_count_for_the_app_only() {
        let set = QuotaSettings {
            user_messages_per_day: Some(2),
            app_messages_per_day: Some(4),
            ..QuotaSettings::default()
        };
        let quotas = Quotas::new(&set);
        let (ana, bob) = (Some(UserKey(1)), Some(UserKey(2)));
        quotas.count_message(APP, ana).expect("the first is allowed");
        quotas.count_message(APP, ana).expect("the second is allowed");
        let full = quotas.count_message(APP, ana).expect_err("the third is refused");
        assert_eq!((full.quota, full.limit), ("user_messages_per_day", 2));
        assert!((43_000..=43_200).contains(&full.retry_after_s), "{}", full.retry_after_s);
        quotas.count_message(APP, bob).expect("another user has their own quota");
        quotas.count_message(APP, None).expect("messages of the app have no user quota");
        let full =
            quotas.count_message(APP, None).expect_err("the fifth message of the app is refused");
        assert_eq!(full.quota, "app_messages_per_day");
        quotas.count_message(AppId(2), ana).expect("another app has its own quota");
        quotas.remove_quiet();
        quotas.count_message(APP, ana).expect_err("the quota is still used up");
    }

    #[test]
    fn registrations_are_limited_per_address_and_unset_quotas_do_not_apply() {
        let set = QuotaSettings { address_registrations_per_hour: Some(1), ..Default::default() };
        let quotas = Quotas::new(&set);
        let peer = |last| Peer::of_socket(Ipv4Addr::new(192, 0, 2, last).into());
        quotas.count_registration(APP, peer(1)).expect("the first is allowed");
        quotas.count_registration(APP, peer(1)).expect_err("the second of that address is refused");
        quotas.count_registration(APP, peer(2)).expect("another address has its own quota");
        for _ in 0..1_000 {
            quotas.count_nonce(APP, peer(1)).expect("no limit is set");
            quotas.count_room(APP, Some(UserKey(1))).expect("no limit is set");
        }
    }
}
