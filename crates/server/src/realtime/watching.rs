//! One user's view of what happens: first what they missed, then what happens now.
//!
//! Both ways in for people without an SDK are driven by it. A seat is taken before the store is
//! read, and what comes both ways is shown once, so nothing is missed and nothing comes twice
//! (D-0041).

use std::sync::Arc;

use confab_domain::ids::EventId;
use confab_domain::limits;
use confab_domain::messages::room_event::RoomEvent;
use confab_domain::people::user::User;
use confab_store::{RoomEventPage, Store, StoreError};

use super::cursor::Cursor;
use super::hub::{CutOffReason, Hub, Listener};
use super::signal::{Shown, Signal};
use super::subscription_queue::SubscriptionReceiver;

/// What a user sees.
pub(crate) struct Watching {
    pub(crate) listener: Listener,
    heard: SubscriptionReceiver,
    store: Store,
    user: Arc<User>,
    seen: Cursor,
    missed: Missed,
    /// What was read from the store may not have been heard of here yet: until it is, this node's
    /// cursor would send who comes back too far back.
    is_ahead: bool,
}

/// What is still to be read of what was missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missed {
    Nothing,
    /// After this one; so many were read.
    After(EventId, usize),
    /// It is too long ago.
    TooMuch,
}

/// What comes next.
pub(crate) enum NextSignals {
    /// These, in this order.
    Signals(Vec<Arc<Signal>>),
    /// So much was missed that it must be loaded anew; it goes on with what happens from now on.
    TooMuchMissed,
    /// Nothing any more.
    Ended(CutOffReason),
}

/// The client's cursor, or one from long ago if it claims to have seen what no node has written.
/// Such a cursor was given by a node whose own was wrong: its owner may have missed anything, and
/// is told to load its rooms anew.
pub(crate) async fn believed(hub: &Hub, store: &Store, seen: Cursor) -> Result<Cursor, StoreError> {
    let horizon = hub.horizon();
    if seen.is_within(horizon) {
        return Ok(seen);
    }
    let stored = store.newest_events().await?;
    Ok(if seen.is_ahead_of(&stored, horizon) { Cursor::default() } else { seen })
}

impl Watching {
    /// Takes a seat; what happened after `seen` is shown first, if that is given and not before
    /// `oldest`, from when on everything is known.
    pub(crate) fn start(
        hub: &Hub,
        store: &Store,
        (user, token): (Arc<User>, &str),
        seen: Option<Cursor>,
        oldest: EventId,
    ) -> Self {
        // Read before the seat is taken: what happens in between is shown again, not missed.
        let now = hub.cursor();
        let (listener, heard) = hub.connect(true);
        listener.sign_in(user.key, token);
        let missed = match &seen {
            Some(seen) if seen.base() < oldest => Missed::TooMuch,
            Some(seen) => Missed::After(seen.base(), 0),
            None => Missed::Nothing,
        };
        let is_ahead = !hub.is_alone && seen.is_some();
        let seen = seen.unwrap_or(now);
        let store = store.clone();
        Self { listener, heard, store, user, seen, missed, is_ahead }
    }

    /// Up to where the user has seen.
    pub(crate) fn seen(&self) -> &Cursor {
        &self.seen
    }

    /// What comes next. Nothing is lost if the caller stops waiting.
    pub(crate) async fn next(&mut self) -> Result<NextSignals, StoreError> {
        loop {
            let (after, so_far) = match self.missed {
                Missed::Nothing => break,
                Missed::After(after, so_far) => (after, so_far),
                Missed::TooMuch => return Ok(self.give_up()),
            };
            let page = limits::REALTIME_MISSED_PER_READ;
            // Boxed, because those who wait for what happens now have no use for its room.
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
            let heard = self.heard.some(limits::REALTIME_FRAMES_PER_WRITE).await;
            if heard.is_empty() {
                return Ok(NextSignals::Ended(
                    self.listener.ending().unwrap_or(CutOffReason::Stopping),
                ));
            }
            let signals: Vec<_> =
                heard.into_iter().filter_map(|heard| self.unseen(heard.signal)).collect();
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
        Some(Arc::new(Signal::new(Shown::Event { event, cursor })))
    }

    fn unseen(&mut self, signal: Arc<Signal>) -> Option<Arc<Signal>> {
        let Shown::Event { event, cursor } = &signal.shown else { return Some(signal) };
        if self.seen.has_seen(event.id) {
            return None;
        }
        self.seen.pass(event.id, self.listener.horizon());
        self.is_ahead &= !Cursor::parse(cursor).is_some_and(|here| here.covers(&self.seen));
        if self.is_ahead {
            let (event, cursor) = (event.clone(), self.seen.to_string());
            return Some(Arc::new(Signal::new(Shown::Event { event, cursor })));
        }
        Some(signal)
    }
}
