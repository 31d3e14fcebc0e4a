//! The inbox: finds the rooms of an app that match a filter and that the caller may see.

use std::collections::{HashMap, HashSet};

use confab_domain::ids::{AppId, ID_END, RoomId};
use confab_domain::limits;
use confab_domain::support::conversations::customer_room::{AgentRecord, CustomerRoom};
use confab_domain::support::conversations::seeing::{self, AgentAccess};
use confab_domain::support::settings::Settings;
use confab_domain::time::Timestamp;
use confab_store::{ListedRoom, Store, StoreError, Stretch, WhichRooms};
use confab_wire::omnichannel_api::support::rooms::{RoomFilter, RoomOrder, RoomPlace};

use super::customer_rooms::limited;

/// Position in a list of rooms that is sorted by the last change, newest first.
type InboxCursor = (Timestamp, RoomId);

/// A page of rooms with the positions of the pages before and after it. The total number of
/// matching rooms is `None` if it was not counted.
pub struct FoundRooms {
    pub rooms: Vec<ListedRoom>,
    pub after: Option<RoomPlace>,
    pub before: Option<RoomPlace>,
    pub total: Option<usize>,
}

/// An agent who may see only some rooms, with the settings that determine which.
pub(super) struct Sight<'a> {
    pub(super) agent: &'a AgentRecord,
    pub(super) settings: Settings,
}

impl<'a> Sight<'a> {
    /// Returns the limits of the agent's view; `None` if the caller may see every room.
    pub(super) async fn of(
        store: &Store,
        app: AppId,
        agent: Option<&'a AgentRecord>,
    ) -> Result<Option<Self>, StoreError> {
        match limited(agent) {
            Some(agent) => Ok(Some(Self { agent, settings: store.settings(app).await? })),
            None => Ok(None),
        }
    }

    /// Whether agents may see and take over rooms that no agent serves.
    pub(super) fn takes_over(&self) -> bool {
        self.settings.is_on(Settings::TAKEOVER)
    }

    /// Returns the ids of those rooms that the agent may see.
    pub(super) async fn seen(
        &self,
        store: &Store,
        rooms: &[&CustomerRoom],
    ) -> Result<HashSet<RoomId>, StoreError> {
        let ids: Vec<_> = rooms.iter().map(|it| it.room).collect();
        let known = store.rooms_served_by(self.agent.profile.user.id, &ids).await?;
        let known: HashMap<_, _> = known.into_iter().collect();
        let may_see = |room: &&&CustomerRoom| {
            let is_serving = known.get(&room.room) == Some(&true);
            let serves_channel = self.agent.serves_channel(room.channel);
            let standing = AgentAccess { is_serving, serves_channel };
            seeing::may_see(standing, known.contains_key(&room.room), room, &self.settings)
        };
        Ok(rooms.iter().filter(may_see).map(|it| it.room).collect())
    }

    /// Whether the agent sees all resolved rooms of the agent's channels (D-0090).
    pub(super) fn shows_all_resolved(&self) -> bool {
        self.settings.shows_all_resolved()
    }
}

/// Finds the matching rooms that the caller may see, in the requested order. Rooms are read from
/// lists with an index of their own. Further filters scan a bounded number of these rooms, so a
/// page may be short although there is a next one.
pub async fn find(
    store: &Store,
    app: AppId,
    agent: Option<&AgentRecord>,
    wanted: &RoomFilter,
) -> Result<FoundRooms, StoreError> {
    let sight = Sight::of(store, app, agent).await?;
    let sight = sight.as_ref();
    let kinds = kinds(sight, wanted);
    let total = total(store, app, sight, wanted, &kinds).await?;
    let search = Search { store, app, sight, wanted, kinds, order: wanted.order };
    if let Some((time, room)) = wanted.before {
        let start = Stretch::Before(time, room);
        let (mut rooms, before) = search.load(start, wanted.size, wanted.skipped).await?;
        rooms.reverse();
        let after = rooms.last().map(place).map(updated);
        return Ok(FoundRooms { after, rooms, before: before.map(updated), total });
    }
    if wanted.order == RoomOrder::Waiting {
        let (rooms, after) = search.waiting_first().await?;
        return Ok(FoundRooms { rooms, after, before: None, total });
    }
    let start = match wanted.after {
        Some(RoomPlace::Updated(time, room)) => Stretch::After(time, room),
        Some(RoomPlace::Waiting(..)) | None => BEGINNING,
    };
    let (rooms, after) = search.load(start, wanted.size, wanted.skipped).await?;
    let is_first = wanted.after.is_none() && wanted.skipped == 0;
    let before = rooms.first().map(place).filter(|_| !is_first);
    Ok(FoundRooms { rooms, after: after.map(updated), before: before.map(updated), total })
}

