//! Who listens to what.
//!
//! A connection takes a seat at every address it wants to hear. Its queue is bounded: who does not
//! read fast enough is cut off and told to look again, and nobody waits for them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use confab_domain::ids::{EventId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::room_event::EphemeralEvent;
use confab_domain::people::presence::Presence;
use confab_domain::time::Timestamp;
use parking_lot::RwLock;
use tokio::sync::{mpsc, watch};

use super::cursor::{Cursor, Horizon};
use super::lag::RealtimeLag;
use super::node_viewers::NodeViewers;
use super::signal::Signal;
use super::subscription_queue::{SubscriptionQueue, SubscriptionReceiver, queue};
use crate::clock;

pub(crate) use super::subscription_queue::{Address, AddressedSignal};

/// Why a connection is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CutOffReason {
    /// It did not read fast enough: it must look again at what it missed.
    Lagged,
    /// What its user connected with is not good any more.
    AccessEnded,
    /// The server stops.
    Stopping,
}

/// Something that is shown at once and kept nowhere.
#[derive(Debug, Clone)]
pub(crate) enum EphemeralSignal {
    /// Somebody does something in a room.
    EphemeralEvent(EphemeralEvent),
    /// Somebody comes or goes.
    Presence(UserKey, Presence),
    /// Who looks at a conversation through this node; it was shown here already.
    Viewers(NodeViewers),
}

/// Those who are connected to this node. Cheap to clone; all clones are one.
#[derive(Clone)]
pub(crate) struct Hub {
    seats: Arc<RwLock<Seats>>,
    cursor: Arc<RwLock<Cursor>>,
    /// There can be no other nodes.
    pub(crate) is_alone: bool,
    /// How far the clock that all nodes share is ahead of this machine's, in microseconds.
    clock_ahead_us: Arc<AtomicI64>,
    /// How far what is shown lags behind what is committed.
    pub(crate) lag: Arc<RealtimeLag>,
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
    /// Who it is, and the token they showed.
    user: Option<(UserKey, Arc<str>)>,
    sees_doings: bool,
    /// Its client is gone and may come back: what it hears is kept for it.
    is_away: bool,
}

struct Seat {
    connection: u64,
    queue: SubscriptionQueue,
    sees_doings: bool,
}

/// A connection's place in the hub. Dropping it gives up all its seats.
pub(crate) struct Listener {
    hub: Hub,
    id: u64,
}

