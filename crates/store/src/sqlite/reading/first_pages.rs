//! Cache of the first pages of rooms: the most frequent reads need no SQLite.
//!
//! A cached page always has the newest undeleted messages of its room as of the last acknowledged
//! write. After a commit and before its callers are answered, the writer appends new messages to
//! cached pages and evicts pages that changed otherwise. Readers insert pages that they read from
//! disk, unless a write to the shard was published since the read began, as counted by `changes`.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use confab_domain::ids::RoomId;
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use parking_lot::RwLock;

use crate::reading::first_page::FirstPage;
use crate::reading::pages::PageEntry;
use crate::sqlite::message_index::places::{SHARDS, shard_of};

/// First pages of recently read rooms.
#[derive(Default)]
pub(crate) struct FirstPages {
    shards: [RwLock<Shard>; SHARDS],
    bytes: AtomicUsize,
}

#[derive(Default)]
struct Shard {
    pages: HashMap<RoomId, FirstPage>,
    /// Number of published writes that were not applied to a cached page.
    changes: u64,
}

impl FirstPages {
    fn shard(&self, room: RoomId) -> &RwLock<Shard> {
        &self.shards[shard_of(room)]
    }

    /// Returns the `size` newest messages, newest first, if the room's cached page has them or all
    /// messages of the room.
    pub(crate) fn get(&self, room: RoomId, size: usize) -> Option<Vec<Arc<PostedMessage>>> {
        self.shard(room).read().pages.get(&room)?.newest(size)
    }

    /// Returns the shard's count of changes. Readers take it before they read the page that they
    /// pass to [`Self::keep`].
    pub(crate) fn changes(&self, room: RoomId) -> u64 {
        self.shard(room).read().changes
    }

    /// Caches a first page that was read from disk, newest message first, unless it is large or
    /// `changes` shows a write since the read began.
    pub(crate) fn keep(&self, room: RoomId, changes: u64, page: &[PageEntry], is_all: bool) {
        let Some(page) = FirstPage::of(page, is_all) else { return };
        let mut shard = self.shard(room).write();
        if shard.changes != changes || shard.pages.contains_key(&room) {
            return;
        }
        self.bytes.fetch_add(page.bytes(), Ordering::Relaxed);
        shard.pages.insert(room, page);
    }

    /// Adds a committed message to the cached page of its room.
    pub(crate) fn posted(&self, posted: Arc<PostedMessage>) {
        let room = posted.message.room;
        let mut shard = self.shard(room).write();
        let Some(page) = shard.pages.get_mut(&room) else {
            shard.changes += 1;
            return;
        };
        // A reader may have read it from disk before it is published here.
        if page.last().is_some_and(|newest| newest.message.id >= posted.message.id) {
            return;
        }
        let before = page.bytes();
        page.push(posted);
        self.bytes.fetch_add(page.bytes(), Ordering::Relaxed);
        self.bytes.fetch_sub(before, Ordering::Relaxed);
        if page.is_large() {
            drop(shard);
            self.drop_room(room);
        }
    }

    /// Evicts a room's page after a change other than a new message.
    pub(crate) fn drop_room(&self, room: RoomId) {
        let mut shard = self.shard(room).write();
        shard.changes += 1;
        if let Some(page) = shard.pages.remove(&room) {
            self.bytes.fetch_sub(page.bytes(), Ordering::Relaxed);
        }
    }

    /// Evicts all pages after a change of a user's profile, which may occur on pages of any room.
    pub(crate) fn drop_all(&self) {
        for shard in &self.shards {
            let mut shard = shard.write();
            shard.changes += 1;
            shard.pages = HashMap::new();
        }
        self.bytes.store(0, Ordering::Relaxed);
    }

    /// Evicts all pages when they use too much memory.
    pub(crate) fn bound(&self) {
        if self.bytes.load(Ordering::Relaxed) > limits::FIRST_PAGES_BYTES_MAX {
            self.drop_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::first_page::example;
    use crate::reading::pages::MessageKey;

    const ROOM: RoomId = RoomId(5);

    fn message(id: i64, text: &str) -> Arc<PostedMessage> {
        example::message(ROOM, id, text)
    }

    fn loaded(page: &[Arc<PostedMessage>]) -> Vec<PageEntry> {
        page.iter().cloned().map(PageEntry::Loaded).collect()
    }

    fn ids(pages: &FirstPages, size: usize) -> Option<Vec<i64>> {
        Some(pages.get(ROOM, size)?.iter().map(|posted| posted.message.id.0).collect())
    }

    #[test]
    fn a_cached_page_includes_new_posts_and_holds_at_most_twenty() {
        let pages = FirstPages::default();
        pages.keep(ROOM, 0, &loaded(&[message(2, "b"), message(1, "a")]), true);
        pages.posted(message(3, "c"));
        assert_eq!(ids(&pages, 20), Some(vec![3, 2, 1]), "all messages of the room");
        for id in 4..=21 {
            pages.posted(message(id, "d"));
        }
        assert_eq!(ids(&pages, 20).map(|ids| (ids[0], ids[19])), Some((21, 2)));
        assert_eq!(ids(&pages, 21), None, "an older message is not cached");
    }

    #[test]
    fn a_page_read_before_a_write_was_published_is_not_cached() {
        let pages = FirstPages::default();
        let changes = pages.changes(ROOM);
        pages.posted(message(3, "c"));
        pages.keep(ROOM, changes, &loaded(&[message(2, "b")]), true);
        assert_eq!(ids(&pages, 1), None);
        let changes = pages.changes(ROOM);
        pages.drop_room(ROOM);
        pages.keep(ROOM, changes, &loaded(&[message(2, "b")]), true);
        assert_eq!(ids(&pages, 1), None);
    }

    #[test]
    fn a_message_read_before_its_publication_is_on_the_page_once() {
        let pages = FirstPages::default();
        pages.keep(ROOM, 0, &loaded(&[message(2, "b"), message(1, "a")]), true);
        pages.posted(message(2, "b"));
        assert_eq!(ids(&pages, 20), Some(vec![2, 1]));
    }

    #[test]
    fn the_cache_is_bounded_and_its_size_is_counted_exactly() {
        let pages = FirstPages::default();
        pages.keep(ROOM, 0, &loaded(&[message(1, "a")]), true);
        for id in 2..=40 {
            pages.posted(message(id, "b"));
        }
        pages.drop_room(ROOM);
        assert_eq!(pages.bytes.load(Ordering::Relaxed), 0);
        pages.keep(ROOM, 1, &loaded(&[message(1, "a")]), true);
        pages.bytes.fetch_add(limits::FIRST_PAGES_BYTES_MAX, Ordering::Relaxed);
        pages.bound();
        assert_eq!(ids(&pages, 1), None);
    }

    #[test]
    fn a_large_page_is_neither_cached_nor_extended() {
        let pages = FirstPages::default();
        let large = "x".repeat(limits::FIRST_PAGE_BYTES_MAX);
        pages.keep(ROOM, 0, &loaded(&[message(1, &large)]), true);
        assert_eq!(ids(&pages, 1), None);
        let key = message(2, "").message.id;
        let named = PageEntry::Deferred(MessageKey { room: ROOM, id: key, number: 2 });
        pages.keep(ROOM, 0, &[named], true);
        assert_eq!(ids(&pages, 1), None, "the content was not loaded");
        pages.keep(ROOM, 0, &loaded(&[message(1, "a")]), true);
        pages.posted(message(2, &large));
        assert_eq!(ids(&pages, 1), None);
        assert_eq!(pages.bytes.load(Ordering::Relaxed), 0);
    }
}
