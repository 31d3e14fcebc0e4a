//! Which room an app means. A room never changes its app, id or unique id, so what is remembered
//! here is never out of date, whichever node made the room.

use std::collections::HashMap;

use confab_domain::ids::{AppId, RoomId};
use confab_domain::limits;
use confab_domain::rooms::room::{Room, RoomRef};
use parking_lot::RwLock;

/// The rooms that were asked for lately.
#[derive(Default)]
pub(crate) struct RoomNames {
    apps: RwLock<HashMap<AppId, HashMap<RoomRef, RoomId>>>,
}

impl RoomNames {
    pub(crate) fn get(&self, app: AppId, asked: &RoomRef) -> Option<RoomId> {
        self.apps.read().get(&app)?.get(asked).copied()
    }

    pub(crate) fn keep(&self, app: AppId, asked: &RoomRef, room: &Room) {
        // Digits that were taken for a unique id may become a room's integer some day.
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