/// Start of a list of rooms that is sorted by the last change, newest first.
pub(super) const BEGINNING: Stretch = Stretch::After(Timestamp(i64::MAX), RoomId(ID_END));

fn updated((time, room): InboxCursor) -> RoomPlace {
    RoomPlace::Updated(time, room)
}

/// The parameters of a search.
struct Search<'a> {
    store: &'a Store,
    app: AppId,
    sight: Option<&'a Sight<'a>>,
    wanted: &'a RoomFilter,
    kinds: Vec<WhichRooms>,
    order: RoomOrder,
}

impl Search<'_> {
    /// Returns a page that lists waiting rooms first, longest wait first, then the others, last
    /// change first.
    async fn waiting_first(&self) -> Result<(Vec<ListedRoom>, Option<RoomPlace>), StoreError> {
        let RoomFilter { size, skipped, .. } = *self.wanted;
        let (mut rooms, mut left, mut start) = (Vec::new(), skipped, BEGINNING);
        match self.wanted.after {
            Some(RoomPlace::Updated(time, room)) => start = Stretch::After(time, room),
            after => {
                let mut at = match after {
                    Some(RoomPlace::Waiting(time, room)) => (time, room),
                    _ => (Timestamp(0), RoomId(0)),
                };
                let is_over = self.load_waiting(&mut rooms, &mut left, &mut at).await?;
                if !is_over || rooms.len() == size {
                    return Ok((rooms, Some(RoomPlace::Waiting(at.0, at.1))));
                }
            }
        }
        let (others, after) = self.load(start, size - rooms.len(), left).await?;
        rooms.extend(others);
        Ok((rooms, after.map(updated)))
    }

    /// Adds waiting rooms until the page is full. Returns whether all waiting rooms were read.
    async fn load_waiting(
        &self,
        rooms: &mut Vec<ListedRoom>,
        left_out: &mut usize,
        at: &mut InboxCursor,
    ) -> Result<bool, StoreError> {
        let RoomFilter { agent, is_resolved, is_served, size, .. } = self.wanted;
        let none_wait = agent.is_some() || *is_resolved == Some(true) || *is_served == Some(true);
        if none_wait || self.sight.is_some_and(|sight| !sight.takes_over()) {
            return Ok(true);
        }
        let mut scanned = 0;
        while scanned < limits::ROOMS_SCANNED_MAX {
            let page = self.store.waiting_rooms(self.app, *at, limits::ROOMS_PER_SCAN).await?;
            let is_last = page.len() < limits::ROOMS_PER_SCAN;
            scanned += page.len();
            for room in page {
                if rooms.len() == *size {
                    return Ok(false);
                }
                let waits_since = room.customer_room.waits_since;
                *at = (waits_since.unwrap_or(at.0), room.customer_room.room);
                if !self.is_wanted(&room).await? {
                    continue;
                }
                if *left_out > 0 {
                    *left_out -= 1;
                } else {
                    rooms.push(room);
                }
            }
            if is_last {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns up to `size` rooms, nearest to `start` first, and the position of the next page if
    /// there is one.
    async fn load(
        &self,
        start: Stretch,
        size: usize,
        left_out: usize,
    ) -> Result<(Vec<ListedRoom>, Option<InboxCursor>), StoreError> {
        let (mut rooms, mut scanned, mut stretch) = (Vec::new(), 0, start);
        let mut skipped = 0;
        loop {
            let is_plain = scanned == 0 && left_out == 0;
            let per_read = if is_plain { size + 1 } else { limits::ROOMS_PER_SCAN };
            let (page, is_last) =
                read(self.store, self.app, &self.kinds, stretch, per_read).await?;
            scanned += page.len();
            let hidden = self.hidden(&page).await?;
            for room in page {
                let is_told = self.order == RoomOrder::Waiting && room.customer_room.is_unserved();
                let is_hidden = is_told || hidden.contains(&room.customer_room.room);
                let is_wanted = !is_hidden && self.is_wanted(&room).await?;
                if is_wanted && rooms.len() == size {
                    return Ok((rooms, Some(at(stretch))));
                }
                stretch = moved(stretch, place(&room));
                if is_wanted && skipped < left_out {
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

    /// Returns the rooms of the page that the agent may not see: the list of all resolved rooms
    /// also contains rooms of channels that the agent does not serve. Such a room is visible only
    /// if the agent served it.
    async fn hidden(&self, page: &[ListedRoom]) -> Result<HashSet<RoomId>, StoreError> {
        let is_of_all = self.kinds.iter().any(|it| matches!(it, WhichRooms::Resolved(true)));
        let Some(Sight { agent, .. }) = self.sight.filter(|_| is_of_all) else {
            return Ok(HashSet::new());
        };
        let rooms = page.iter().map(|it| &it.customer_room);
        let elsewhere = rooms.filter(|it| !agent.serves_channel(it.channel)).map(|it| it.room);
        let elsewhere: Vec<_> = elsewhere.collect();
        let known = match elsewhere.is_empty() {
            true => Vec::new(),
            false => self.store.rooms_served_by(agent.profile.user.id, &elsewhere).await?,
        };
        let known: HashSet<_> = known.into_iter().map(|(room, _)| room).collect();
        Ok(elsewhere.into_iter().filter(|room| !known.contains(room)).collect())
    }

    async fn is_wanted(&self, room: &ListedRoom) -> Result<bool, StoreError> {
        Ok(is_seen(self.sight, room)
            && is_match(self.wanted, room)
            && has_tag(self.store, self.wanted, &self.kinds, room).await?)
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

/// Returns the number of rooms in the lists if it equals the number of matching rooms. Returns
/// `None` if a filter would have to be applied to each room, or if there are too many rooms.
async fn total(
    store: &Store,
    app: AppId,
    sight: Option<&Sight<'_>>,
    wanted: &RoomFilter,
    kinds: &[WhichRooms],
) -> Result<Option<usize>, StoreError> {
    let RoomFilter { tag, is_served, is_resolved, .. } = wanted;
    let narrowed = [tag.is_some(), is_served.is_some(), is_resolved.is_some()];
    let narrowed = narrowed.into_iter().filter(|it| *it).count();
    let by_lists = match sight {
        // The list of unserved rooms contains those of all channels.
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

/// Returns lists that contain all rooms that can match the filter, each room in only one list.
fn kinds(sight: Option<&Sight<'_>>, wanted: &RoomFilter) -> Vec<WhichRooms> {
    let is_ended = wanted.is_resolved == Some(true);
    // No agent serves a resolved room: it is in the list of the agents who did.
    let of = |agent| match is_ended {
        true => vec![WhichRooms::ServedBy(agent), WhichRooms::OnceServedBy(agent)],
        false => vec![WhichRooms::ServedBy(agent)],
    };
    if let Some(sight) = sight {
        let agent = sight.agent.profile.user.id;
        if wanted.agent.is_some_and(|wanted| wanted != agent) {
            return Vec::new();
        }
        if is_ended && wanted.agent.is_none() && sight.shows_all_resolved() {
            return vec![WhichRooms::Resolved(true)];
        }
        let takes = wanted.agent.is_none() && !is_ended && sight.takes_over();
        return of(agent).into_iter().chain(takes.then_some(WhichRooms::Unserved)).collect();
    }
    let kind = match (wanted, &wanted.tag) {
        (RoomFilter { agent: Some(agent), .. }, _) => return of(*agent),
        (_, Some(tag)) => WhichRooms::Tagged(tag.clone()),
        (RoomFilter { is_served: Some(true), .. }, _) => WhichRooms::Served,
        (RoomFilter { is_served: Some(false), .. }, _) => WhichRooms::Unserved,
        (RoomFilter { is_resolved: Some(is_resolved), .. }, _) => {
            WhichRooms::Resolved(*is_resolved)
        }
        _ => WhichRooms::All,
    };
    vec![kind]
}

/// Reads the next rooms of several lists, merged into one order. Also returns whether these are the
/// last rooms.
pub(super) async fn read(
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

/// Whether the caller may see a room from the lists for this caller, in which a room with an agent
/// is one that the caller serves.
fn is_seen(sight: Option<&Sight<'_>>, room: &ListedRoom) -> bool {
    let Some(Sight { agent, settings }) = sight else { return true };
    let room = &room.customer_room;
    let (is_serving, serves_channel) = (!room.is_unserved(), agent.serves_channel(room.channel));
    seeing::may_act(AgentAccess { is_serving, serves_channel }, room, settings)
}

fn is_match(wanted: &RoomFilter, room: &ListedRoom) -> bool {
    let names = [room.name.as_str(), room.customer.as_str(), room.customer_name.as_str()];
    wanted.matches(&room.customer_room, names)
}

/// Whether the room has the requested tag, or no tag is requested. Rooms from the list of the tag
/// are not checked again.
async fn has_tag(
    store: &Store,
    wanted: &RoomFilter,
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
