//! Full-text search for messages to and from customers, and for customers (D-0145).
//!
//! The index yields candidates; results are read from the messages themselves, so deleted or edited
//! text is never shown.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use confab_domain::ids::{AppId, EventId, MessageId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::support::conversations::customer_room::{AgentRecord, CustomerRoom};
use confab_domain::time::Timestamp;
use confab_store::{ListedRoom, MessageKey, Store, StoreError};
use confab_wire::omnichannel_api::support::search::{Excerpt, SearchInput, SearchPlace, excerpt};

use super::contacts::{FoundContact, add_seen};
use super::inbox::Sight;

/// A matching message, with an excerpt.
pub struct FoundMessage {
    pub posted: Arc<PostedMessage>,
    pub excerpt: Excerpt,
}

/// Result of a search: one page of messages and one of contacts.
pub struct SearchResult {
    pub messages: Vec<FoundMessage>,
    /// Rooms in which the messages were posted.
    pub rooms: Vec<ListedRoom>,
    pub contacts: Vec<FoundContact>,
    /// Positions of the next pages of messages and of contacts.
    pub after: SearchPlace,
    /// Time up to which all messages are indexed; `None` if the index is up to date.
    pub indexed_until: Option<Timestamp>,
}

/// Searches for messages and contacts that the caller may see. The number of index hits that are
/// checked is bounded, so a page may be short although there is a next one.
pub async fn find(
    store: &Store,
    app: AppId,
    agent: Option<&AgentRecord>,
    wanted: &SearchInput,
) -> Result<SearchResult, StoreError> {
    // Read before the search, because messages indexed during it may be missing from the result.
    let reached = store.index_state().await?.reached;
    let is_behind = store.has_newer_messages(reached).await?;
    let sight = Sight::of(store, app, agent).await?;
    let search = Search { store, app, sight: sight.as_ref(), wanted };
    let mut found = SearchResult {
        messages: Vec::new(),
        rooms: Vec::new(),
        contacts: Vec::new(),
        after: SearchPlace::default(),
        indexed_until: is_behind.then(|| EventId(reached.0).made_at()),
    };
    if let Some(before) = wanted.place.messages {
        found.after.messages = search.messages(before, &mut found).await?;
    }
    if let Some(before) = wanted.place.contacts {
        found.after.contacts = search.contacts(before, &mut found.contacts).await?;
    }
    Ok(found)
}

/// Determines how many hits to request from the index. A query for common words takes the same time
/// for any number of hits, so there are at most two queries: for one page, and for all further hits
/// that may be checked.
struct Looks {
    size: usize,
    looked_at: usize,
}

/// The next step of a search after the hits of a query were checked without filling the page.
enum Look {
    Next,
    /// Return a short page: one call checks a limited number of hits.
    Later,
    Nowhere,
}

impl Looks {
    fn new(size: usize) -> Self {
        Self { size: size + 1, looked_at: 0 }
    }

    fn found(&mut self, hits: usize) -> Look {
        self.looked_at += hits;
        if hits < self.size {
            return Look::Nowhere;
        }
        self.size = limits::SEARCH_HITS_MAX.saturating_sub(self.looked_at);
        if self.size == 0 { Look::Later } else { Look::Next }
    }
}

/// The parameters of a search.
struct Search<'a> {
    store: &'a Store,
    app: AppId,
    sight: Option<&'a Sight<'a>>,
    wanted: &'a SearchInput,
}

