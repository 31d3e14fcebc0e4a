//! Looks through a user's rooms for messages, and gives up after a while (D-0048).

use std::sync::Arc;

use confab_domain::ids::MessageId;
use confab_domain::limits;
use confab_domain::message::Said;
use confab_domain::room::{Room, RoomRef};
use confab_store::RoomListing;
use confab_wire::sdk_api::messages::listed;
use confab_wire::sdk_api::searching::Search;

use super::looking::{Visible, visible};
use crate::http::answer::{Answer, ok};
use crate::http::callers::UserCaller;
use crate::http::problem::Problem;
use crate::services::Services;

/// Shows the matches of a page, newest first.
pub(super) async fn found(services: &Services, caller: &UserCaller, search: &Search) -> Answer {
    let rooms = rooms(services, caller, search).await?;
    let fair_share = limits::SEARCH_MESSAGES_MAX / rooms.len().max(1);
    let per_room = fair_share.max(limits::SEARCH_ROOM_MESSAGES_MIN);
    let (mut matches, mut left) = (Vec::new(), limits::SEARCH_MESSAGES_MAX);
    for Visible { room, cleared_number } in rooms {
        let looked_at = look_through(services, &room, search, per_room.min(left)).await?;
        left -= looked_at.len().min(left);
        let room = Arc::new(room);
        let is_match =
            |said: &Arc<Said>| said.message.number > cleared_number && search.matches(said);
        matches.extend(looked_at.into_iter().filter(is_match).map(|said| (said, room.clone())));
        if left == 0 {
            break;
        }
    }
    matches.sort_by_key(|(said, _)| std::cmp::Reverse(said.message.id));
    let page = matches.iter().skip(search.skipped).take(search.size);
    ok(listed(page.map(|(said, room)| (&**said, &**room))))
}

/// The rooms to look in, the one last spoken in first.
async fn rooms(
    services: &Services,
    caller: &UserCaller,
    search: &Search,
) -> Result<Vec<Visible>, Problem> {
    let asked = match search.rooms.is_empty() {
        false => search.rooms.clone(),
        true => {
            let (app, user) = (caller.app.id, caller.user.key);
            let size = limits::SEARCH_ROOMS_MAX;
            let listing = RoomListing { kind: None, skipped: 0, size };
            let (rooms, _) = services.store().user_rooms(app, user, listing).await?;
            rooms.into_iter().map(|room| RoomRef::Id(room.id)).collect()
        }
    };
    let mut rooms: Vec<Visible> = Vec::with_capacity(asked.len());
    for room in &asked {
        let found = visible(services, caller, room).await?;
        let is_new = rooms.iter().all(|other| other.room.id != found.room.id);
        if is_new && search.takes_room(&found.room) {
            rooms.push(found);
        }
    }
    Ok(rooms)
}

/// The newest messages of a room before the one that the search begins at.
async fn look_through(
    services: &Services,
    room: &Room,
    search: &Search,
    messages_max: usize,
) -> Result<Vec<Arc<Said>>, Problem> {
    let mut looked_at: Vec<Arc<Said>> = Vec::new();
    let mut before = search.before.map_or(i64::MAX, |before| before.0);
    while looked_at.len() < messages_max {
        let size = (messages_max - looked_at.len()).min(limits::PAGE_MAX);
        let ids = (MessageId(0), MessageId(before.saturating_sub(1)));
        let page = services.store().range(room.app, &RoomRef::Id(room.id), ids, size).await?;
        let page = page.unwrap_or_default();
        let is_last = page.len() < size;
        before = page.last().map_or(0, |said| said.message.id.0);
        looked_at.extend(page);
        if is_last {
            break;
        }
    }
    Ok(looked_at)
}
