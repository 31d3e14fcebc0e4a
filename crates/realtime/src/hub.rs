//! The hub: records which connection of this node is subscribed to which addresses.
//!
//! Each subscription is a `Seat` at an address. A connection's queue is bounded: a connection that
//! does not read fast enough is cut off and must resync, and no publisher waits for it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use confab_domain::ids::{EventId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::room_event::EphemeralEvent;
use confab_domain::people::presence::Presence;
use confab_domain::time::Timestamp;
use confab_runtime::clock;
use parking_lot::RwLock;
use tokio::sync::{mpsc, watch};

use super::cursor::{Cursor, Horizon};
use super::lag::RealtimeLag;
use super::node_viewers::NodeViewers;
use super::signal::Signal;
use super::subscription_queue::{SubscriptionQueue, SubscriptionReceiver, queue};

pub use super::subscription_queue::{Address, AddressedSignal};

/// Reason why a connection is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutOffReason {
    /// The connection did not read fast enough. Its client must resync.
    Lagged,
    /// The user's token is no longer valid.
    AccessEnded,
    /// The server stops.
    Stopping,
}

/// A signal that is published at once and never stored.
#[derive(Debug, Clone)]
pub enum EphemeralSignal {
    /// Typing or a custom event in a room.
    Event(EphemeralEvent),
    /// A user went online or offline.
    Presence(UserKey, Presence),
    /// The viewers of a conversation on this node, for the other nodes. Already published on this
    /// node.
    Viewers(NodeViewers),
}

/// The connections of this node. Clones share the same state.
#[derive(Clone)]
pub struct Hub {
    seats: Arc<RwLock<Seats>>,
    cursor: Arc<RwLock<Cursor>>,
    /// Whether this server runs without other nodes.
    pub(crate) is_alone: bool,
    /// Difference between the clock that all nodes share and this machine's clock, in microseconds.
    clock_ahead_us: Arc<AtomicI64>,
    /// Delay between commits and the publication of their signals.
    pub lag: Arc<RealtimeLag>,
    has_begun: Arc<watch::Sender<bool>>,
    passing: mpsc::Sender<EphemeralSignal>,
}

#[derive(Default)]
struct Seats {
    last_connection: u64,
    connections: HashMap<u64, HubConnection>,
    endings: HashMap<u64, CutOffReason>,
    by_address: HashMap<Address, Vec<Seat>>,
    is_stopping: bool,
}

struct HubConnection {
    queue: SubscriptionQueue,
    addresses: HashSet<Address>,
    /// The signed-in user and their token.
    user: Option<(UserKey, Arc<str>)>,
    sees_doings: bool,
    /// Whether the client is disconnected but its session waits for it. Signals are queued until
    /// the client returns.
    is_away: bool,
}

struct Seat {
    connection: u64,
    queue: SubscriptionQueue,
    sees_doings: bool,
}

/// A connection's entry in the hub. Dropping it ends all its subscriptions.
pub struct Listener {
    hub: Hub,
    id: u64,
}

impl Hub {
    /// Creates a hub without connections. Also returns the receiver from which the feed takes
    /// ephemeral signals.
    pub(crate) fn new(is_alone: bool) -> (Self, mpsc::Receiver<EphemeralSignal>) {
        let (passing, for_feed) = mpsc::channel(limits::REALTIME_COMMITS_MAX);
        (
            Self {
                seats: Arc::default(),
                cursor: Arc::default(),
                is_alone,
                clock_ahead_us: Arc::default(),
                lag: Arc::new(RealtimeLag::new()),
                has_begun: Arc::default(),
                passing,
            },
            for_feed,
        )
    }

    /// Passes an ephemeral signal to the feed, which publishes it on every node. Drops it if the
    /// feed's queue is full.
    pub fn pass(&self, passing: EphemeralSignal) {
        if self.passing.try_send(passing).is_err() {
            metrics::counter!("confab_realtime_dropped_total").increment(1);
        }
    }

