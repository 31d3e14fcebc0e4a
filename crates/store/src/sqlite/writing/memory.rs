//! The writer's cache of rooms, users, participants, endpoints and lanes, so that a post or a
//! webhook needs no SQLite lookup.
//!
//! Only existing rows are cached, and only the writer changes them, so the cache is never stale: a
//! change evicts the entries that it affects, and a failed commit evicts all entries.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use confab_domain::decision::change::{
    Change, MessageChange, RoomChange, UserChange, WebhookChange,
};
use confab_domain::ids::{AppId, EndpointId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::{User, UserId};
use confab_domain::rooms::room::{Room, RoomUniqueId};
use confab_domain::webhooks::delivery::Lane;
use confab_domain::webhooks::endpoint::Endpoint;

#[derive(Default)]
pub(crate) struct Memory {
    rooms: HashMap<RoomId, Arc<Room>>,
    names: HashMap<AppId, HashMap<RoomUniqueId, RoomId>>,
    /// Users by id, of all realms.
    users: HashMap<AppId, HashMap<UserId, Namesakes>>,
    participants: HashSet<(RoomId, UserKey)>,
    endpoints: HashMap<AppId, Arc<[Arc<Endpoint>]>>,
    lanes: HashMap<Lane, Sequences>,
}

/// All users with the same id, of all realms.
pub(crate) type Namesakes = Arc<[Arc<User>]>;

/// The last sequence number that a lane assigned to each of its endpoints.
pub(crate) type Sequences = HashMap<EndpointId, u64>;

impl Memory {
    pub(crate) fn room(&self, room: RoomId) -> Option<Arc<Room>> {
        self.rooms.get(&room).cloned()
    }

    pub(crate) fn room_named(&self, app: AppId, unique_id: &RoomUniqueId) -> Option<Arc<Room>> {
        self.room(*self.names.get(&app)?.get(unique_id)?)
    }

    pub(crate) fn users_named(&self, app: AppId, name: &UserId) -> Option<Namesakes> {
        self.users.get(&app)?.get(name).cloned()
    }

    pub(crate) fn is_participant(&self, room: RoomId, user: UserKey) -> bool {
        self.participants.contains(&(room, user))
    }

    pub(crate) fn endpoints(&self, app: AppId) -> Option<Arc<[Arc<Endpoint>]>> {
        self.endpoints.get(&app).cloned()
    }

    pub(crate) fn lane(&self, lane: Lane) -> Option<&Sequences> {
        self.lanes.get(&lane)
    }

    pub(crate) fn keep_room(&mut self, room: &Arc<Room>) {
        make_space(&mut self.rooms);
        let names = self.names.entry(room.app).or_default();
        make_space(names);
        names.insert(room.unique_id.clone(), room.id);
        self.rooms.insert(room.id, room.clone());
    }

    /// Caches all users with this id; does nothing if there are none.
    pub(crate) fn keep_users_named(&mut self, app: AppId, name: &UserId, all: &Namesakes) {
        if all.is_empty() {
            return;
        }
        let users = self.users.entry(app).or_default();
        make_space(users);
        users.insert(name.clone(), all.clone());
    }

    fn evict_users_named(&mut self, app: AppId, name: &UserId) {
        if let Some(users) = self.users.get_mut(&app) {
            users.remove(name);
        }
    }

    pub(crate) fn keep_participant(&mut self, room: RoomId, user: UserKey) {
        if self.participants.len() >= limits::WRITER_MEMORY_MAX {
            self.participants.clear();
        }
        self.participants.insert((room, user));
    }

    pub(crate) fn keep_endpoints(&mut self, app: AppId, endpoints: &Arc<[Arc<Endpoint>]>) {
        make_space(&mut self.endpoints);
        self.endpoints.insert(app, endpoints.clone());
    }

    pub(crate) fn keep_lane(&mut self, lane: Lane, sequences: Sequences) {
        make_space(&mut self.lanes);
        self.lanes.insert(lane, sequences);
    }

    /// Evicts the entries that a change invalidates, and updates the sequence numbers of a lane.
    pub(crate) fn follow(&mut self, app: AppId, change: &Change) {
        match change {
            Change::Room(RoomChange::Update(room)) => drop(self.rooms.remove(&room.id)),
            Change::User(UserChange::Update { user, .. } | UserChange::Erase { user }) => {
                self.evict_users_named(user.app, &user.user_id)
            }
            // Users with the same id may be cached without this one.
            Change::User(UserChange::Insert(new)) => {
                self.evict_users_named(new.user.app, &new.user.user_id)
            }
            Change::Room(RoomChange::RemoveParticipant { room, user }) => {
                self.participants.remove(&(*room, *user));
                self.rooms.remove(room);
            }
            Change::Room(RoomChange::AddParticipant { room, .. }) => drop(self.rooms.remove(room)),
            Change::Webhook(WebhookChange::PutEndpoint(_))
            | Change::Webhook(WebhookChange::RemoveEndpoint { .. })
            | Change::Webhook(WebhookChange::SetPaused { .. })
            | Change::Webhook(WebhookChange::SetHealth { .. }) => {
                self.endpoints.remove(&app);
            }
            Change::Webhook(WebhookChange::InsertDelivery(delivery)) => {
                if let Some(sequences) = self.lanes.get_mut(&delivery.lane) {
                    sequences.insert(delivery.endpoint, delivery.sequence);
                }
            }
            Change::Message(MessageChange::Insert { .. })
            | Change::Message(MessageChange::InsertEvent(_))
            | Change::Message(MessageChange::PurgeEvents { .. })
            | Change::Message(MessageChange::Hide { .. })
            | Change::Message(MessageChange::Delete { .. })
            | Change::Room(RoomChange::Insert(_))
            | Change::Webhook(WebhookChange::RecordAttempt { .. })
            | Change::Webhook(WebhookChange::Replay { .. })
            | Change::User(_)
            | Change::Agent(_)
            | Change::Service(_)
            | Change::Channel(_)
            | Change::File(_)
            | Change::Search(_)
            | Change::App(_)
            | Change::Audit(_)
            | Change::PurgeAuditLog { .. } => {}
        }
    }
}

/// Clears the map if it is full, which is simple and rare, and costs only a few lookups.
fn make_space<K: Eq + Hash, V>(map: &mut HashMap<K, V>) {
    if map.len() >= limits::WRITER_MEMORY_MAX {
        map.clear();
    }
}
