//! Where each room's newest messages are, in memory: what readers and the writer look at first.
//!
//! The writer appends here after a commit, so readers never see a message that could still be lost.
//! Older places are in `message_places` (see [`super::places_on_disk`]); what is dropped from here
//! was committed there before (D-0016). The newest messages themselves are here too, because first
//! pages are what is read most. A message never changes but by deletion, and deletions are looked
//! up on disk; whoever makes messages editable must forget them here.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use confab_domain::ids::{MessageId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::message::Message;
use confab_domain::room::LastMessage;
use parking_lot::{RwLock, RwLockReadGuard};

/// Places in one row of `message_places`.
pub(super) const ROW_PLACES: u64 = 64;

const SHARDS: usize = 16;

/// The newest places of the rooms that were posted to lately.
#[derive(Default)]
pub(super) struct Places {
    shards: [RwLock<HashMap<RoomId, Tail>>; SHARDS],
    kept: AtomicUsize,
    recent_bytes: AtomicUsize,
}

/// What memory knows of a numbered message.
pub(super) enum Place {
    /// All of it.
    Message(Arc<Message>),
    /// Its id.
    Id(MessageId),
    /// Nothing; the disk may know.
    Unknown,
}

/// The newest places of one room, from the start of a row on.
#[derive(Debug, Clone)]
pub(super) struct Tail {
    /// The number of the first place here; a row of `message_places` starts with it.
    pub(super) first_number: u64,
    /// Message ids, one a number.
    pub(super) ids: Vec<i64>,
    /// The newest messages themselves, the last one at the end.
    pub(super) recent: VecDeque<Arc<Message>>,
    /// Who posted what last since the places were written: posting is reading (D-0019).
    pub(super) own_posts: HashMap<UserKey, u64>,
    /// Everything here is in `message_places` too.
    pub(super) is_written: bool,
}

/// What memory can tell about the number of an id.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NumberFrom {
    /// The number.
    Known(u64),
    /// At most this number, whose place is the first in memory; all before it are on disk.
    DiskBefore(u64),
    /// The room is not in memory: all its places are on disk.
    Disk,
}

impl Tail {
    pub(super) fn empty() -> Self {
        Self {
            first_number: 1,
            ids: Vec::new(),
            recent: VecDeque::new(),
            own_posts: HashMap::new(),
            is_written: true,
        }
    }

    /// How many messages the room has ever had.
    pub(super) fn count(&self) -> u64 {
        self.first_number - 1 + self.ids.len() as u64
    }

    pub(super) fn last(&self) -> Option<LastMessage> {
        let number = self.count();
        self.ids.last().map(|id| LastMessage { id: MessageId(*id), number })
    }

    /// Adds a place and gives the number of bytes that the recent messages grew by.
    fn append(&mut self, message: Arc<Message>) -> isize {
        self.ids.push(message.id.0);
        self.own_posts.insert(message.sender, self.count());
        self.is_written = false;
        let mut grown = size(&message) as isize;
        self.recent.push_back(message);
        if self.recent.len() > limits::PAGE_DEFAULT {
            grown -= self.recent.pop_front().map_or(0, |oldest| size(&oldest) as isize);
        }
        grown
    }

    fn place_of(&self, number: u64) -> Place {
        let Some(at) = number.checked_sub(self.first_number) else { return Place::Unknown };
        let Some(id) = self.ids.get(at as usize) else { return Place::Unknown };
        let from_end = (self.count() - number) as usize;
        let recent = self.recent.len().checked_sub(from_end + 1).map(|at| &self.recent[at]);
        recent.map_or(Place::Id(MessageId(*id)), |message| Place::Message(message.clone()))
    }

    fn recent_bytes(&self) -> usize {
        self.recent.iter().map(|message| size(message)).sum()
    }

    /// Lets go of what is written, but for the row that the next message belongs to.
    fn let_go(&mut self) {
        let full_rows = (self.ids.len() as u64).saturating_sub(1) / ROW_PLACES;
        self.ids.drain(..(full_rows * ROW_PLACES) as usize);
        self.ids.shrink_to_fit();
        self.first_number += full_rows * ROW_PLACES;
        self.own_posts = HashMap::new();
    }
}

