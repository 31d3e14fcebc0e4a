//! Limits on the number of connections.
//!
//! Every connection is an open file, and the number of open files of a process is limited.
//! Long-lived connections leave a reserve for requests, and all connections leave a reserve for the
//! store, webhooks and files, so that the server works however many clients connect
//! (design/sign-in-and-limits). Each IP address is limited to a share of the connections
//! (design/realtime). When all sockets are in use, the connections that have waited longest for
//! their clients are closed for new ones (design/sign-in-and-limits). Refused connections are
//! counted.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use confab_domain::ids::{AppId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::User;
use ipnet::IpNet;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::admission::activity::Activity;
use crate::admission::peer::Peer;
use crate::admission::shares::{Share, Shares};
use crate::config::Config;
use crate::process::open_files;

/// Minimum interval of log lines about refused connections.
const LOG_EVERY: Duration = Duration::from_secs(60);

/// Maximum numbers of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bounds {
    /// Maximum number of connections of any kind, including idle ones and requests.
    sockets: usize,
    /// Maximum number of long-lived connections, which receive events.
    staying: usize,
    of_app: usize,
    of_user: usize,
}

impl Bounds {
    fn of_files(files: usize) -> Self {
        let reserved = (files / 4).min(limits::FILES_RESERVED_MAX);
        let sockets = files - reserved;
        let staying = sockets - (files / 16).min(limits::REQUEST_SOCKETS_MAX);
        let of_user = (staying / 2).min(limits::CONNECTIONS_OF_USER_MAX);
        Self { sockets, staying, of_app: staying - staying / 10, of_user }
    }
}

/// The connections of this process. Cheap to clone; all clones share the counters.
#[derive(Clone)]
pub struct Connections(Arc<ConnectionsInner>);

struct ConnectionsInner {
    bounds: Bounds,
    of_address: AddressBound,
    sockets: AtomicUsize,
    of_peers: Shares<Peer>,
    /// Activity of each open socket.
    open: Mutex<HashMap<u64, Arc<Activity>>>,
    next_socket: AtomicU64,
    /// Number of sockets that were asked to close and are still open.
    yielding: AtomicUsize,
    staying: Mutex<StayingCounts>,
    /// Signaled when the last long-lived connection closes.
    nobody_stays: Notify,
    said: Mutex<Option<Instant>>,
}

/// Maximum number of sockets of one IP address.
#[derive(Default)]
struct AddressBound {
    /// Trusted proxies, which have no limit because they forward many clients.
    trusted: Vec<IpNet>,
    /// The `connections_per_address` setting.
    given: Option<usize>,
}

impl AddressBound {
    /// Returns the limit of an address, or `None` if it has none. Unless `connections_per_address`
    /// is set, loopback addresses have no limit: they may belong to a proxy that is missing from
    /// `trusted_proxies`.
    fn of(&self, address: IpAddr, sockets: usize) -> Option<usize> {
        let address = address.to_canonical();
        if self.trusted.iter().any(|network| network.contains(&address)) {
            return None;
        }
        let usual = || (sockets / limits::ADDRESS_SOCKETS_SHARE).max(1);
        self.given.or_else(|| (!address.is_loopback()).then(usual))
    }
}

/// Reason why a socket was refused.
#[derive(Debug, PartialEq, Eq)]
pub enum ConnectionsFull {
    /// All sockets are in use.
    Sockets,
    /// The IP address uses its whole share.
    Peer,
}

#[derive(Default)]
struct StayingCounts {
    all: usize,
    of_app: HashMap<AppId, usize>,
    of_user: HashMap<UserKey, usize>,
}

impl Connections {
    /// Creates the counters. Their limits are derived from the number of files that the process may
    /// open.
    pub fn new(config: &Config) -> Self {
        let (trusted, given) = (config.trusted_proxies.clone(), config.connections_per_address);
        let of_address = AddressBound { trusted, given };
        Self::bounded(Bounds::of_files(open_files::allowed()), of_address)
    }