impl Hub {
    /// Nobody is connected yet. What passes is for the feed.
    pub(crate) fn new(is_alone: bool) -> (Self, mpsc::Receiver<EphemeralSignal>) {
        let (passing, for_feed) = mpsc::channel(limits::REALTIME_NEWS_MAX);
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

    /// Shows what passes to those it concerns, on every node. Past a bound it is dropped.
    pub(crate) fn pass(&self, passing: EphemeralSignal) {
        if self.passing.try_send(passing).is_err() {
            metrics::counter!("confab_realtime_dropped_total").increment(1);
        }
    }

    /// A new connection, and what it hears. The queue ends when the hub cuts it off.
    ///
    /// With `sees_doings` it hears what people do in a user's rooms at the user's address, and need
    /// not take a seat in each room.
    pub(crate) fn connect(&self, sees_doings: bool) -> (Listener, SubscriptionReceiver) {
        let (queue, heard) = queue();
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
        (Listener { hub: self.clone(), id }, heard)
    }

    /// Up to where everything was shown here.
    pub(crate) fn cursor(&self) -> Cursor {
        self.cursor.read().clone()
    }

    /// It is not known any more what was shown: everybody looks again once it is. False if it never
    /// was.
    pub(crate) fn begin_anew(&self) -> bool {
        let had_begun = self.has_begun.send_replace(false);
        self.end_all(CutOffReason::Lagged);
        had_begun
    }

    /// Everything up to here happened before this node began to show anything.
    pub(crate) fn begin_at(&self, cursor: Cursor) {
        *self.cursor.write() = cursor;
        // Who slipped in while it was not known would miss something.
        self.end_all(CutOffReason::Lagged);
        self.has_begun.send_replace(true);
    }

    /// Comes once it is known where what is shown begins. Who connects before that would miss what
    /// happens in between.
    pub(crate) async fn begun(&self) {
        // It fails only when the hub is gone, and then nothing begins.
        let _ = self.has_begun.subscribe().wait_for(|has_begun| *has_begun).await;
    }

    /// An event is shown now, or nobody wants to see it.
    pub(crate) fn advance(&self, event: EventId) {
        self.cursor.write().pass(event, self.horizon());
    }

    /// Sets the clock that all nodes share, as it shows now.
    pub(crate) fn set_shared_clock(&self, shared: Timestamp) {
        self.clock_ahead_us.store(shared.0 - clock::now().0, Ordering::Relaxed);
    }

    /// How far ids are believed to tell the time.
    pub(crate) fn horizon(&self) -> Horizon {
        let ahead_us = self.clock_ahead_us.load(Ordering::Relaxed);
        Horizon { is_alone: self.is_alone, now: Timestamp(clock::now().0 + ahead_us) }
    }

    /// Whether nobody is connected here.
    pub(crate) fn is_empty(&self) -> bool {
        self.seats.read().connections.is_empty()
    }

    /// Whether the user is connected here. Who is away sees nothing.
    pub(crate) fn is_connected(&self, user: UserKey) -> bool {
        let seats = self.seats.read();
        let is_there = |id: &u64| seats.connections.get(id).is_some_and(|it| !it.is_away);
        seats.of_user(user).iter().any(is_there)
    }

    /// The users who are connected here.
    pub(crate) fn users(&self) -> Vec<UserKey> {
        let seats = self.seats.read();
        let users = seats.connections.values().filter_map(|it| it.user.as_ref());
        let users: HashSet<_> = users.map(|(user, _)| *user).collect();
        users.into_iter().collect()
    }

    /// The channels that somebody follows here, being in them or not.
    pub(crate) fn channels(&self) -> Vec<RoomId> {
        let seats = self.seats.read();
        let channel = |at: &Address| match at {
            Address::Channel(room) => Some(*room),
            _ => None,
        };
        seats.by_address.keys().filter_map(channel).collect()
    }

    /// The tokens that those who are connected here showed.
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

    /// Cuts off every connection that showed this token.
    pub(crate) fn end_token(&self, token: &str, ending: CutOffReason) {
        let seats = self.seats.read();
        let showed =
            |it: &HubConnection| it.user.as_ref().is_some_and(|(_, shown)| **shown == *token);
        let connections = seats.connections.iter().filter(|(_, it)| showed(it));
        let connections: Vec<_> = connections.map(|(id, _)| *id).collect();
        drop(seats);
        self.end(&connections, ending);
    }

    /// Hands the signal to everybody who sits at one of the addresses.
    pub(crate) fn show(&self, signal: &Arc<Signal>, addresses: impl IntoIterator<Item = Address>) {
        self.show_all(std::slice::from_ref(signal), signal.is_doing(), addresses);
    }

    /// The same with several signals, in this order, which all are what people do, or none is.
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
                    let heard =
                        |signal: &Arc<Signal>| AddressedSignal { at, signal: signal.clone() };
                    if seat.queue.put(signals.iter().map(heard)).is_err() {
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

    /// Whether anybody sits at the address.
    pub(crate) fn hears(&self, at: Address) -> bool {
        self.seats.read().by_address.contains_key(&at)
    }

    /// Cuts off every connection of the user.
    pub(crate) fn end_user(&self, user: UserKey, ending: CutOffReason) {
        let connections = self.of_user(user);
        self.end(&connections, ending);
    }

    /// Whoever is not in the room any more does not hear what people do there.
    pub(crate) fn leave_room(&self, user: UserKey, room: RoomId) {
        let mut seats = self.seats.write();
        let of_user: Vec<_> = seats.of_user(user);
        for connection in of_user {
            seats.get_up(connection, Address::Room(room));
            seats.get_up(connection, Address::Channel(room));
        }
    }

    /// Cuts off those who show an inbox.
    pub(crate) fn end_inboxes(&self, ending: CutOffReason) {
        let seats = self.seats.read();
        let inboxes = seats.by_address.iter().filter(|(at, _)| matches!(at, Address::Inbox(_)));
        let connections: Vec<_> =
            inboxes.flat_map(|(_, seats)| seats.iter().map(|seat| seat.connection)).collect();
        drop(seats);
        self.end(&connections, ending);
    }

    /// Cuts off one of so many, and those first who are here longest: whoever comes back meanwhile
    /// stays as long as can be.
    pub(crate) fn send_away(&self, one_of: usize) {
        let mut leaving: Vec<_> = self.seats.read().connections.keys().copied().collect();
        leaving.sort_unstable();
        leaving.truncate(leaving.len().div_ceil(one_of));
        self.end(&leaving, CutOffReason::Stopping);
    }

    /// Cuts off everybody, and lets nobody in any more.
    pub(crate) fn stop(&self) {
        self.seats.write().is_stopping = true;
        self.end_all(CutOffReason::Stopping);
    }

    /// Cuts off everybody.
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
            if seats.forget(*id) {
                seats.endings.insert(*id, ending);
            }
        }
        metrics::gauge!("confab_realtime_connections").set(seats.connections.len() as f64);
    }
}