/// About how much memory a message takes.
fn size(message: &Message) -> usize {
    let json = [&message.payload, &message.extras];
    let json_bytes = json.into_iter().flatten().map(|json| json.as_str().len()).sum::<usize>();
    size_of::<Message>() + message.text.len() + json_bytes
}

impl Places {
    fn shard(&self, room: RoomId) -> &RwLock<HashMap<RoomId, Tail>> {
        // Ids that follow each other differ in their low bits or, made slowly, above them.
        let mixed = (room.0 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.shards[(mixed >> 60) as usize % SHARDS]
    }

    fn read(&self, room: RoomId) -> RwLockReadGuard<'_, HashMap<RoomId, Tail>> {
        self.shard(room).read()
    }

    /// The newest message of a room that is in memory: `Some(None)` for an empty room.
    pub(super) fn last(&self, room: RoomId) -> Option<Option<LastMessage>> {
        self.read(room).get(&room).map(Tail::last)
    }

    /// The number up to which the user has read by posting.
    pub(super) fn own_post(&self, room: RoomId, user: UserKey) -> u64 {
        let shard = self.read(room);
        shard.get(&room).and_then(|tail| tail.own_posts.get(&user)).copied().unwrap_or(0)
    }

    /// What memory knows of these numbers.
    pub(super) fn of(&self, room: RoomId, numbers: &[u64]) -> Vec<Place> {
        let shard = self.read(room);
        let tail = shard.get(&room);
        let place = |number: &u64| tail.map_or(Place::Unknown, |tail| tail.place_of(*number));
        numbers.iter().map(place).collect()
    }

    /// The number of the first message from this id on; one past the end if there is none.
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

    /// Keeps what was read from disk.
    pub(super) fn keep(&self, room: RoomId, tail: Tail) {
        self.shard(room).write().insert(room, tail);
        self.kept.fetch_add(1, Ordering::Relaxed);
    }

    /// A message was committed.
    pub(super) fn append(&self, message: Arc<Message>) {
        let mut shard = self.shard(message.room).write();
        let tail = shard.get_mut(&message.room);
        let tail = tail.expect("a room decided upon stays in memory until the commit");
        let grown = tail.append(message);
        // Adding a negative number wraps to subtracting it.
        self.recent_bytes.fetch_add(grown as usize, Ordering::Relaxed);
    }

    /// The rooms with places that are not written.
    pub(super) fn unwritten(&self) -> Vec<RoomId> {
        let mut rooms = Vec::new();
        for shard in &self.shards {
            let shard = shard.read();
            rooms.extend(shard.iter().filter(|(_, tail)| !tail.is_written).map(|(room, _)| *room));
        }
        rooms
    }

    /// A copy of what is to be written of a room.
    pub(super) fn tail(&self, room: RoomId) -> Option<Tail> {
        self.read(room).get(&room).cloned()
    }

    /// What `tail` returned is committed. Only the writer appends, and it did not since.
    pub(super) fn written(&self, room: RoomId) {
        if let Some(tail) = self.shard(room).write().get_mut(&room) {
            tail.is_written = true;
            tail.let_go();
        }
    }

    /// Forgets written rooms when many came into memory, and recent messages when they take too
    /// much of it. Called between commits only.
    pub(super) fn forget_some(&self) {
        if self.recent_bytes.load(Ordering::Relaxed) > limits::RECENT_BYTES_MAX {
            self.forget_recent();
        }
        if self.kept.load(Ordering::Relaxed) < limits::PLACES_ROOMS_MAX {
            return;
        }
        self.kept.store(0, Ordering::Relaxed);
        for shard in &self.shards {
            let mut shard = shard.write();
            shard.retain(|_, tail| {
                if tail.is_written {
                    self.recent_bytes.fetch_sub(tail.recent_bytes(), Ordering::Relaxed);
                }
                !tail.is_written
            });
            shard.shrink_to_fit();
        }
    }