    fn bounded(bounds: Bounds, of_address: AddressBound) -> Self {
        Self(Arc::new(ConnectionsInner {
            bounds,
            of_address,
            sockets: AtomicUsize::new(0),
            of_peers: Shares::default(),
            open: Mutex::default(),
            next_socket: AtomicU64::new(0),
            yielding: AtomicUsize::new(0),
            staying: Mutex::default(),
            nobody_stays: Notify::new(),
            said: Mutex::default(),
        }))
    }

    /// Waits until no long-lived connection is left.
    pub async fn until_none_remain(&self) {
        let mut gone = pin!(self.0.nobody_stays.notified());
        // Register first, so that a connection that closes between check and wait is noticed.
        gone.as_mut().enable();
        if self.0.staying.lock().all > 0 {
            gone.await;
        }
    }

    /// Counts one more socket of this address. If all are in use, the sockets that have waited
    /// longest for their clients are asked to close; if no socket is waiting, the new one is
    /// refused.
    pub fn take_socket(&self, address: IpAddr) -> Result<CountedSocket, ConnectionsFull> {
        let ConnectionsInner { bounds, of_address, sockets, of_peers, yielding, .. } = &*self.0;
        let before = sockets.fetch_add(1, Ordering::Relaxed);
        let mut socket = CountedSocket::new(self);
        if let Some(bound) = of_address.of(address, bounds.sockets) {
            let mut share = of_peers.of(Peer::of_socket(address), bound);
            if !share.take(1) {
                self.refused("address");
                return Err(ConnectionsFull::Peer);
            }
            socket._share = Some(share);
        }
        let is_free = before < bounds.sockets + yielding.load(Ordering::Relaxed);
        if !is_free && !self.make_room() {
            self.refused("sockets");
            return Err(ConnectionsFull::Sockets);
        }
        self.0.open.lock().insert(socket.id, socket.activity.clone());
        Ok(socket)
    }

    /// Asks the sockets that have waited longest for their clients to close. It asks several at
    /// once, because each search scans all sockets. Returns whether any was asked.
    fn make_room(&self) -> bool {
        let share = |divisor: usize| (self.0.bounds.sockets / divisor).max(1);
        if self.0.yielding.load(Ordering::Relaxed) >= share(limits::YIELDING_SOCKETS_SHARE) {
            return false;
        }
        let mut waiting: Vec<_> = {
            let open = self.0.open.lock();
            let since = |it: &Arc<Activity>| Some((it.waits_since()?, it.clone()));
            open.values().filter(|it| !it.must_yield()).filter_map(since).collect()
        };
        let count = share(limits::YIELDED_AT_ONCE_SHARE).min(waiting.len());
        if count > 0 {
            waiting.select_nth_unstable_by_key(count - 1, |(since, _)| *since);
        }
        let asked = waiting[..count].iter().filter(|(_, it)| it.wants_socket()).count();
        self.0.yielding.fetch_add(asked, Ordering::Relaxed);
        let yielded = metrics::counter!("confab_connections_yielded_total");
        yielded.increment(asked as u64);
        asked > 0
    }

    /// Counts one more long-lived connection, or returns `None` if there are too many.
    pub fn admit(&self) -> Option<Ticket> {
        {
            let mut staying = self.0.staying.lock();
            if staying.all < self.0.bounds.staying {
                staying.all += 1;
                return Some(Ticket { connections: self.clone(), whose: None });
            }
        }
        self.refused("process");
        None
    }

    /// Counts one more long-lived connection of a user, or returns `None` if there are too many.
    pub fn admit_user(&self, user: &User) -> Option<Ticket> {
        let mut ticket = self.admit()?;
        ticket.show(user).then_some(ticket)
    }

