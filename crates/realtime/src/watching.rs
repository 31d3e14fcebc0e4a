//! The event stream of one user: missed events first, then new ones.
//!
//! It drives the WebSocket and server-sent events of clients without an SDK. It subscribes before
//! it reads the store, and skips events that it has already delivered, so no event is missed or
//! delivered twice (D-0041).

use std::sync::Arc;

use confab_domain::ids::EventId;
use confab_domain::limits;
use confab_domain::messages::room_event::RoomEvent;
use confab_domain::people::user::User;
use confab_store::{RoomEventPage, Store, StoreError};

use super::cursor::Cursor;
use super::hub::{CutOffReason, Hub, Listener};
use super::signal::{Signal, SignalContent};
use super::subscription_queue::SubscriptionReceiver;

/// The event stream of one user.
pub struct UserStream {
    pub listener: Listener,
    received: SubscriptionReceiver,
    store: Store,
    user: Arc<User>,
    seen: Cursor,
    missed: Missed,
    /// Whether the stream delivered events from the store that this node may not have published
    /// yet. Until this node has published them, its cursor lacks events that the client has, so
    /// events carry the stream's own cursor.
    is_ahead: bool,
}

/// The missed events that the stream must still read from the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missed {
    Nothing,
    /// The events after this one. The number counts the events that were read so far.
    After(EventId, usize),
    /// Too many events, or events that are no longer stored.
    TooMuch,
}

/// The next items of the stream.
pub enum NextSignals {
    /// The next signals, in this order.
    Signals(Vec<Arc<Signal>>),
    /// Too many events were missed: the client must reload its state. The stream continues with new
    /// events.
    TooMuchMissed,
    /// The stream ended.
    Ended(CutOffReason),
}

/// Returns the client's cursor, or the default one if the client's is ahead of all stored events. A
/// node with a wrong cursor issued it: the client may have missed any event, and must reload its
/// rooms.
pub async fn believed(hub: &Hub, store: &Store, seen: Cursor) -> Result<Cursor, StoreError> {
    let horizon = hub.horizon();
    if seen.is_within(horizon) {
        return Ok(seen);
    }
    let stored = store.newest_events().await?;
    Ok(if seen.is_ahead_of(&stored, horizon) { Cursor::default() } else { seen })
}

impl UserStream {
    /// Subscribes, and starts the stream with the events after `seen` or, without it, with new
    /// events. `oldest` is the first event within the retention time. If `seen` is before it, the
    /// client must reload its state.
    pub fn start(
        hub: &Hub,
        store: &Store,
        (user, token): (Arc<User>, &str),
        seen: Option<Cursor>,
        oldest: EventId,
    ) -> Self {
        // Read before subscribing: events in between are delivered again, not missed.
        let now = hub.cursor();
        let (listener, received) = hub.connect(true);
        listener.sign_in(user.key, token);
        let missed = match &seen {
            Some(seen) if seen.base() < oldest => Missed::TooMuch,
            Some(seen) => Missed::After(seen.base(), 0),
            None => Missed::Nothing,
        };
        let is_ahead = !hub.is_alone && seen.is_some();
        let seen = seen.unwrap_or(now);
        let store = store.clone();
        Self { listener, received, store, user, seen, missed, is_ahead }
    }

    /// Returns the position up to which the stream has delivered events.
    pub fn seen(&self) -> &Cursor {
        &self.seen
    }

    /// Waits for the next items. May be canceled without loss.
    pub async fn next(&mut self) -> Result<NextSignals, StoreError> {
        loop {
            let (after, so_far) = match self.missed {
                Missed::Nothing => break,
                Missed::After(after, so_far) => (after, so_far),
                Missed::TooMuch => return Ok(self.give_up()),
            };
            let page = limits::REALTIME_MISSED_PER_READ;
            // Boxed, because streams that wait for new events do not need the memory of this
            // future.
            let read = Box::pin(self.store.events_after(self.user.key, after, page)).await?;
            let RoomEventPage { events, has_more } = read;
            let is_last = !has_more || events.is_empty();
            let so_far = so_far + events.len();
            if so_far > limits::REALTIME_MISSED_MAX {
                return Ok(self.give_up());
            }
            let newest = events.last().map_or(after, |event| event.id);
            self.missed = if is_last { Missed::Nothing } else { Missed::After(newest, so_far) };
            let signals: Vec<_> =
                events.into_iter().filter_map(|event| self.shown_again(event)).collect();
            if !signals.is_empty() {
                return Ok(NextSignals::Signals(signals));
            }
        }
        loop {
            let received = self.received.some(limits::REALTIME_FRAMES_PER_WRITE).await;
            if received.is_empty() {
                return Ok(NextSignals::Ended(
                    self.listener.ending().unwrap_or(CutOffReason::Stopping),
                ));
            }
            let signals: Vec<_> =
                received.into_iter().filter_map(|received| self.unseen(received.signal)).collect();
            if !signals.is_empty() {
                return Ok(NextSignals::Signals(signals));
            }
        }
    }

    fn give_up(&mut self) -> NextSignals {
        (self.missed, self.seen, self.is_ahead) = (Missed::Nothing, Cursor::default(), false);
        NextSignals::TooMuchMissed
    }

    fn shown_again(&mut self, event: RoomEvent) -> Option<Arc<Signal>> {
        if self.seen.has_seen(event.id) {
            return None;
        }
        self.seen.pass(event.id, self.listener.horizon());
        let cursor = self.seen.to_string();
        Some(Arc::new(Signal::new(SignalContent::Event { event, cursor })))
    }

    fn unseen(&mut self, signal: Arc<Signal>) -> Option<Arc<Signal>> {
        let SignalContent::Event { event, cursor } = &signal.shown else { return Some(signal) };
        if self.seen.has_seen(event.id) {
            return None;
        }
        self.seen.pass(event.id, self.listener.horizon());
        self.is_ahead &= !Cursor::parse(cursor).is_some_and(|here| here.covers(&self.seen));
        if self.is_ahead {
            let (event, cursor) = (event.clone(), self.seen.to_string());
            return Some(Arc::new(Signal::new(SignalContent::Event { event, cursor })));
        }
        Some(signal)
    }
}
