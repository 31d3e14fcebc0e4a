//! The writer's cache of rooms and users, so that posts can be decided before anything is loaded
//! (D-0165).
//!
//! No entry is trusted: the transaction that writes proves that all entries that the decisions used
//! are current. So stale entries need no invalidation, and changes by another node cost at most a
//! second try.

use std::collections::HashMap;
use std::sync::Arc;

use confab_domain::decision::facts::Participation;
use confab_domain::decision::question::Question;
use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::{User, UserId};
use confab_domain::rooms::room::{LastMessage, Room, RoomRef};

use super::{BatchFacts, FoundRoom};
use crate::reading::room_names::RoomNames;
use crate::writing::waiting::QueuedDecision;

/// Number of posts for which a room is loaded instead of read from the cache, after another node
/// wrote to it and may write again.
const DOUBTED_POSTS: u32 = 16;

/// The cached rooms and senders, which were used recently.
#[derive(Default)]
pub(in crate::postgres) struct Memory {
    rooms: HashMap<RoomId, KnownRoom>,
    users: HashMap<AppId, HashMap<UserId, Namesakes>>,
    /// Count of commits by nodes that raise no versions, as read before any of the cached data.
    unversioned_commits: i64,
    /// Rooms that other nodes write to, each with the number of further posts for which it is
    /// loaded.
    doubted: HashMap<RoomId, u32>,
}

/// Users with the same id, with their versions.
type Namesakes = Vec<(Arc<User>, i64)>;

struct KnownRoom {
    room: Arc<Room>,
    last: Option<LastMessage>,
    version: i64,
    /// For each cached user id, those users with this id that are in the room.
    members: HashMap<UserId, Vec<UserKey>>,
}

/// Values that a room's row must have for the cached room to be current.
#[derive(Clone, Copy)]
pub(in crate::postgres) struct ExpectedRoom {
    pub(in crate::postgres) last_message: i64,
    pub(in crate::postgres) version: i64,
}

impl Memory {
    /// Returns the facts for all decisions, if their questions are simple and all facts are cached.
    pub(in crate::postgres) fn facts(
        &self,
        room_names: &RoomNames,
        decisions: &[Box<dyn QueuedDecision>],
    ) -> Option<BatchFacts> {
        let mut found = BatchFacts::default();
        for decision in decisions {
            let (app, question) = (decision.app(), decision.question());
            let (room, known) = self.room(room_names, app, simple_room(question)?)?;
            for name in &question.users {
                for (user, _) in self.users.get(&app)?.get(name)? {
                    if !found.senders.contains_key(&user.key) {
                        found.keep_user(user.clone());
                    }
                }
                for user in known.members.get(name)? {
                    found.members.insert((room, *user), Participation::default());
                }
            }
            found.rooms.entry(room).or_insert_with(|| known.found());
            if let RoomRef::Unique(unique_id) = &question.rooms[0] {
                found.names_known(vec![(app, unique_id.clone(), room)]);
            }
        }
        Some(found)
    }

    fn room(
        &self,
        room_names: &RoomNames,
        app: AppId,
        asked: &RoomRef,
    ) -> Option<(RoomId, &KnownRoom)> {
        let by_id = || match asked {
            RoomRef::Id(id) => Some(*id),
            RoomRef::Unique(_) | RoomRef::Either(..) => None,
        };
        let room = room_names.get(app, asked).or_else(by_id)?;
        let known = self.rooms.get(&room).filter(|known| known.room.app == app)?;
        Some((room, known))
    }

    pub(in crate::postgres) fn expected(&self, room: RoomId) -> Option<ExpectedRoom> {
        let known = self.rooms.get(&room)?;
        let last_message = known.last.map_or(0, |last| last.id.0);
        Some(ExpectedRoom { last_message, version: known.version })
    }

    /// Whether these versions are exactly those of all cached users whose ids the decisions name.
    pub(in crate::postgres) fn are_all(
        &self,
        versions: &HashMap<UserKey, i64>,
        decisions: &[Box<dyn QueuedDecision>],
    ) -> bool {
        let mut asked = HashMap::new();
        for decision in decisions {
            for name in &decision.question().users {
                let of_app = self.users.get(&decision.app());
                let Some(named) = of_app.and_then(|users| users.get(name)) else { return false };
                asked.extend(named.iter().map(|(user, version)| (user.key, *version)));
            }
        }
        asked == *versions
    }

    /// Whether the count of commits without versions is unchanged. If not, clears the cache,
    /// because it may be stale although all versions match.
    pub(in crate::postgres) fn is_versioned(&mut self, unversioned_commits: i64) -> bool {
        let is_same = self.unversioned_commits == unversioned_commits;
        if !is_same {
            *self = Self { unversioned_commits, ..Self::default() };
        }
        is_same
    }