    /// Registers a connection. Also returns the receiver of its signals, which ends when the hub
    /// cuts the connection off.
    ///
    /// With `sees_doings`, the connection receives typing, receipts and custom events of the user's
    /// rooms at the user's address, and need not subscribe to each room.
    pub fn connect(&self, sees_doings: bool) -> (Listener, SubscriptionReceiver) {
        let (queue, received) = queue();
        let mut seats = self.seats.write();
        seats.last_connection += 1;
        let id = seats.last_connection;
        if seats.is_stopping {
            seats.endings.insert(id, CutOffReason::Stopping);
        } else {
            let connection = HubConnection {
                queue,
                addresses: HashSet::new(),
                user: None,
                sees_doings,
                is_away: false,
            };
            seats.connections.insert(id, connection);
        }
        metrics::gauge!("confab_realtime_connections").set(seats.connections.len() as f64);
        (Listener { hub: self.clone(), id }, received)
    }

    /// Returns the position up to which events were published on this node.
    pub fn cursor(&self) -> Cursor {
        self.cursor.read().clone()
    }

    /// Cuts off all connections, and marks the start position as unknown until [`Self::begin_at`].
    /// Returns whether it was known before.
    pub(crate) fn restart(&self) -> bool {
        let had_begun = self.has_begun.send_replace(false);
        self.end_all(CutOffReason::Lagged);
        had_begun
    }

    /// Sets the start position: this node publishes only the events after it. Cuts off all
    /// connections.
    pub(crate) fn begin_at(&self, cursor: Cursor) {
        *self.cursor.write() = cursor;
        // Connections opened before the position was known could miss events.
        self.end_all(CutOffReason::Lagged);
        self.has_begun.send_replace(true);
    }

    /// Waits until the start position is known. A connection that is opened earlier could miss
    /// events.
    pub async fn begun(&self) {
        // The wait fails only when the hub is gone.
        let _ = self.has_begun.subscribe().wait_for(|has_begun| *has_begun).await;
    }

    /// Advances the cursor past an event that is being published or that no connection needs.
    pub(crate) fn advance(&self, event: EventId) {
        self.cursor.write().pass(event, self.horizon());
    }

    /// Adjusts the clock that all nodes share to this time.
    pub(crate) fn set_shared_clock(&self, shared: Timestamp) {
        self.clock_ahead_us.store(shared.0 - clock::now().0, Ordering::Relaxed);
    }

    /// Returns the time up to which event ids are plausible.
    pub(crate) fn horizon(&self) -> Horizon {
        let ahead_us = self.clock_ahead_us.load(Ordering::Relaxed);
        Horizon { is_alone: self.is_alone, now: Timestamp(clock::now().0 + ahead_us) }
    }

    /// Whether this node has no connections.
    pub(crate) fn is_empty(&self) -> bool {
        self.seats.read().connections.is_empty()
    }

    /// Whether the user has a connection to this node. Sessions that wait for disconnected clients
    /// do not count.
    pub fn is_connected(&self, user: UserKey) -> bool {
        let seats = self.seats.read();
        let is_there = |id: &u64| seats.connections.get(id).is_some_and(|it| !it.is_away);
        seats.of_user(user).iter().any(is_there)
    }

    /// Returns the users who have a connection to this node.
    pub(crate) fn users(&self) -> Vec<UserKey> {
        let seats = self.seats.read();
        let users = seats.connections.values().filter_map(|it| it.user.as_ref());
        let users: HashSet<_> = users.map(|(user, _)| *user).collect();
        users.into_iter().collect()
    }

    /// Returns the public channels to which a connection of this node is subscribed.
    pub(crate) fn channels(&self) -> Vec<RoomId> {
        let seats = self.seats.read();
        let channel = |at: &Address| match at {
            Address::Channel(room) => Some(*room),
            _ => None,
        };
        seats.by_address.keys().filter_map(channel).collect()
    }

    /// Returns the tokens of the users who have a connection to this node.
    pub(crate) fn tokens(&self) -> Vec<Arc<str>> {
        let seats = self.seats.read();
        let tokens: HashSet<_> = seats
            .connections
            .values()
            .filter_map(|it| it.user.as_ref())
            .map(|(_, it)| it)
            .collect();
        tokens.into_iter().cloned().collect()
    }

