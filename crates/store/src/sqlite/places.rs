//! Places of each room's newest messages, in memory. A place maps the number of a message in its
//! room to its id.
//!
//! The writer appends after a commit, so that readers never see a message that could still be lost.
//! Older places are in `message_places` (see [`super::places_on_disk`]); places are evicted from
//! memory only after they were committed there (D-0016).

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use confab_domain::ids::{MessageId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::rooms::room::LastMessage;
use parking_lot::{RwLock, RwLockReadGuard};

/// Number of places in one row of `message_places`.
pub(super) const ROW_PLACES: u64 = 64;

/// Number of shards of readers' caches, each with its own lock.
pub(super) const SHARDS: usize = 16;

/// The newest places of rooms with recent messages.
#[derive(Default)]
pub(super) struct MessagePlaces {
    shards: [RwLock<HashMap<RoomId, Tail>>; SHARDS],
    kept: AtomicUsize,
}

/// The newest places of one room, from the start of a row on.
#[derive(Debug, Clone)]
pub(super) struct Tail {
    /// Number of the first place; a row of `message_places` starts with it.
    pub(super) first_number: u64,
    /// Message ids, one per number.
    pub(super) ids: Vec<i64>,
    /// Number of each user's last message since places were written; it counts as read.
    pub(super) own_posts: HashMap<UserKey, u64>,
    /// Whether `message_places` has everything that is here.
    pub(super) is_written: bool,
}

/// Result of looking up the number of an id in memory.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NumberFrom {
    /// The number is known.
    Known(u64),
    /// The number is at most this one, which is the first in memory; all before it are on disk.
    DiskBefore(u64),
    /// The room is not in memory: all its places are on disk.
    Disk,
}

impl Tail {
    pub(super) fn empty() -> Self {
        Self { first_number: 1, ids: Vec::new(), own_posts: HashMap::new(), is_written: true }
    }

    /// Returns the number of messages that the room ever had.
    pub(super) fn count(&self) -> u64 {
        self.first_number - 1 + self.ids.len() as u64
    }

    pub(super) fn last(&self) -> Option<LastMessage> {
        let number = self.count();
        self.ids.last().map(|id| LastMessage { id: MessageId(*id), number })
    }

    fn append(&mut self, id: MessageId, sender: UserKey) {
        self.ids.push(id.0);
        self.own_posts.insert(sender, self.count());
        self.is_written = false;
    }

    fn id_of(&self, number: u64) -> Option<i64> {
        self.ids.get(usize::try_from(number.checked_sub(self.first_number)?).ok()?).copied()
    }

    /// Evicts what is written, except for the row that the next message belongs to.
    fn let_go(&mut self) {
        let full_rows = (self.ids.len() as u64).saturating_sub(1) / ROW_PLACES;
        self.ids.drain(..(full_rows * ROW_PLACES) as usize);
        self.ids.shrink_to_fit();
        self.first_number += full_rows * ROW_PLACES;
        self.own_posts = HashMap::new();
    }
}

