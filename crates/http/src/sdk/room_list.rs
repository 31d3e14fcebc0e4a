//! Lists of rooms as a user sees them, read in batches (D-0081).

use confab_app::services::Services;
use confab_domain::ids::UserKey;
use confab_domain::limits;
use confab_domain::rooms::room::Room;
use confab_domain::rooms::room_view::{Participant, RoomForClient};
use confab_runtime::admission::response_backpressure::Asker;
use confab_store::{Store, StoreError};
use confab_wire::sdk_api::rooms::client_room;
use serde::Serialize;

use crate::requests::callers::UserCaller;
use crate::responses::answer::Answer;
use crate::responses::json::write;
use crate::responses::large_answers::{ListItem, ListSource, list};

/// Answers with these rooms as the caller sees them.
pub(super) async fn room_list<T>(
    services: &Services,
    caller: &UserCaller,
    shell: &impl Serialize,
    rooms: Vec<Room>,
    shows_participants: bool,
) -> Answer<T> {
    let viewer = caller.user.key;
    let shown: ShownRoom = |seen, viewer, shows_participants, out| {
        write(out, &client_room(seen, viewer, shows_participants));
    };
    let looking = RoomListView { viewer, shows_participants, shown };
    room_list_for(services, Asker::user(&caller.user), looking, shell, rooms).await
}

/// The user for whom a list of rooms is rendered, and its format.
#[derive(Clone, Copy)]
pub(crate) struct RoomListView {
    /// User whose unread messages are counted. One-to-one rooms are named after the other
    /// participant.
    pub(crate) viewer: UserKey,
    pub(crate) shows_participants: bool,
    pub(crate) shown: ShownRoom,
}

/// Function that appends a room in the format of an API, as its viewer sees it, with or without
/// participants.
pub(crate) type ShownRoom = fn(&RoomForClient, UserKey, bool, &mut Vec<u8>);

/// Answers with these rooms as the viewer sees them.
pub(crate) async fn room_list_for<T>(
    services: &Services,
    asker: Asker,
    looking: RoomListView,
    shell: &impl Serialize,
    rooms: Vec<Room>,
) -> Answer<T> {
    let (store, at_once) = (services.store().clone(), limits::ROOMS_AT_FIRST);
    let source = RoomListSource { store, looking, at_once };
    let held = rooms.iter().map(|room| room.options.len()).sum();
    let rooms = rooms.into_iter().map(ListItem::Deferred).collect();
    list(services, asker, shell, rooms, source, held).await
}

/// Returns the number of participants to read for each room. If the response contains none, two are
/// still needed, because a one-to-one room is named after the other participant.
pub(crate) fn participants_shown(are_wanted: bool) -> usize {
    if are_wanted { limits::ROOM_PARTICIPANTS_SHOWN_MAX } else { 2 }
}

struct RoomListSource {
    store: Store,
    looking: RoomListView,
    /// Number of rooms to load in the next batch.
    at_once: usize,
}

impl ListSource for RoomListSource {
    type Key = Room;
    type Item = RoomForClient;

    async fn load(&mut self, rooms: &[Room]) -> Result<Vec<RoomForClient>, StoreError> {
        let some = rooms[..self.at_once.min(rooms.len())].to_vec();
        let shown = participants_shown(self.looking.shows_participants);
        let seen = self.store.seen_rooms(self.looking.viewer, some, shown).await?;
        // Rooms have similar sizes, so the number that fits one read fits the next.
        let bytes = seen.iter().map(room_bytes).sum::<usize>().max(1);
        let fitting = seen.len() * limits::PAGE_READ_BYTES / bytes;
        self.at_once = fitting.clamp(1, limits::PAGE_MAX);
        Ok(seen)
    }

    fn write(&self, seen: &RoomForClient, out: &mut Vec<u8>) {
        let RoomListView { viewer, shows_participants, shown } = self.looking;
        shown(seen, viewer, shows_participants, out);
    }
}

/// Estimates the number of bytes that a room needs in a response.
fn room_bytes(seen: &RoomForClient) -> usize {
    let extras = |it: &Participant| it.user.extras.as_ref().map_or(0, |json| json.as_str().len());
    let people = seen.participants.iter().map(|it| PERSON_BYTES + extras(it)).sum::<usize>();
    let last = seen.last.as_ref().map_or(0, |posted| posted.message.content_bytes());
    ROOM_BYTES + seen.room.options.len() + people + last
}

/// Estimated size in bytes of a room in a response, without its participants, options and last
/// message.
const ROOM_BYTES: usize = 2048;
/// Estimated size in bytes of a participant in a response, without the user's extras.
const PERSON_BYTES: usize = 512;
