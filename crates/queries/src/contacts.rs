//! Contacts: the customers that the caller may see, most recently active first (design/support).

use std::collections::{HashMap, HashSet};

use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::support::conversations::customer_room::{AgentRecord, CustomerRoom};
use confab_domain::time::Timestamp;
use confab_store::{ListedRoom, Store, StoreError, Stretch, WhichRooms};
use confab_wire::omnichannel_api::support::customers::contact_list::ContactFilter;

use super::inbox::{BEGINNING, Sight, read};

/// Position in the list of contacts: the time of the last change and the id of a contact's newest
/// room.
pub(super) type Place = (Timestamp, RoomId);

/// A customer with the newest room that the caller may see.
pub struct FoundContact {
    pub newest: ListedRoom,
    /// Number of the customer's rooms that the caller may see.
    pub rooms: usize,
}

/// Finds the matching contacts that the caller may see. Returns one page and the position of the
/// next. The number of scanned rooms is bounded, so a page may be short although there is a next
/// one.
pub async fn find(
    store: &Store,
    app: AppId,
    agent: Option<&AgentRecord>,
    wanted: &ContactFilter,
) -> Result<(Vec<FoundContact>, Option<Place>), StoreError> {
    let sight = Sight::of(store, app, agent).await?;
    let sight = sight.as_ref();
    let (kinds, size) = (kinds(sight), wanted.size);
    let start = wanted.after.map(|(time, room)| Stretch::After(time, room));
    let (mut stretch, mut found, mut scanned) = (start.unwrap_or(BEGINNING), Vec::new(), 0);
    loop {
        let per_read = if scanned == 0 { size + 1 } else { limits::ROOMS_PER_SCAN };
        let (rooms, is_last) = read(store, app, &kinds, stretch, per_read).await?;
        scanned += rooms.len();
        let counts = seen_rooms(store, app, sight, wanted, &rooms).await?;
        for room in rooms {
            let (id, at) = (room.customer_room.customer, place(&room.customer_room));
            let seen = counts.get(&id).filter(|seen| seen.newest == at);
            // Two of the agent's lists may contain the same room.
            let is_new = found.last().is_none_or(|it: &FoundContact| place_of(it) != at);
            if let Some(seen) = seen.filter(|_| is_new) {
                if found.len() == size {
                    let after = found.last().map(place_of);
                    return Ok((found, after));
                }
                found.push(FoundContact { newest: room, rooms: seen.rooms });
            }
            stretch = Stretch::After(at.0, at.1);
        }
        if is_last {
            return Ok((found, None));
        }
        if let Stretch::After(time, room) = stretch
            && scanned >= limits::ROOMS_SCANNED_MAX
        {
            return Ok((found, Some((time, room))));
        }
    }
}

/// The most recently changed of a customer's rooms that the caller may see, and their number.
pub(super) struct VisibleRooms {
    pub(super) newest: Place,
    pub(super) rooms: usize,
}

impl VisibleRooms {
    fn of(room: &CustomerRoom) -> Self {
        Self { newest: place(room), rooms: 0 }
    }
}

/// Finds the rooms that the caller may see of each matching customer who has a room on the page.
async fn seen_rooms(
    store: &Store,
    app: AppId,
    sight: Option<&Sight<'_>>,
    wanted: &ContactFilter,
    page: &[ListedRoom],
) -> Result<HashMap<UserKey, VisibleRooms>, StoreError> {
    let is_wanted = |it: &&ListedRoom| wanted.matches([&it.customer_name, it.customer.as_str()]);
    let customers = page.iter().filter(is_wanted).map(|it| it.customer_room.customer);
    let customers: Vec<_> = customers.collect::<HashSet<_>>().into_iter().collect();
    let mut counts = HashMap::<_, VisibleRooms>::new();
    for some in customers.chunks(limits::CONTACTS_PER_READ) {
        add_seen(store, app, sight, some, &mut counts).await?;
    }
    Ok(counts)
}

/// Adds to `counts` all rooms of these customers that the caller may see. Their number is not
/// bounded.
pub(super) async fn add_seen(
    store: &Store,
    app: AppId,
    sight: Option<&Sight<'_>>,
    customers: &[UserKey],
    counts: &mut HashMap<UserKey, VisibleRooms>,
) -> Result<(), StoreError> {
    let (mut after, size) = ((UserKey(0), RoomId(0)), limits::ROOMS_PER_SCAN);
    loop {
        let rooms = store.rooms_of_contacts(app, customers, after, size).await?;
        let rooms: Vec<_> = rooms.iter().collect();
        let seen = match sight {
            Some(sight) => Some(sight.seen(store, &rooms).await?),
            None => None,
        };
        for room in &rooms {
            if seen.as_ref().is_none_or(|seen| seen.contains(&room.room)) {
                let counted = counts.entry(room.customer).or_insert_with(|| VisibleRooms::of(room));
                counted.rooms += 1;
                counted.newest = counted.newest.max(place(room));
            }
        }
        match rooms.last().filter(|_| rooms.len() == size) {
            Some(last) => after = (last.customer, last.room),
            None => return Ok(()),
        }
    }
}

/// Returns the lists that together contain all rooms that the caller may see.
fn kinds(sight: Option<&Sight<'_>>) -> Vec<WhichRooms> {
    let Some(sight) = sight else { return vec![WhichRooms::All] };
    let agent = sight.agent.profile.user.id;
    let takes = sight.takes_over().then_some(WhichRooms::Unserved);
    // The newest visible room of a customer may be one that a colleague resolved (D-0090).
    let ended = sight.shows_all_resolved().then_some(WhichRooms::Resolved(true));
    let own = [WhichRooms::ServedBy(agent), WhichRooms::LeftBy(agent)];
    own.into_iter().chain(takes).chain(ended).collect()
}

fn place(room: &CustomerRoom) -> Place {
    (room.updated_at, room.room)
}

fn place_of(found: &FoundContact) -> Place {
    place(&found.newest.customer_room)
}