impl Seats {
    fn of_user(&self, user: UserKey) -> Vec<u64> {
        // Whoever is signed in sits at their own address.
        let at = self.by_address.get(&Address::User(user));
        let at_own = at.into_iter().flatten().map(|seat| seat.connection);
        let is_theirs = |id: &u64| {
            let shown = self.connections.get(id).and_then(|it| it.user.as_ref());
            shown.is_some_and(|(theirs, _)| *theirs == user)
        };
        at_own.filter(is_theirs).collect()
    }

    fn forget(&mut self, id: u64) -> bool {
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
    /// How far ids are believed to tell the time.
    pub(crate) fn horizon(&self) -> Horizon {
        self.hub.horizon()
    }

    /// From now on the connection is this user's: it hears what they are shown, and is cut off when
    /// their token is not good any more.
    pub(crate) fn sign_in(&self, user: UserKey, token: &str) {
        if let Some(connection) = self.hub.seats.write().connections.get_mut(&self.id) {
            connection.user = Some((user, Arc::from(token)));
        }
        self.listen(Address::User(user));
    }

    /// Notes whether the client that hears all this is away.
    pub(crate) fn set_away(&self, is_away: bool) {
        if let Some(connection) = self.hub.seats.write().connections.get_mut(&self.id) {
            connection.is_away = is_away;
        }
    }

    /// Takes a seat. False if there are too many.
    pub(crate) fn listen(&self, at: Address) -> bool {
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

    /// Whether it has a seat there.
    pub(crate) fn sits_at(&self, at: Address) -> bool {
        let seats = self.hub.seats.read();
        seats.connections.get(&self.id).is_some_and(|it| it.addresses.contains(&at))
    }

    /// Gives up a seat.
    pub(crate) fn ignore(&self, at: Address) {
        self.hub.seats.write().get_up(self.id, at);
    }

    /// Why it was cut off, if it was.
    pub(crate) fn ending(&self) -> Option<CutOffReason> {
        self.hub.seats.read().endings.get(&self.id).copied()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut seats = self.hub.seats.write();
        seats.forget(self.id);
        seats.endings.remove(&self.id);
        metrics::gauge!("confab_realtime_connections").set(seats.connections.len() as f64);
    }
}