    /// Caches the facts of simple questions after a commit that only posted messages.
    pub(in crate::postgres) fn learn(
        &mut self,
        found: &BatchFacts,
        decisions: &[Box<dyn QueuedDecision>],
    ) {
        for decision in decisions {
            let (app, question) = (decision.app(), decision.question());
            let Some(asked) = simple_room(question) else { continue };
            let Some(room) = found.room(app, asked) else { continue };
            if self.is_doubted(room.room.id) {
                continue;
            }
            for name in &question.users {
                self.learn_user(found, app, name);
                self.learn_member(found, room, app, name);
            }
        }
    }

    fn learn_user(&mut self, found: &BatchFacts, app: AppId, name: &UserId) {
        let Some(named) = found.users.get(&app).and_then(|users| users.get(name)) else { return };
        let version = |user: &Arc<User>| Some((user.clone(), *found.user_versions.get(&user.key)?));
        let Some(named) = named.iter().map(version).collect::<Option<Vec<_>>>() else { return };
        let users = self.users.entry(app).or_default();
        if users.len() >= limits::WRITER_MEMORY_MAX {
            users.clear();
        }
        users.insert(name.clone(), named);
    }

    fn learn_member(&mut self, found: &BatchFacts, room: &FoundRoom, app: AppId, name: &UserId) {
        let id = room.room.id;
        if self.rooms.len() >= limits::WRITER_MEMORY_MAX && !self.rooms.contains_key(&id) {
            self.rooms.clear();
        }
        let known = self.rooms.entry(id).or_insert_with(|| KnownRoom::of(room));
        if known.version != room.version || known.members.len() >= MEMBERS_MAX {
            *known = KnownRoom::of(room);
        }
        known.last = room.last;
        let named = found.users.get(&app).and_then(|users| users.get(name)).into_iter().flatten();
        let members = named.filter(|user| found.members.contains_key(&(id, user.key)));
        known.members.insert(name.clone(), members.map(|user| user.key).collect());
    }

    /// Compares loaded rooms with the cache. If a room differs, another node wrote to it and may
    /// write again, so the next posts load it.
    pub(in crate::postgres) fn compare(&mut self, found: &BatchFacts) {
        for (room, found) in &found.rooms {
            let is_as =
                |known: &KnownRoom| known.version == found.version && known.last == found.last;
            if self.rooms.get(room).is_none_or(is_as) {
                continue;
            }
            self.rooms.remove(room);
            if self.doubted.len() >= limits::WRITER_MEMORY_MAX {
                self.doubted.clear();
            }
            self.doubted.insert(*room, DOUBTED_POSTS);
        }
    }

    /// Evicts the rooms of a commit of this node that did more than post messages.
    pub(in crate::postgres) fn evict(&mut self, found: &BatchFacts) {
        found.rooms.keys().for_each(|room| drop(self.rooms.remove(room)));
    }

    fn is_doubted(&mut self, room: RoomId) -> bool {
        let Some(left) = self.doubted.get_mut(&room) else { return false };
        *left -= 1;
        if *left == 0 {
            self.doubted.remove(&room);
        }
        true
    }

    /// Evicts all users, so that they are loaded again.
    pub(in crate::postgres) fn evict_users(&mut self) {
        self.users = HashMap::new();
    }

    /// Updates the last message of a room after a post that was decided on cached facts.
    pub(in crate::postgres) fn posted(&mut self, room: RoomId, last: LastMessage) {
        if let Some(known) = self.rooms.get_mut(&room) {
            known.last = Some(last);
        }
    }
}

/// Maximum number of user ids cached with a room.
const MEMBERS_MAX: usize = 1000;

impl KnownRoom {
    fn of(found: &FoundRoom) -> Self {
        let FoundRoom { room, last, version } = found;
        let (room, members) = (room.clone(), HashMap::new());
        Self { room, last: *last, version: *version, members }
    }

    fn found(&self) -> FoundRoom {
        FoundRoom { room: self.room.clone(), last: self.last, version: self.version }
    }
}

/// Returns the room of a question that asks only for one room, for users, and whether they are in
/// the room. `None` for all other questions.
fn simple_room(question: &Question) -> Option<&RoomRef> {
    match question {
        Question {
            rooms,
            users: _,
            finds_members: true,
            finds_participations: false,
            locks_users: false,
            messages,
            counts_participants: false,
            endpoints: None,
            finds_devices: false,
            wants_chat_messages: false,
            omni: None,
        } if messages.is_empty() => match rooms.as_slice() {
            [room] => Some(room),
            _ => None,
        },
        _ => None,
    }
}