/// Returns the shard of a room. Consecutive ids differ in their low bits or, if created slowly, in
/// higher ones.
pub(super) fn shard_of(room: RoomId) -> usize {
    ((room.0 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as usize % SHARDS
}

impl MessagePlaces {
    fn shard(&self, room: RoomId) -> &RwLock<HashMap<RoomId, Tail>> {
        &self.shards[shard_of(room)]
    }

    fn read(&self, room: RoomId) -> RwLockReadGuard<'_, HashMap<RoomId, Tail>> {
        self.shard(room).read()
    }

    /// Returns the newest message of a room that is in memory: `Some(None)` for an empty room.
    pub(super) fn last(&self, room: RoomId) -> Option<Option<LastMessage>> {
        self.read(room).get(&room).map(Tail::last)
    }

    /// Returns the number of the user's last own message, which counts as read.
    pub(super) fn own_post(&self, room: RoomId, user: UserKey) -> u64 {
        let shard = self.read(room);
        shard.get(&room).and_then(|tail| tail.own_posts.get(&user)).copied().unwrap_or(0)
    }

    /// Returns the ids of those numbers that are in memory, `None` for others.
    pub(super) fn ids(&self, room: RoomId, numbers: &[u64]) -> Vec<Option<i64>> {
        let shard = self.read(room);
        let tail = shard.get(&room);
        numbers.iter().map(|number| tail.and_then(|tail| tail.id_of(*number))).collect()
    }

    /// Returns the number of the first message from this id on; one past the end if there is none.
    pub(super) fn number_from(&self, room: RoomId, id: MessageId) -> NumberFrom {
        let shard = self.read(room);
        let Some(tail) = shard.get(&room) else { return NumberFrom::Disk };
        let is_here =
            tail.first_number == 1 || tail.ids.first().is_some_and(|first| *first <= id.0);
        if !is_here {
            return NumberFrom::DiskBefore(tail.first_number);
        }
        let before = tail.ids.partition_point(|at| *at < id.0) as u64;
        NumberFrom::Known(tail.first_number + before)
    }

    /// Caches places that were read from disk.
    pub(super) fn keep(&self, room: RoomId, tail: Tail) {
        self.shard(room).write().insert(room, tail);
        self.kept.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds a committed message.
    pub(super) fn append(&self, room: RoomId, id: MessageId, sender: UserKey) {
        let mut shard = self.shard(room).write();
        let tail = shard.get_mut(&room);
        tail.expect("a room decided upon stays in memory until the commit").append(id, sender);
    }

    /// Returns the rooms with places that are not written.
    pub(super) fn unwritten(&self) -> Vec<RoomId> {
        let mut rooms = Vec::new();
        for shard in &self.shards {
            let shard = shard.read();
            rooms.extend(shard.iter().filter(|(_, tail)| !tail.is_written).map(|(room, _)| *room));
        }
        rooms
    }

    /// Returns a copy of a room's places, to be written.
    pub(super) fn tail(&self, room: RoomId) -> Option<Tail> {
        self.read(room).get(&room).cloned()
    }

    /// Marks the result of `tail` as committed. Nothing was added since: only the writer appends.
    pub(super) fn written(&self, room: RoomId) {
        if let Some(tail) = self.shard(room).write().get_mut(&room) {
            tail.is_written = true;
            tail.let_go();
        }
    }

    /// Evicts written rooms when many are in memory. Called between commits only.
    pub(super) fn evict_some(&self) {
        if self.kept.load(Ordering::Relaxed) < limits::PLACES_ROOMS_MAX {
            return;
        }
        self.kept.store(0, Ordering::Relaxed);
        for shard in &self.shards {
            let mut shard = shard.write();
            shard.retain(|_, tail| !tail.is_written);
            shard.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: RoomId = RoomId(5);

    fn places(messages: i64) -> MessagePlaces {
        let places = MessagePlaces::default();
        places.keep(ROOM, Tail::empty());
        for id in 1..=messages {
            places.append(ROOM, MessageId(id * 10), UserKey(1));
        }
        places
    }

    #[test]
    fn written_full_rows_are_evicted_except_the_newest() {
        for (messages, kept_from) in [(1, 1), (64, 1), (65, 65), (129, 129), (128, 65)] {
            let places = places(messages);
            places.written(ROOM);
            let tail = places.tail(ROOM).expect("stored");
            assert_eq!((tail.first_number, tail.count()), (kept_from, messages as u64));
            assert_eq!(
                places.last(ROOM).flatten().expect("the room has messages").id,
                MessageId(messages * 10)
            );
        }
    }

    #[test]
    fn numbers_resolve_to_ids_and_ids_to_numbers() {
        let places = places(70);
        assert_eq!(places.ids(ROOM, &[70, 1, 71]), [Some(700), Some(10), None]);
        assert_eq!(places.number_from(ROOM, MessageId(695)), NumberFrom::Known(70));
        assert_eq!(places.number_from(ROOM, MessageId(701)), NumberFrom::Known(71));
        places.written(ROOM);
        assert_eq!(places.ids(ROOM, &[70, 1]), [Some(700), None]);
        assert_eq!(places.number_from(ROOM, MessageId(640)), NumberFrom::DiskBefore(65));
        assert_eq!(places.number_from(ROOM, MessageId(650)), NumberFrom::Known(65));
    }

    #[test]
    fn only_written_rooms_are_evicted() {
        let places = MessagePlaces::default();
        for room in 0..=limits::PLACES_ROOMS_MAX as i64 * 2 {
            places.keep(RoomId(room), Tail::empty());
        }
        places.append(ROOM, MessageId(1), UserKey(1));
        places.evict_some();
        assert!(places.last(ROOM).is_some());
        assert_eq!(places.unwritten(), [ROOM]);
        let kept: usize = places.shards.iter().map(|shard| shard.read().len()).sum();
        assert_eq!(kept, 1);
    }
}
