//! Finding the rooms that a caller wants among all of the app.

use std::sync::Arc;

use confab_domain::agents::agent::Person;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::ids::{AppId, ID_END, RoomId};
use confab_domain::limits;
use confab_domain::messages::message::{Message, Said};
use confab_domain::rooms::room::RoomRef;
use confab_domain::service::customer_room::AgentRecord;
use confab_domain::service::seeing::{self, Standing};
use confab_domain::service::settings::Settings;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::notice::AgentProfile;
use confab_store::{ListedRoom, Store, StoreError, Stretch, WhichRooms};
use confab_wire::omnichannel_api::service::rooms::{RoomView, WantedRooms};

use super::customer_rooms::limited;
use super::people::named;
use crate::services::Services;

/// What is shown of a room beside itself.
pub(crate) struct Beside {
    said: Vec<Arc<Said>>,
    agents: Vec<AgentProfile>,
    resolved_by: Option<Person>,
    source: String,
}

impl Beside {
    /// Reads what was said last.
    pub(crate) async fn read(
        services: &Services,
        app: AppId,
        room: &ListedRoom,
        agents: Vec<AgentProfile>,
        channels: &[Channel],
    ) -> Result<Self, StoreError> {
        let by = RoomRef::Id(room.customer_room.room);
        let store = services.store();
        let page = store.page(app, &by, 0, limits::LAST_WORDS_LOOKED_AT).await?;
        let said = store.loaded(page.unwrap_or_default()).await?;
        let channel = channels.iter().find(|it| it.id == room.customer_room.channel);
        let widget_source = services.widget_source();
        // Only custom channels are deleted, and leave their rooms behind.
        let deleted = || ChannelKind::Custom.as_str().to_owned();
        let shown = |it| room.customer_room.shown_channel(it, &widget_source).source;
        let source = channel.map_or_else(deleted, shown);
        let resolved_by = room.customer_room.session.as_ref().and_then(|it| it.resolved_by);
        let resolved_by = named(store, app, resolved_by.into_iter().collect()).await?.pop();
        Ok(Self { said: said.iter().map(words).collect(), agents, resolved_by, source })
    }

    /// Both together.
    pub(crate) fn view<'a>(&'a self, room: &'a ListedRoom, now: Timestamp) -> RoomView<'a> {
        RoomView {
            customer_room: &room.customer_room,
            name: &room.name,
            avatar_url: &room.avatar_url,
            customer: room.customer.as_str(),
            source: &self.source,
            said: &self.said,
            agents: &self.agents,
            resolved_by: self.resolved_by.as_ref(),
            now,
        }
    }
}

/// A message with its words alone: the rooms of a whole page are held together.
fn words(said: &Arc<Said>) -> Arc<Said> {
    let Said { message, sender } = &**said;
    if message.payload.is_none() && message.extras.is_none() {
        return said.clone();
    }
    let message = Message { payload: None, extras: None, ..message.clone() };
    Arc::new(Said { message, sender: sender.clone() })
}

/// Where a list goes on.
type InboxCursor = (Timestamp, RoomId);

/// Rooms that were found, where the list goes on, and how many it has if that was counted.
pub(crate) struct FoundRooms {
    pub(crate) rooms: Vec<ListedRoom>,
    pub(crate) after: Option<InboxCursor>,
    pub(crate) before: Option<InboxCursor>,
    pub(crate) total: Option<usize>,
}

/// An agent whose sight is limited, and what they may see by the app's settings.
struct Sight<'a> {
    agent: &'a AgentRecord,
    settings: Settings,
}

/// The rooms that the caller wants and may see, the one that last changed first. Each kind of list
/// goes along an index of its own; what no index knows is looked for in so many rooms and no more,
/// so a page may have fewer than asked for and still go on.
pub(crate) async fn find(
    store: &Store,
    app: AppId,
    agent: Option<&AgentRecord>,
    wanted: &WantedRooms,
) -> Result<FoundRooms, StoreError> {
    let sight = match limited(agent) {
        Some(agent) => Some(Sight { agent, settings: store.settings(app).await? }),
        None => None,
    };
    let sight = sight.as_ref();
    let kinds = kinds(sight, wanted);
    let total = total(store, app, sight, wanted, &kinds).await?;
    if let Some((time, room)) = wanted.before {
        let start = Stretch::Before(time, room);
        let (mut rooms, before) = look(store, app, sight, wanted, &kinds, start).await?;
        rooms.reverse();
        return Ok(FoundRooms { after: rooms.last().map(place), rooms, before, total });
    }
    let (time, room) = wanted.after.unwrap_or((Timestamp(i64::MAX), RoomId(ID_END)));
    let start = Stretch::After(time, room);
    let (rooms, after) = look(store, app, sight, wanted, &kinds, start).await?;
    let is_first = wanted.after.is_none() && wanted.skipped == 0;
    let before = rooms.first().map(place).filter(|_| !is_first);
    Ok(FoundRooms { rooms, after, before, total })
}