    /// Closes all connections that signed in with this token.
    pub(crate) fn end_token(&self, token: &str, ending: CutOffReason) {
        let seats = self.seats.read();
        let showed =
            |it: &HubConnection| it.user.as_ref().is_some_and(|(_, shown)| **shown == *token);
        let connections = seats.connections.iter().filter(|(_, it)| showed(it));
        let connections: Vec<_> = connections.map(|(id, _)| *id).collect();
        drop(seats);
        self.end(&connections, ending);
    }

    /// Queues the signal for each connection that is subscribed to one of the addresses.
    pub(crate) fn show(&self, signal: &Arc<Signal>, addresses: impl IntoIterator<Item = Address>) {
        self.show_all(std::slice::from_ref(signal), signal.is_doing(), addresses);
    }

    /// Queues several signals in this order. `is_doing` states whether [`Signal::is_doing`] holds,
    /// which must be equal for all of them.
    pub(crate) fn show_all(
        &self,
        signals: &[Arc<Signal>],
        is_doing: bool,
        addresses: impl IntoIterator<Item = Address>,
    ) {
        let mut lagging = Vec::new();
        let mut shown = 0u64;
        {
            let seats = self.seats.read();
            for at in addresses {
                let at_user = matches!(at, Address::User(_));
                for seat in seats.by_address.get(&at).into_iter().flatten() {
                    if is_doing && at_user && !seat.sees_doings {
                        continue;
                    }
                    shown += signals.len() as u64;
                    let received =
                        |signal: &Arc<Signal>| AddressedSignal { at, signal: signal.clone() };
                    if seat.queue.put(signals.iter().map(received)).is_err() {
                        lagging.push(seat.connection);
                    }
                }
            }
        }
        metrics::counter!("confab_realtime_events_sent_total").increment(shown);
        if !lagging.is_empty() {
            metrics::counter!("confab_realtime_lagged_total").increment(lagging.len() as u64);
            self.end(&lagging, CutOffReason::Lagged);
        }
    }

    /// Whether any connection is subscribed to the address.
    pub(crate) fn hears(&self, at: Address) -> bool {
        self.seats.read().by_address.contains_key(&at)
    }

    /// Cuts off all connections of the user.
    pub(crate) fn end_user(&self, user: UserKey, ending: CutOffReason) {
        let connections = self.of_user(user);
        self.end(&connections, ending);
    }

    /// Unsubscribes the user's connections from the addresses of a room that the user left.
    pub(crate) fn leave_room(&self, user: UserKey, room: RoomId) {
        let mut seats = self.seats.write();
        let of_user: Vec<_> = seats.of_user(user);
        for connection in of_user {
            seats.get_up(connection, Address::Room(room));
            seats.get_up(connection, Address::Channel(room));
        }
    }

    /// Cuts off all connections that are subscribed to an inbox.
    pub(crate) fn end_inboxes(&self, ending: CutOffReason) {
        let seats = self.seats.read();
        let inboxes = seats.by_address.iter().filter(|(at, _)| matches!(at, Address::Inbox(_)));
        let connections: Vec<_> =
            inboxes.flat_map(|(_, seats)| seats.iter().map(|seat| seat.connection)).collect();
        drop(seats);
        self.end(&connections, ending);
    }

    /// Cuts off one in `one_of` connections, the oldest ones. Clients that reconnect to this server
    /// therefore are cut off last.
    pub fn send_away(&self, one_of: usize) {
        let mut leaving: Vec<_> = self.seats.read().connections.keys().copied().collect();
        leaving.sort_unstable();
        leaving.truncate(leaving.len().div_ceil(one_of));
        self.end(&leaving, CutOffReason::Stopping);
    }

    /// Cuts off all connections and refuses new ones.
    pub fn stop(&self) {
        self.seats.write().is_stopping = true;
        self.end_all(CutOffReason::Stopping);
    }

