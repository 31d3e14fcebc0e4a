//! Limits on the requests of an app and the posts of a user per second (design/sign-in-and-limits).
//! Each node counts only its own requests.

use std::num::NonZeroU32;
use std::time::Duration;

use confab_domain::ids::AppId;
use confab_domain::people::user::UserRef;
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};

use crate::admission::running_requests::RequestPool;
use crate::config::Config;

type Limiter<Key> =
    RateLimiter<Key, DefaultKeyedStateStore<Key>, DefaultClock, StateInformationMiddleware>;

/// The rate limiters of this process.
pub struct RateLimits {
    /// Limiters by app and pool, so that anonymous callers do not use up the limit of the app's own
    /// calls.
    apps: Option<Limiter<(AppId, RequestPool)>>,
    users: Option<Limiter<(AppId, UserRef)>>,
    clock: DefaultClock,
}

/// The state of an app's rate limit after a request.
#[derive(Debug, Clone, Copy)]
pub struct RateLimitStatus {
    /// Maximum requests per second.
    pub limit: u32,
    /// Number of requests that are still allowed now.
    pub remaining: u32,
}

/// A request was refused because a rate limit was exceeded.
#[derive(Debug)]
pub struct TooMuch {
    /// Error message for the caller.
    pub what: &'static str,
    /// Limit per second.
    pub(crate) limit: u32,
    /// Seconds until the next attempt may succeed.
    pub retry_after_s: u64,
}

impl TooMuch {
    /// Returns the state of the exceeded limit, with no requests left.
    pub fn standing(&self) -> RateLimitStatus {
        RateLimitStatus { limit: self.limit, remaining: 0 }
    }
}

impl RateLimits {
    pub fn new(config: &Config) -> Self {
        Self {
            apps: config.app_requests_per_second.and_then(limiter),
            users: config.user_posts_per_second.and_then(limiter),
            clock: DefaultClock::default(),
        }
    }

    /// Counts a request of an app in the pool of its caller. Returns the state of the limit.
    pub fn count_request(
        &self,
        app: AppId,
        pool: RequestPool,
    ) -> Result<Option<RateLimitStatus>, TooMuch> {
        self.count(&self.apps, &(app, pool), "This app makes too many requests; slow down.")
    }

    /// Counts a post of a user. Posts that the app's server makes in a user's name are counted
    /// apart from those of the authenticated user, so that neither uses up the limit of the other.
    pub fn count_post(&self, app: AppId, user: &UserRef) -> Result<(), TooMuch> {
        if self.users.is_none() {
            return Ok(());
        }
        let key = (app, user.clone());
        self.count(&self.users, &key, "This user posts too many messages; slow down.").map(drop)
    }

    fn count<Key: Clone + Eq + std::hash::Hash>(
        &self,
        limiter: &Option<Limiter<Key>>,
        key: &Key,
        what: &'static str,
    ) -> Result<Option<RateLimitStatus>, TooMuch> {
        let Some(limiter) = limiter else { return Ok(None) };
        match limiter.check_key(key) {
            Ok(state) => Ok(Some(RateLimitStatus {
                limit: state.quota().burst_size().get(),
                remaining: state.remaining_burst_capacity(),
            })),
            Err(until) => {
                let wait: Duration = until.wait_time_from(self.clock.now());
                let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
                let limit = until.quota().burst_size().get();
                Err(TooMuch { what, limit, retry_after_s: seconds.max(1) })
            }
        }
    }

    /// Evicts the counters of keys whose limit is completely available again. The rate limiter
    /// never evicts by itself.
    pub fn remove_quiet(&self) {
        if let Some(apps) = &self.apps {
            apps.retain_recent();
        }
        if let Some(users) = &self.users {
            users.retain_recent();
            users.shrink_to_fit();
        }
    }
}

fn limiter<Key: Clone + Eq + std::hash::Hash>(per_second: u32) -> Option<Limiter<Key>> {
    let quota = Quota::per_second(NonZeroU32::new(per_second)?);
    Some(RateLimiter::keyed(quota).with_middleware())
}