/// So many as are wanted, the nearest to the start first, and where to look on.
async fn look(
    store: &Store,
    app: AppId,
    sight: Option<&Sight<'_>>,
    wanted: &WantedRooms,
    kinds: &[WhichRooms],
    start: Stretch,
) -> Result<(Vec<ListedRoom>, Option<InboxCursor>), StoreError> {
    let (mut rooms, mut scanned, mut stretch) = (Vec::new(), 0, start);
    let mut skipped = 0;
    loop {
        let is_plain = scanned == 0 && wanted.skipped == 0;
        let per_read = if is_plain { wanted.size + 1 } else { limits::ROOMS_PER_SCAN };
        let (page, is_last) = read(store, app, kinds, stretch, per_read).await?;
        scanned += page.len();
        for room in page {
            let is_wanted = is_seen(sight, &room)
                && is_match(wanted, &room)
                && has_tag(store, wanted, kinds, &room).await?;
            if is_wanted && rooms.len() == wanted.size {
                return Ok((rooms, Some(at(stretch))));
            }
            stretch = moved(stretch, place(&room));
            if is_wanted && skipped < wanted.skipped {
                skipped += 1;
            } else if is_wanted {
                rooms.push(room);
            }
        }
        if is_last {
            return Ok((rooms, None));
        }
        if scanned >= limits::ROOMS_SCANNED_MAX {
            return Ok((rooms, Some(at(stretch))));
        }
    }
}

fn place(room: &ListedRoom) -> InboxCursor {
    (room.customer_room.updated_at, room.customer_room.room)
}

fn at(stretch: Stretch) -> InboxCursor {
    match stretch {
        Stretch::After(time, room) | Stretch::Before(time, room) => (time, room),
    }
}

fn moved(stretch: Stretch, (time, room): InboxCursor) -> Stretch {
    match stretch {
        Stretch::After(..) => Stretch::After(time, room),
        Stretch::Before(..) => Stretch::Before(time, room),
    }
}

/// How many rooms the lists have, where nothing but the lists says which are wanted; nothing if
/// they are too many to be counted.
async fn total(
    store: &Store,
    app: AppId,
    sight: Option<&Sight<'_>>,
    wanted: &WantedRooms,
    kinds: &[WhichRooms],
) -> Result<Option<usize>, StoreError> {
    let WantedRooms { tag, is_served, is_resolved, .. } = wanted;
    let narrowed = [tag.is_some(), is_served.is_some(), is_resolved.is_some()];
    let narrowed = narrowed.into_iter().filter(|it| *it).count();
    let by_lists = match sight {
        // The list of those whom nobody serves has those of all channels.
        Some(Sight { agent, .. }) => {
            narrowed == 0 && (agent.channels.is_empty() || kinds.len() == 1)
        }
        None => narrowed + wanted.agent.iter().count() <= 1,
    };
    let is_plain = wanted.channels.is_empty() && wanted.text.is_none();
    if !by_lists || !is_plain || wanted.is_handled_by_bot.is_some() {
        return Ok(None);
    }
    let mut total = 0;
    for kind in kinds {
        total += store.count_rooms(app, kind, limits::ROOMS_COUNTED_MAX + 1).await?;
    }
    Ok(Some(total).filter(|total| *total <= limits::ROOMS_COUNTED_MAX))
}

/// The lists that together have all that is wanted, each room in one of them.
fn kinds(sight: Option<&Sight<'_>>, wanted: &WantedRooms) -> Vec<WhichRooms> {
    if let Some(Sight { agent, settings }) = sight {
        let agent = agent.profile.user.id;
        let own = WhichRooms::ServedBy(agent);
        if wanted.agent.is_some_and(|wanted| wanted != agent) {
            return Vec::new();
        }
        let takes = wanted.agent.is_none() && settings.is_on(Settings::TAKEOVER);
        return if takes { vec![own, WhichRooms::Unserved] } else { vec![own] };
    }
    vec![match (wanted, &wanted.tag) {
        (WantedRooms { agent: Some(agent), .. }, _) => WhichRooms::ServedBy(*agent),
        (_, Some(tag)) => WhichRooms::Tagged(tag.clone()),
        (WantedRooms { is_served: Some(true), .. }, _) => WhichRooms::Served,
        (WantedRooms { is_served: Some(false), .. }, _) => WhichRooms::Unserved,
        (WantedRooms { is_resolved: Some(is_resolved), .. }, _) => {
            WhichRooms::Resolved(*is_resolved)
        }
        _ => WhichRooms::All,
    }]
}

/// The next rooms of all lists together, and whether they are the last.
async fn read(
    store: &Store,
    app: AppId,
    kinds: &[WhichRooms],
    stretch: Stretch,
    size: usize,
) -> Result<(Vec<ListedRoom>, bool), StoreError> {
    let mut rooms = Vec::new();
    for kind in kinds {
        rooms.extend(store.customer_rooms(app, kind, stretch, size).await?);
    }
    rooms.sort_by_key(place);
    if matches!(stretch, Stretch::After(..)) {
        rooms.reverse();
    }
    let is_last = rooms.len() < size;
    rooms.truncate(size);
    Ok((rooms, is_last))
}

/// Whether the caller may see a room of their lists: one has what they serve, the other one what
/// nobody serves.
fn is_seen(sight: Option<&Sight<'_>>, room: &ListedRoom) -> bool {
    let Some(Sight { agent, settings }) = sight else { return true };
    let room = &room.customer_room;
    let (is_serving, serves_channel) = (!room.is_unserved(), agent.serves_channel(room.channel));
    seeing::may_act(Standing { is_serving, serves_channel }, room, settings)
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