    fn forget_recent(&self) {
        for shard in &self.shards {
            shard.write().values_mut().for_each(|tail| tail.recent = VecDeque::new());
        }
        self.recent_bytes.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use confab_domain::message::MessageKind;
    use confab_domain::time::Timestamp;

    use super::*;

    const ROOM: RoomId = RoomId(5);

    fn message(id: i64, text: &str) -> Arc<Message> {
        Arc::new(Message {
            id: MessageId(id),
            room: ROOM,
            number: 0,
            before: None,
            sender: UserKey(1),
            kind: MessageKind::Text,
            text: text.to_owned(),
            payload: None,
            extras: None,
            client_unique_id: None,
            posted_at: Timestamp(0),
            is_deleted: false,
        })
    }

    fn places(messages: i64) -> Places {
        let places = Places::default();
        places.keep(ROOM, Tail::empty());
        for at in 1..=messages {
            places.append(message(at * 10, "hello"));
        }
        places
    }

    fn ids(places: &Places, numbers: &[u64]) -> Vec<Option<i64>> {
        let id = |place| match place {
            Place::Message(message) => Some(message.id.0),
            Place::Id(id) => Some(id.0),
            Place::Unknown => None,
        };
        places.of(ROOM, numbers).into_iter().map(id).collect()
    }

    #[test]
    fn writing_lets_go_of_full_rows_but_keeps_the_newest() {
        for (messages, kept_from) in [(1, 1), (64, 1), (65, 65), (129, 129), (128, 65)] {
            let places = places(messages);
            places.written(ROOM);
            let tail = places.tail(ROOM).expect("kept");
            assert_eq!((tail.first_number, tail.count()), (kept_from, messages as u64));
            assert_eq!(places.last(ROOM).flatten().expect("last").id, MessageId(messages * 10));
        }
    }

    #[test]
    fn numbers_lead_to_ids_and_ids_to_numbers() {
        let places = places(70);
        assert_eq!(ids(&places, &[70, 51, 50, 1]), [700, 510, 500, 10].map(Some));
        assert_eq!(ids(&places, &[71]), [None]);
        assert_eq!(places.number_from(ROOM, MessageId(695)), NumberFrom::Known(70));
        assert_eq!(places.number_from(ROOM, MessageId(701)), NumberFrom::Known(71));
        places.written(ROOM);
        assert_eq!(ids(&places, &[70, 1]), [Some(700), None]);
        assert_eq!(places.number_from(ROOM, MessageId(640)), NumberFrom::DiskBefore(65));
        assert_eq!(places.number_from(ROOM, MessageId(650)), NumberFrom::Known(65));
    }

    #[test]
    fn the_newest_twenty_messages_are_at_hand() {
        let places = places(70);
        let is_at_hand = |number| matches!(places.of(ROOM, &[number])[..], [Place::Message(_)]);
        assert!(is_at_hand(70) && is_at_hand(51));
        assert!(!is_at_hand(50));
    }

    #[test]
    fn recent_messages_are_forgotten_when_they_take_too_much_memory() {
        let places = places(1);
        let long = "x".repeat(limits::RECENT_BYTES_MAX);
        places.append(message(20, &long));
        places.forget_some();
        assert_eq!(places.recent_bytes.load(Ordering::Relaxed), 0);
        assert!(matches!(places.of(ROOM, &[2])[..], [Place::Id(MessageId(20))]));
    }

    #[test]
    fn only_written_rooms_are_forgotten() {
        let places = Places::default();
        for room in 0..=limits::PLACES_ROOMS_MAX as i64 * 2 {
            places.keep(RoomId(room), Tail::empty());
        }
        places.append(message(1, "hello"));
        places.forget_some();
        assert!(places.last(ROOM).is_some());
        assert_eq!(places.unwritten(), [ROOM]);
        let kept: usize = places.shards.iter().map(|shard| shard.read().len()).sum();
        assert_eq!(kept, 1);
    }
}
