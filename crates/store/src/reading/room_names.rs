//! Cache of room ids by the references that apps use: ids and unique ids. A room's app, id and
//! unique id never change, so entries never become stale, whichever node created the room.

use std::collections::HashMap;

use confab_domain::ids::{AppId, RoomId};
use confab_domain::limits;
use confab_domain::rooms::room::{Room, RoomRef};
use parking_lot::RwLock;

/// Ids of recently used rooms.
#[derive(Default)]
pub(crate) struct RoomNames {
    apps: RwLock<HashMap<AppId, HashMap<RoomRef, RoomId>>>,
}

impl RoomNames {
    pub(crate) fn get(&self, app: AppId, asked: &RoomRef) -> Option<RoomId> {
        self.apps.read().get(&app)?.get(asked).copied()
    }

    pub(crate) fn keep(&self, app: AppId, asked: &RoomRef, room: &Room) {
        // A number that is a unique id today may become the id of another room.
        if matches!(asked, RoomRef::Either(id, _) if *id != room.id) {
            return;
        }
        let mut apps = self.apps.write();
        let names = apps.entry(app).or_default();
        if names.len() >= limits::WRITER_MEMORY_MAX {
            names.clear();
        }
        names.insert(asked.clone(), room.id);
    }
}
