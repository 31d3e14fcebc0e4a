//! Search for messages in a user's rooms, by a bounded scan (design/message-api).

use std::sync::Arc;

use confab_domain::ids::MessageId;
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::people::user::User;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_store::{PageEntry, RoomListing, Store, StoreError};
use confab_wire::sdk_api::searching::Search;

use super::QueryError;
use super::client_rooms::{VisibleRoom, visible};

/// One page of a search's results.
pub struct FoundMessages {
    /// Matches of the page, newest first.
    pub page: Vec<PageEntry>,
    /// Number of matches on all pages.
    pub total: usize,
    /// The rooms that were searched.
    pub rooms: Vec<Room>,
}

/// Searches the newest messages in the rooms that the search names, or in the user's most recently
/// active rooms.
pub async fn find(
    store: &Store,
    user: &User,
    search: &Search,
) -> Result<FoundMessages, QueryError> {
    store.search(find_now(store, user, search)).await
}

async fn find_now(
    store: &Store,
    user: &User,
    search: &Search,
) -> Result<FoundMessages, QueryError> {
    let rooms = rooms(store, user, search).await?;
    let fair_share = limits::SEARCH_MESSAGES_MAX / rooms.len().max(1);
    let per_room = fair_share.max(limits::SEARCH_ROOM_MESSAGES_MIN);
    let (mut matches, mut left) = (Matches::default(), limits::SEARCH_MESSAGES_MAX);
    for visible in &rooms {
        let messages_max = per_room.min(left);
        left -= scan(store, visible, search, messages_max, &mut matches).await?;
        if left == 0 {
            break;
        }
    }
    let mut page = matches.found;
    page.sort_by_key(|entry| std::cmp::Reverse(entry.key().id));
    let total = page.len();
    let page = page.into_iter().skip(search.skipped).take(search.size).collect();
    let rooms = rooms.into_iter().map(|visible| visible.room).collect();
    Ok(FoundMessages { page, total, rooms })
}

/// Matches found so far. Above a total size in bytes, only the keys of further messages are held.
#[derive(Default)]
struct Matches {
    found: Vec<PageEntry>,
    bytes: usize,
}

impl Matches {
    fn add(&mut self, posted: &Arc<PostedMessage>) {
        let entry = PageEntry::Loaded(posted.clone());
        self.bytes += posted.message.content_bytes();
        let is_much = self.bytes > limits::PAGE_READ_BYTES;
        self.found.push(if is_much { PageEntry::Deferred(entry.key()) } else { entry });
    }
}

/// Returns the rooms to search: those that the search names, or else the user's most recently
/// active ones.
async fn rooms(
    store: &Store,
    user: &User,
    search: &Search,
) -> Result<Vec<VisibleRoom>, QueryError> {
    let asked = match search.rooms.is_empty() {
        false => search.rooms.clone(),
        true => {
            let size = limits::SEARCH_ROOMS_MAX;
            let listing = RoomListing { kind: None, skipped: 0, size };
            let (rooms, _) = store.user_rooms(user.app, user.key, listing).await?;
            rooms.into_iter().map(|room| RoomRef::Id(room.id)).collect()
        }
    };
    let mut rooms: Vec<VisibleRoom> = Vec::with_capacity(asked.len());
    for room in &asked {
        let found = visible(store, user, room).await?;
        let is_new = rooms.iter().all(|other| other.room.id != found.room.id);
        if is_new && search.takes_room(&found.room) {
            rooms.push(found);
        }
    }
    Ok(rooms)
}

/// Searches the newest messages of a room, or the newest before the position from which the search
/// starts. Returns the number of messages read.
async fn scan(
    store: &Store,
    visible: &VisibleRoom,
    search: &Search,
    messages_max: usize,
    matches: &mut Matches,
) -> Result<usize, StoreError> {
    let room = &visible.room;
    let asked = RoomRef::Id(room.id);
    let (mut looked_at, mut before) = (0, search.before.map_or(i64::MAX, |before| before.0));
    while looked_at < messages_max {
        let size = (messages_max - looked_at).min(limits::PAGE_MAX);
        let ids = (MessageId(0), MessageId(before.saturating_sub(1)));
        let page = store.range(room.app, &asked, ids, size).await?.unwrap_or_default();
        let count = page.len();
        before = page.last().map_or(0, |entry| entry.key().id.0);
        looked_at += count;
        let mut deferred = Vec::new();
        for entry in page.into_iter().filter(|entry| visible.shows(entry.key().number)) {
            match entry {
                PageEntry::Loaded(posted) if search.matches(&posted) => matches.add(&posted),
                PageEntry::Loaded(_) => {}
                PageEntry::Deferred(key) => deferred.push(key),
            }
        }
        while !deferred.is_empty() {
            let some = store.messages(&deferred).await?;
            deferred.drain(..some.len());
            // A message may have been deleted since the page was read.
            let live = some.iter().filter(|posted| !posted.message.is_deleted);
            live.filter(|posted| search.matches(posted)).for_each(|posted| matches.add(posted));
        }
        if count < size {
            break;
        }
    }
    Ok(looked_at)
}