impl Search<'_> {
    /// Adds messages until the page is full. Returns the position of the next page, if there is
    /// one.
    async fn messages(
        &self,
        mut before: MessageId,
        found: &mut SearchResult,
    ) -> Result<Option<MessageId>, StoreError> {
        let SearchInput { words, size, .. } = self.wanted;
        let mut looks = Looks::new(*size);
        loop {
            let hits = self.store.find_messages(self.app, words, before, looks.size).await?;
            for part in hits.chunks(size + 1) {
                let seen = self.seen_rooms(part, &mut found.rooms).await?;
                let shown = part.iter().filter(|hit| seen.contains(&hit.room)).copied().collect();
                let mut shown = self.shown(shown).await?;
                for hit in part {
                    if found.messages.len() == *size {
                        return Ok(Some(before));
                    }
                    before = hit.id;
                    found.messages.extend(shown.remove(&hit.id));
                }
            }
            match looks.found(hits.len()) {
                Look::Next => {}
                Look::Later => return Ok(Some(before)),
                Look::Nowhere => return Ok(None),
            }
        }
    }

    /// Loads the messages of these hits with an excerpt each. Omits messages that were deleted, or
    /// edited so that they no longer match.
    async fn shown(
        &self,
        hits: Vec<MessageKey>,
    ) -> Result<HashMap<MessageId, FoundMessage>, StoreError> {
        if hits.is_empty() {
            return Ok(HashMap::new());
        }
        let posted = self.store.messages(&hits).await?.into_iter();
        let found = posted.filter(|posted| !posted.message.is_deleted).filter_map(|posted| {
            let excerpt = excerpt(&posted.message.text, &self.wanted.words)?;
            Some((posted.message.id, FoundMessage { posted, excerpt }))
        });
        Ok(found.collect())
    }

    /// Returns the ids of the rooms that the caller may see, including all rooms of these hits that
    /// the caller may see. Adds the latter to `known`.
    async fn seen_rooms(
        &self,
        hits: &[MessageKey],
        known: &mut Vec<ListedRoom>,
    ) -> Result<HashSet<RoomId>, StoreError> {
        let is_new = |room: &RoomId| known.iter().all(|it| it.customer_room.room != *room);
        let new: HashSet<_> = hits.iter().map(|hit| hit.room).filter(is_new).collect();
        let new: Vec<_> = new.into_iter().collect();
        if !new.is_empty() {
            let rooms = self.store.listed_rooms(self.app, &new).await?;
            let seen = self.seen(rooms.iter().map(|it| &it.customer_room).collect()).await?;
            known.extend(rooms.into_iter().filter(|it| seen.contains(&it.customer_room.room)));
        }
        Ok(known.iter().map(|it| it.customer_room.room).collect())
    }

    async fn seen(&self, rooms: Vec<&CustomerRoom>) -> Result<HashSet<RoomId>, StoreError> {
        match self.sight {
            Some(sight) => sight.seen(self.store, &rooms).await,
            None => Ok(rooms.into_iter().map(|it| it.room).collect()),
        }
    }

    /// Adds contacts until the page is full. Returns the position of the next page, if there is
    /// one.
    async fn contacts(
        &self,
        mut before: UserKey,
        found: &mut Vec<FoundContact>,
    ) -> Result<Option<UserKey>, StoreError> {
        let SearchInput { words, size, .. } = self.wanted;
        let mut looks = Looks::new(*size);
        loop {
            let hits = self.store.find_contacts(self.app, words, before, looks.size).await?;
            for part in hits.chunks(size + 1) {
                let mut seen = self.seen_contacts(part).await?;
                for hit in part {
                    if found.len() == *size {
                        return Ok(Some(before));
                    }
                    before = *hit;
                    found.extend(seen.remove(hit));
                }
            }
            match looks.found(hits.len()) {
                Look::Next => {}
                Look::Later => return Ok(Some(before)),
                Look::Nowhere => return Ok(None),
            }
        }
    }

    /// Returns those of the customers that the caller may see, with the newest visible room of
    /// each.
    async fn seen_contacts(
        &self,
        hits: &[UserKey],
    ) -> Result<HashMap<UserKey, FoundContact>, StoreError> {
        let mut counts = HashMap::new();
        add_seen(self.store, self.app, self.sight, hits, &mut counts).await?;
        let ids: Vec<_> = counts.values().map(|seen| seen.newest.1).collect();
        let listed = self.store.listed_rooms(self.app, &ids).await?;
        let found = listed.into_iter().filter_map(|room| {
            let customer = room.customer_room.customer;
            let rooms = counts.get(&customer)?.rooms;
            Some((customer, FoundContact { newest: room, rooms }))
        });
        Ok(found.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_queried_for_one_page_and_then_for_the_maximum() {
        let mut looks = Looks::new(20);
        assert_eq!(looks.size, 21);
        assert!(matches!(looks.found(21), Look::Next));
        assert_eq!(looks.size, limits::SEARCH_HITS_MAX - 21);
        assert!(matches!(looks.found(looks.size), Look::Later));
    }

    #[test]
    fn fewer_hits_than_requested_end_the_search() {
        assert!(matches!(Looks::new(20).found(20), Look::Nowhere));
        let mut looks = Looks::new(20);
        looks.found(21);
        assert!(matches!(looks.found(limits::SEARCH_HITS_MAX - 22), Look::Nowhere));
        assert!(matches!(looks.found(0), Look::Nowhere));
    }
}
