//! Rate limits of the frames that update one page's inbox.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::time::Duration;

use confab_domain::ids::RoomId;
use confab_domain::limits;
use tokio::time::Instant;

/// Changed items, such as rows, each of which is sent at most once per interval.
pub(crate) struct PacedItems<K> {
    every: Duration,
    due: HashMap<K, Instant>,
    shown_at: HashMap<K, Instant>,
}

impl<K: Copy + Eq + Hash> PacedItems<K> {
    pub(crate) fn every(every: Duration) -> Self {
        Self { every, due: HashMap::new(), shown_at: HashMap::new() }
    }

    /// Records a change of the item. It is due at once, unless it was sent within the interval.
    pub(crate) fn note(&mut self, what: K) {
        let now = Instant::now();
        let again = self.shown_at.get(&what).map(|at| *at + self.every);
        self.due.entry(what).or_insert(again.unwrap_or(now).max(now));
    }

    /// Returns the item that is due first, with the time at which it is due.
    pub(crate) fn next(&self) -> Option<(K, Instant)> {
        self.due.iter().map(|(what, at)| (*what, *at)).min_by_key(|(_, at)| *at)
    }

    pub(crate) fn is_due(&self, what: K) -> bool {
        self.due.get(&what).is_some_and(|at| *at <= Instant::now())
    }

    /// Records that the item was sent or turned out to need no frame. It becomes due again only by
    /// a change.
    pub(crate) fn done(&mut self, what: K) {
        self.due.remove(&what);
        if self.shown_at.len() >= limits::INBOX_ROWS_REMEMBERED {
            self.shown_at.clear();
        }
        self.shown_at.insert(what, Instant::now());
    }
}

/// Rows of the inbox that changed or were sent.
pub(crate) struct Rows {
    pub(crate) paced: PacedItems<RoomId>,
    /// Rooms that changed since it was last checked whether the agent may see them.
    unchecked: HashSet<RoomId>,
    shown: HashSet<RoomId>,
    /// Rooms that the agent may no longer see since their last change. The page is notified of each
    /// once.
    gone: HashSet<RoomId>,
}

impl Rows {
    pub(crate) fn every(every: Duration) -> Self {
        let (unchecked, shown, gone) = Default::default();
        Self { paced: PacedItems::every(every), unchecked, shown, gone }
    }

    pub(crate) fn note(&mut self, room: RoomId) {
        self.paced.note(room);
        self.unchecked.insert(room);
    }

    pub(crate) fn unchecked_of(&self, opened: &HashSet<RoomId>) -> Option<RoomId> {
        opened.iter().find(|room| self.unchecked.contains(room)).copied()
    }

    pub(crate) fn checked(&mut self, room: RoomId) {
        self.unchecked.remove(&room);
    }

    /// Whether the page has the row of the room, according to the last frame about it; `None` if
    /// that is not recorded.
    pub(crate) fn was_shown(&self, room: RoomId) -> Option<bool> {
        let known = self.shown.contains(&room) || self.gone.contains(&room);
        known.then(|| self.shown.contains(&room))
    }

    /// Records that the page has the row of the room, such as because it opened the conversation.
    pub(crate) fn known(&mut self, room: RoomId) {
        put(&mut self.shown, room);
        self.gone.remove(&room);
    }

    pub(crate) fn shown(&mut self, room: RoomId, is_there: bool) {
        self.paced.done(room);
        self.unchecked.remove(&room);
        if is_there {
            self.known(room);
        } else {
            self.shown.remove(&room);
            put(&mut self.gone, room);
        }
    }
}

fn put(rooms: &mut HashSet<RoomId>, room: RoomId) {
    if rooms.len() >= limits::INBOX_ROWS_REMEMBERED {
        rooms.clear();
    }
    rooms.insert(room);
}