    /// Cuts off all connections.
    pub(crate) fn end_all(&self, ending: CutOffReason) {
        let all: Vec<_> = self.seats.read().connections.keys().copied().collect();
        self.end(&all, ending);
    }

    fn of_user(&self, user: UserKey) -> Vec<u64> {
        self.seats.read().of_user(user)
    }

    fn end(&self, connections: &[u64], ending: CutOffReason) {
        let mut seats = self.seats.write();
        for id in connections {
            if seats.remove(*id) {
                seats.endings.insert(*id, ending);
            }
        }
        metrics::gauge!("confab_realtime_connections").set(seats.connections.len() as f64);
    }
}

impl Seats {
    fn of_user(&self, user: UserKey) -> Vec<u64> {
        // Every signed-in connection is subscribed to its user's address.
        let at = self.by_address.get(&Address::User(user));
        let at_own = at.into_iter().flatten().map(|seat| seat.connection);
        let is_theirs = |id: &u64| {
            let shown = self.connections.get(id).and_then(|it| it.user.as_ref());
            shown.is_some_and(|(theirs, _)| *theirs == user)
        };
        at_own.filter(is_theirs).collect()
    }

    fn remove(&mut self, id: u64) -> bool {
        let Some(connection) = self.connections.remove(&id) else { return false };
        for at in connection.addresses {
            self.empty_seat(id, at);
        }
        true
    }

    fn get_up(&mut self, id: u64, at: Address) {
        let connection = self.connections.get_mut(&id);
        if connection.is_some_and(|it| it.addresses.remove(&at)) {
            self.empty_seat(id, at);
        }
    }

    fn empty_seat(&mut self, id: u64, at: Address) {
        if let Some(seats) = self.by_address.get_mut(&at) {
            seats.retain(|seat| seat.connection != id);
            if seats.is_empty() {
                self.by_address.remove(&at);
            }
        }
    }
}

impl Listener {
    /// Returns the time up to which event ids are plausible.
    pub(crate) fn horizon(&self) -> Horizon {
        self.hub.horizon()
    }

    /// Assigns the connection to a user: it receives the user's events, and is cut off when the
    /// token becomes invalid.
    pub(crate) fn sign_in(&self, user: UserKey, token: &str) {
        if let Some(connection) = self.hub.seats.write().connections.get_mut(&self.id) {
            connection.user = Some((user, Arc::from(token)));
        }
        self.listen(Address::User(user));
    }

    /// Sets whether the client of this connection is disconnected.
    pub(crate) fn set_away(&self, is_away: bool) {
        if let Some(connection) = self.hub.seats.write().connections.get_mut(&self.id) {
            connection.is_away = is_away;
        }
    }

    /// Subscribes to the address. Returns `false` if the connection has too many subscriptions.
    pub fn listen(&self, at: Address) -> bool {
        let mut seats = self.hub.seats.write();
        let seats = &mut *seats;
        let Some(connection) = seats.connections.get_mut(&self.id) else { return true };
        if connection.addresses.len() >= limits::REALTIME_ADDRESSES_MAX {
            return false;
        }
        if connection.addresses.insert(at) {
            let (queue, sees_doings) = (connection.queue.clone(), connection.sees_doings);
            let seat = Seat { connection: self.id, queue, sees_doings };
            seats.by_address.entry(at).or_default().push(seat);
        }
        true
    }

    /// Whether the connection is subscribed to the address.
    pub(crate) fn sits_at(&self, at: Address) -> bool {
        let seats = self.hub.seats.read();
        seats.connections.get(&self.id).is_some_and(|it| it.addresses.contains(&at))
    }

    /// Unsubscribes from the address.
    pub fn ignore(&self, at: Address) {
        self.hub.seats.write().get_up(self.id, at);
    }

    /// Returns the reason why the connection was cut off, if it was.
    pub fn ending(&self) -> Option<CutOffReason> {
        self.hub.seats.read().endings.get(&self.id).copied()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut seats = self.hub.seats.write();
        seats.remove(self.id);
        seats.endings.remove(&self.id);
        metrics::gauge!("confab_realtime_connections").set(seats.connections.len() as f64);
    }
}
