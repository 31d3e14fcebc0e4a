//! Finding the rooms that a caller wants among all of the app.

use std::sync::Arc;

use confab_domain::app::Role;
use confab_domain::channel::Channel;
use confab_domain::customer_room::WorkingUser;
use confab_domain::ids::{AppId, ID_END, RoomId};
use confab_domain::limits;
use confab_domain::message::Said;
use confab_domain::notice::DashboardProfile;
use confab_domain::room::RoomRef;
use confab_domain::settings::Settings;
use confab_domain::time::Timestamp;
use confab_store::{ListedRoom, Store, StoreError, WhichRooms};
use confab_wire::omnichannel_api::service::rooms::{RoomView, WantedRooms};

use crate::services::Services;

/// What is shown of a room beside itself.
pub(super) struct Beside {
    said: Vec<Arc<Said>>,
    agents: Vec<DashboardProfile>,
    source: String,
}

impl Beside {
    /// Reads what was said last.
    pub(super) async fn read(
        services: &Services,
        app: AppId,
        room: &ListedRoom,
        agents: Vec<DashboardProfile>,
        channels: &[Channel],
    ) -> Result<Self, StoreError> {
        let by = RoomRef::Id(room.customer_room.room);
        let said = services.store().page(app, &by, 0, limits::LAST_WORDS_LOOKED_AT).await?;
        let channel = channels.iter().find(|it| it.id == room.customer_room.channel);
        let widget_source = services.widget_source();
        let source = channel.map_or_else(String::new, |it| it.shown(&widget_source).source);
        Ok(Self { said: said.unwrap_or_default(), agents, source })
    }

    /// Both together.
    pub(super) fn view<'a>(&'a self, room: &'a ListedRoom, now: Timestamp) -> RoomView<'a> {
        RoomView {
            customer_room: &room.customer_room,
            name: &room.name,
            avatar_url: &room.avatar_url,
            customer: room.customer.as_str(),
            source: &self.source,
            said: &self.said,
            agents: &self.agents,
            now,
        }
    }
}

/// Where a list goes on.
type Cursor = (Timestamp, RoomId);

/// Rooms that were found, and where the list goes on.
pub(super) struct FoundRooms {
    pub(super) rooms: Vec<ListedRoom>,
    pub(super) next: Option<Cursor>,
}

/// The rooms that the caller wants and may see, the one that last changed first. Each kind of list
/// goes along an index of its own; what no index knows is looked for in so many rooms and no more,
/// so a page may have fewer than asked for and still go on.
pub(super) async fn find(
    store: &Store,
    app: AppId,
    worker: Option<&WorkingUser>,
    wanted: &WantedRooms,
) -> Result<FoundRooms, StoreError> {
    let kinds = kinds(store, app, worker, wanted).await?;
    let mut after = wanted.after.unwrap_or((Timestamp(i64::MAX), RoomId(ID_END)));
    let (mut rooms, mut scanned) = (Vec::new(), 0);
    loop {
        let per_read = if scanned == 0 { wanted.size + 1 } else { limits::ROOMS_PER_SCAN };
        let (page, is_last) = read(store, app, &kinds, after, per_read).await?;
        scanned += page.len();
        for room in page {
            let here = (room.customer_room.updated_at, room.customer_room.room);
            if !is_match(wanted, &room) || !has_tag(store, wanted, &kinds, &room).await? {
                after = here;
                continue;
            }
            if rooms.len() == wanted.size {
                return Ok(FoundRooms { rooms, next: Some(after) });
            }
            rooms.push(room);
            after = here;
        }
        if is_last {
            return Ok(FoundRooms { rooms, next: None });
        }
        if scanned >= limits::ROOMS_SCANNED_MAX {
            return Ok(FoundRooms { rooms, next: Some(after) });
        }
    }
}

/// The lists that together have all that is wanted, each room in one of them.
async fn kinds(
    store: &Store,
    app: AppId,
    worker: Option<&WorkingUser>,
    wanted: &WantedRooms,
) -> Result<Vec<WhichRooms>, StoreError> {
    let agent = worker.filter(|it| it.profile.user.role == Role::Agent);
    if let Some(agent) = agent.map(|it| it.profile.user.id) {
        let own = WhichRooms::ServedBy(agent);
        if wanted.agent.is_some_and(|wanted| wanted != agent) {
            return Ok(Vec::new());
        }
        let takes = wanted.agent.is_none() && store.settings(app).await?.is_on(Settings::TAKEOVER);
        return Ok(if takes { vec![own, WhichRooms::Unserved] } else { vec![own] });
    }
    Ok(vec![match (wanted, &wanted.tag) {
        (WantedRooms { agent: Some(agent), .. }, _) => WhichRooms::ServedBy(*agent),
        (_, Some(tag)) => WhichRooms::Tagged(tag.clone()),
        (WantedRooms { is_served: Some(true), .. }, _) => WhichRooms::Served,
        (WantedRooms { is_served: Some(false), .. }, _) => WhichRooms::Unserved,
        (WantedRooms { is_resolved: Some(is_resolved), .. }, _) => {
            WhichRooms::Resolved(*is_resolved)
        }
        _ => WhichRooms::All,
    }])
}

/// The next rooms of all lists together, and whether they are the last.
async fn read(
    store: &Store,
    app: AppId,
    kinds: &[WhichRooms],
    after: Cursor,
    size: usize,
) -> Result<(Vec<ListedRoom>, bool), StoreError> {
    let mut rooms = Vec::new();
    for kind in kinds {
        rooms.extend(store.customer_rooms(app, kind, after, size).await?);
    }
    let key = |it: &ListedRoom| (it.customer_room.updated_at, it.customer_room.room);
    rooms.sort_by_key(|it| std::cmp::Reverse(key(it)));
    let is_last = rooms.len() < size;
    rooms.truncate(size);
    Ok((rooms, is_last))
}

fn is_match(wanted: &WantedRooms, room: &ListedRoom) -> bool {
    let names = [room.name.as_str(), room.customer.as_str(), room.customer_name.as_str()];
    wanted.matches(&room.customer_room, names)
}

/// Only where the list was not chosen by its tag.
async fn has_tag(
    store: &Store,
    wanted: &WantedRooms,
    kinds: &[WhichRooms],
    room: &ListedRoom,
) -> Result<bool, StoreError> {
    let Some(tag) = &wanted.tag else { return Ok(true) };
    if kinds.iter().any(|kind| matches!(kind, WhichRooms::Tagged(_))) {
        return Ok(true);
    }
    let tags = store.tags_of_room(room.customer_room.room).await?;
    Ok(tags.iter().any(|it| it.name == *tag))
}
