//! Limits on the concurrent requests of an app.
//!
//! Every kind of caller has its own pool: anonymous callers who know the app id cannot block users,
//! users cannot block agents, and neither can block the app itself. Within a pool, each caller is
//! limited to a share (design/sign-in-and-limits). A request is counted once it has arrived
//! completely and its caller is authenticated.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use confab_domain::ids::{AgentId, UserKey};
use confab_domain::limits;

use crate::admission::peer::Peer;
use crate::admission::shares::{Share, Shares};

/// The caller of a request, as far as limits distinguish callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CountedCaller {
    /// The app itself, authenticated by one of its secrets or a channel's key.
    App,
    /// An agent of the app.
    Agent(AgentId),
    /// A user, authenticated by their token.
    User(UserKey),
    /// An anonymous caller, who sent nothing but the app id.
    Stranger(Peer),
}

/// The pool in which a caller is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestPool {
    App,
    Agents,
    Users,
    Strangers,
}

impl CountedCaller {
    pub fn pool(self) -> RequestPool {
        match self {
            Self::App => RequestPool::App,
            Self::Agent(_) => RequestPool::Agents,
            Self::User(_) => RequestPool::Users,
            Self::Stranger(_) => RequestPool::Strangers,
        }
    }

    /// Whether the caller is limited to a share of its pool. The app itself and loopback addresses
    /// are not: a proxy on this machine that is missing in `trusted_proxies` forwards all anonymous
    /// callers.
    fn has_share(self) -> bool {
        match self {
            Self::App => false,
            Self::Agent(_) | Self::User(_) => true,
            Self::Stranger(peer) => !peer.is_loopback(),
        }
    }
}

/// Reason why a further request is refused.
#[derive(Debug, PartialEq, Eq)]
pub enum TooMany {
    /// The pool is full.
    OfApp,
    /// The caller uses its whole share of the pool.
    OfCaller,
}

/// The running requests of one app.
#[derive(Default)]
pub struct RunningOfApp {
    /// Number of running requests of each pool.
    counts: [AtomicUsize; 4],
    shares: Shares<CountedCaller>,
}

impl RunningOfApp {
    /// Counts a request, or refuses it if its pool has `pool_max` requests or the caller used up
    /// its share.
    pub fn begin(
        self: &Arc<Self>,
        caller: CountedCaller,
        pool_max: usize,
    ) -> Result<RunningRequest, TooMany> {
        let pool = caller.pool();
        let before = self.counts[pool as usize].fetch_add(1, Ordering::Relaxed);
        let mut running = RunningRequest { of_app: self.clone(), pool, _share: None };
        if before >= pool_max {
            return Err(TooMany::OfApp);
        }
        if caller.has_share() {
            let mut share = self.shares.of(caller, (pool_max / limits::REQUESTS_SHARE).max(1));
            if !share.take(1) {
                return Err(TooMany::OfCaller);
            }
            running._share = Some(share);
        }
        Ok(running)
    }
}

/// A running request, counted until it is dropped.
pub struct RunningRequest {
    of_app: Arc<RunningOfApp>,
    pool: RequestPool,
    _share: Option<Share<CountedCaller>>,
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        self.of_app.counts[self.pool as usize].fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(
        app: &Arc<RunningOfApp>,
        callers: impl IntoIterator<Item = CountedCaller>,
        max: usize,
    ) -> (Vec<RunningRequest>, Vec<TooMany>) {
        let mut taken = (Vec::new(), Vec::new());
        for caller in callers {
            match app.begin(caller, max) {
                Ok(running) => taken.0.push(running),
                Err(why) => taken.1.push(why),
            }
        }
        taken
    }

    fn stranger(address: [u8; 4]) -> CountedCaller {
        CountedCaller::Stranger(Peer::of_socket(address.into()))
    }

    #[test]
    fn each_kind_of_caller_has_its_own_limit_and_each_caller_a_share() {
        let app = Arc::default();
        let max = 2 * limits::REQUESTS_SHARE;
        for caller in [CountedCaller::User(UserKey(1)), stranger([192, 0, 2, 1])] {
            let (running, refused) = many(&app, [caller; 3], max);
            assert_eq!((running.len(), refused), (2, vec![TooMany::OfCaller]));
        }
        let users = (0..).map(|key| CountedCaller::User(UserKey(key))).take(max + 1);
        let (users, refused) = many(&app, users, max);
        assert_eq!((users.len(), refused), (max, vec![TooMany::OfApp]));
        let (strangers, _) = many(&app, (0..=255).map(|it| stranger([192, 0, 2, it])), max);
        assert_eq!(strangers.len(), max);
        let (of_app, refused) = many(&app, [CountedCaller::App; 17], max);
        assert_eq!((of_app.len(), refused), (max, vec![TooMany::OfApp]), "the app has no share");
        let (agents, _) = many(&app, [CountedCaller::Agent(AgentId(1)); 3], max);
        assert_eq!(agents.len(), 2);
        drop((users, strangers, of_app, agents));
        assert_eq!(many(&app, [stranger([127, 0, 0, 1]); 17], max).0.len(), max);
        assert!(app.counts.iter().all(|count| count.load(Ordering::Relaxed) == 0));
    }
}