    fn refused(&self, bound: &'static str) {
        metrics::counter!("confab_connections_refused_total", "bound" => bound).increment(1);
        let mut said = self.0.said.lock();
        if said.is_none_or(|at| at.elapsed() >= LOG_EVERY) {
            *said = Some(Instant::now());
            tracing::warn!(bound, "connection limit reached; new connections refused");
        }
    }
}

/// A socket, counted until it is dropped.
pub struct CountedSocket {
    connections: Connections,
    id: u64,
    activity: Arc<Activity>,
    _share: Option<Share<Peer>>,
}

impl CountedSocket {
    fn new(connections: &Connections) -> Self {
        let id = connections.0.next_socket.fetch_add(1, Ordering::Relaxed);
        let activity = Arc::new(Activity::default());
        Self { connections: connections.clone(), id, activity, _share: None }
    }

    /// Returns the activity of the socket.
    pub fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }
}

impl Drop for CountedSocket {
    fn drop(&mut self) {
        let ConnectionsInner { open, sockets, yielding, .. } = &*self.connections.0;
        open.lock().remove(&self.id);
        sockets.fetch_sub(1, Ordering::Relaxed);
        if self.activity.must_yield() {
            yielding.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Admission of a long-lived connection, counted until it is dropped.
pub struct Ticket {
    connections: Connections,
    whose: Option<(AppId, UserKey)>,
}

impl Ticket {
    /// Counts the connection for its user. Returns false if the user or the app has too many.
    pub fn show(&mut self, user: &User) -> bool {
        let ConnectionsInner { bounds, staying, .. } = &*self.connections.0;
        let full = {
            let StayingCounts { of_app, of_user, .. } = &mut *staying.lock();
            let has = |count: Option<&usize>, bound| count.copied().unwrap_or(0) >= bound;
            if has(of_app.get(&user.app), bounds.of_app) {
                Some("app")
            } else if has(of_user.get(&user.key), bounds.of_user) {
                Some("user")
            } else {
                *of_app.entry(user.app).or_default() += 1;
                *of_user.entry(user.key).or_default() += 1;
                self.whose = Some((user.app, user.key));
                None
            }
        };
        full.inspect(|bound| self.connections.refused(bound)).is_none()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let StayingCounts { all, of_app, of_user } = &mut *self.connections.0.staying.lock();
        *all -= 1;
        if *all == 0 {
            self.connections.0.nobody_stays.notify_waiters();
        }
        if let Some((app, user)) = self.whose {
            one_less(of_app, app);
            one_less(of_user, user);
        }
    }
}

fn one_less<K: Hash + Eq>(counts: &mut HashMap<K, usize>, key: K) {
    if let Some(count) = counts.get_mut(&key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use confab_domain::people::user::{Realm, UserId};
    use confab_domain::time::Timestamp;

    use super::*;

    fn user(app: i64, key: i64) -> User {
        User {
            key: UserKey(key),
            app: AppId(app),
            realm: Realm::App,
            user_id: UserId::parse("user_id", "ana").expect("an id"),
            username: String::new(),
            avatar_url: String::new(),
            extras: None,
            is_active: true,
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        }
    }

    #[test]
    fn connection_limits_leave_open_files_for_the_rest_of_the_server() {
        for files in [0, 16, 64, 256, 1_024, 20_000, 1_048_576] {
            let Bounds { sockets, staying, of_app, of_user } = Bounds::of_files(files);
            assert!(sockets <= files - files.min(16_384) / 4 && staying <= sockets, "{files}");
            assert!(of_user <= of_app && of_app <= staying, "{files}");
        }
        let usual = Bounds { sockets: 768, staying: 704, of_app: 634, of_user: 352 };
        assert_eq!(Bounds::of_files(1_024), usual);
    }

    #[test]
    fn the_socket_that_waits_longest_for_its_client_yields_to_a_new_one() {
        let bounds = Bounds { sockets: 3, staying: 4, of_app: 3, of_user: 2 };
        let connections = Connections::bounded(bounds, AddressBound::default());
        let take = || connections.take_socket([127, 0, 0, 1].into()).map_err(drop);
        let [first, second, third] = [take(), take(), take()].map(|it| it.expect("there is room"));
        let must_yield = |sockets: &[&CountedSocket]| -> Vec<bool> {
            sockets.iter().map(|it| it.activity.must_yield()).collect()
        };
        let busy = first.activity.begin();
        let new = take().expect("another one yields");
        assert_eq!(must_yield(&[&first, &second, &third, &new]), [false, true, false, false]);
        assert!(take().is_err(), "the yielding socket is still open");
        drop(second);
        assert_eq!(connections.0.yielding.load(Ordering::Relaxed), 0);
        let newer = take().expect("another one yields");
        assert_eq!(must_yield(&[&first, &third, &new, &newer]), [false, true, false, false]);
        drop((busy, first, third, new, newer));
        assert!(connections.0.open.lock().is_empty());
        assert_eq!(connections.0.sockets.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn rejected_connections_are_admitted_once_another_one_closes() {
        let bounds = Bounds { sockets: 2, staying: 4, of_app: 3, of_user: 2 };
        let connections = Connections::bounded(bounds, AddressBound::default());
        let take = || {
            let socket = connections.take_socket([127, 0, 0, 1].into())?;
            let busy = socket.activity.begin();
            Ok((socket, busy))
        };
        let sockets = [take(), take()];
        assert!(sockets.iter().all(Result::is_ok));
        assert_eq!(take().err(), Some(ConnectionsFull::Sockets));
        drop(sockets);
        assert!(take().is_ok());
        let (ana, bob, eve) = (user(1, 1), user(1, 2), user(2, 3));
        let of_ana = [connections.admit_user(&ana), connections.admit_user(&ana)];
        assert!(of_ana.iter().all(Option::is_some));
        assert!(connections.admit_user(&ana).is_none(), "the limit per user is reached");
        let _of_bob = connections.admit_user(&bob).expect("the app has room for a third");
        assert!(connections.admit_user(&bob).is_none(), "the limit per app is reached");
        let of_eve = connections.admit_user(&eve).expect("another app has room");
        assert!(connections.admit_user(&eve).is_none() && connections.admit().is_none());
        drop(of_eve);
        drop(of_ana);
        assert!(connections.admit_user(&bob).is_some());
    }

    #[test]
    fn sockets_are_limited_per_address_but_not_for_trusted_proxies() {
        let bounds = Bounds { sockets: 20, staying: 4, of_app: 3, of_user: 2 };
        let trusted = vec!["10.0.0.0/8".parse().expect("a network")];
        let taken = |given, address: &str| {
            let of_address = AddressBound { trusted: trusted.clone(), given };
            let connections = Connections::bounded(bounds, of_address);
            let address = address.parse().expect("an address");
            let busy = |socket: CountedSocket| (socket.activity.begin(), socket);
            let take = || connections.take_socket(address).map(busy);
            let sockets: Vec<_> = (0..20).map(|_| take()).collect();
            let other = connections.take_socket([198, 51, 100, 1].into()).is_ok();
            (sockets.iter().filter(|it| it.is_ok()).count(), other)
        };
        for (address, expected) in [
            ("203.0.113.7", (5, true)),
            ("2001:db8::1", (5, true)),
            ("10.1.2.3", (20, false)),
            ("::ffff:10.1.2.3", (20, false)),
            ("127.0.0.1", (20, false)),
            ("::1", (20, false)),
        ] {
            assert_eq!(taken(None, address), expected, "{address}");
        }
        assert_eq!(
            taken(Some(3), "127.0.0.1"),
            (3, true),
            "the configured limit applies to loopback"
        );
        assert_eq!(taken(Some(3), "10.1.2.3"), (20, false), "a proxy forwards many clients");
    }
}
