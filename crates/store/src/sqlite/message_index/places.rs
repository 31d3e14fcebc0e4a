//! The newest part of the index of message numbers, in memory. A place is an entry of this index:
//! it maps the number of a message in its room to its id.
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
pub(crate) const ROW_PLACES: u64 = 64;

/// Number of shards of each of the readers' caches. Each shard has its own lock.
pub(crate) const SHARDS: usize = 16;

/// The newest places of recently used rooms.
#[derive(Default)]
pub(crate) struct MessagePlaces {
    shards: [RwLock<HashMap<RoomId, Tail>>; SHARDS],
    kept: AtomicUsize,
}

/// The newest places of one room, from the start of a row of `message_places` on.
#[derive(Debug, Clone)]
pub(crate) struct Tail {
    /// Number of the first message in `ids`. A row of `message_places` starts with it.
    pub(crate) first_number: u64,
    /// Ids of the messages with consecutive numbers from `first_number` on.
    pub(crate) ids: Vec<i64>,
    /// Number of the last message that each user posted since the places were written. A user's own
    /// messages count as read.
    pub(crate) own_posts: HashMap<UserKey, u64>,
    /// Whether all of these places are in `message_places`.
    pub(crate) is_written: bool,
}

/// Result of searching memory for the number of the first message from an id on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NumberFrom {
    /// The number was found in memory.
    Known(u64),
    /// The number is at most this one, which is the first number in memory. All places before it
    /// are on disk.
    DiskBefore(u64),
    /// The room is not in memory: all its places are on disk.
    Disk,
}

impl Tail {
    pub(crate) fn empty() -> Self {
        Self { first_number: 1, ids: Vec::new(), own_posts: HashMap::new(), is_written: true }
    }

    /// Returns the number of messages that the room ever had.
    pub(crate) fn count(&self) -> u64 {
        self.first_number - 1 + self.ids.len() as u64
    }

    pub(crate) fn last(&self) -> Option<LastMessage> {
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

    /// Evicts written places, except for the row to which the next message belongs.
    fn let_go(&mut self) {
        let full_rows = (self.ids.len() as u64).saturating_sub(1) / ROW_PLACES;
        self.ids.drain(..(full_rows * ROW_PLACES) as usize);
        self.ids.shrink_to_fit();
        self.first_number += full_rows * ROW_PLACES;
        self.own_posts = HashMap::new();
    }
}

/// Returns the shard of a room. Hashing spreads consecutive ids, which differ in their low bits or,
/// if created slowly, in higher ones.
pub(crate) fn shard_of(room: RoomId) -> usize {
    ((room.0 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as usize % SHARDS
}

impl MessagePlaces {
    fn shard(&self, room: RoomId) -> &RwLock<HashMap<RoomId, Tail>> {
        &self.shards[shard_of(room)]
    }

    fn read(&self, room: RoomId) -> RwLockReadGuard<'_, HashMap<RoomId, Tail>> {
        self.shard(room).read()
    }

    /// Returns the newest message of a room whose places are in memory: `Some(None)` for a room
    /// without messages.
    pub(crate) fn last(&self, room: RoomId) -> Option<Option<LastMessage>> {
        self.read(room).get(&room).map(Tail::last)
    }

    /// Returns the number of the last message that the user posted since the room's places were
    /// written, or 0. A user's own messages count as read.
    pub(crate) fn own_post(&self, room: RoomId, user: UserKey) -> u64 {
        let shard = self.read(room);
        shard.get(&room).and_then(|tail| tail.own_posts.get(&user)).copied().unwrap_or(0)
    }

    /// Returns the ids of the messages with these numbers; `None` for those whose place is not in
    /// memory.
    pub(crate) fn ids(&self, room: RoomId, numbers: &[u64]) -> Vec<Option<i64>> {
        let shard = self.read(room);
        let tail = shard.get(&room);
        numbers.iter().map(|number| tail.and_then(|tail| tail.id_of(*number))).collect()
    }

    /// Searches memory for the number of the first message whose id is at least this one.
    pub(crate) fn number_from(&self, room: RoomId, id: MessageId) -> NumberFrom {
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
    pub(crate) fn keep(&self, room: RoomId, tail: Tail) {
        self.shard(room).write().insert(room, tail);
        self.kept.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds the place of a committed message.
    pub(crate) fn append(&self, room: RoomId, id: MessageId, sender: UserKey) {
        let mut shard = self.shard(room).write();
        let tail = shard.get_mut(&room);
        tail.expect("a room decided upon stays in memory until the commit").append(id, sender);
    }

    /// Returns the rooms with places that are not yet on disk.
    pub(crate) fn unwritten(&self) -> Vec<RoomId> {
        let mut rooms = Vec::new();
        for shard in &self.shards {
            let shard = shard.read();
            rooms.extend(shard.iter().filter(|(_, tail)| !tail.is_written).map(|(room, _)| *room));
        }
        rooms
    }

    /// Returns a copy of a room's places in memory, to be written to disk.
    pub(crate) fn tail(&self, room: RoomId) -> Option<Tail> {
        self.read(room).get(&room).cloned()
    }

    /// Marks the places that `tail` returned as committed, and evicts most of them. None were added
    /// since, because only the writer adds places.
    pub(crate) fn written(&self, room: RoomId) {
        if let Some(tail) = self.shard(room).write().get_mut(&room) {
            tail.is_written = true;
            tail.let_go();
        }
    }

    /// Evicts rooms whose places are on disk, if many rooms are in memory. Must be called only
    /// between commits.
    pub(crate) fn evict_some(&self) {
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
