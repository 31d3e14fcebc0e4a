//! A cache of responses that show a room's first page of messages (design/storage). Equal messages
//! render to equal bytes, and the store returns the same `Arc`s while nothing has changed.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use confab_domain::ids::RoomId;
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_store::PageEntry;
use parking_lot::RwLock;

const SHARDS: usize = 16;

/// Cached responses of one API call, which shows only messages and their senders.
#[derive(Default)]
pub struct PageCache {
    shards: [RwLock<HashMap<RoomId, CachedAnswer>>; SHARDS],
    bytes: AtomicUsize,
}

struct CachedAnswer {
    /// Whether the response includes the senders' `extras`.
    has_extras: bool,
    /// The messages of the page. While the entry holds them, no other message can have their
    /// addresses.
    posted: Vec<Arc<PostedMessage>>,
    answer: Bytes,
}

impl PageCache {
    /// Returns the response for this page, which is rendered only if it is not cached. `None` if
    /// the page is empty or a message of it is not loaded.
    pub fn answer(
        &self,
        page: &[PageEntry],
        has_extras: bool,
        write: impl FnOnce(&[Arc<PostedMessage>]) -> Vec<u8>,
    ) -> Option<Bytes> {
        let room = page.first()?.key().room;
        let shard = &self.shards[room.0 as usize % SHARDS];
        if let Some(shown) = shard.read().get(&room)
            && shown.has_extras == has_extras
            && shown.shows(page)
        {
            return Some(shown.answer.clone());
        }
        let posted = page.iter().map(PageEntry::loaded).collect::<Option<Vec<_>>>()?;
        let answer = Bytes::from(write(&posted));
        if answer.len() <= limits::FIRST_PAGE_BYTES_MAX {
            let shown = CachedAnswer { has_extras, posted, answer: answer.clone() };
            self.bytes.fetch_add(shown.bytes(), Ordering::Relaxed);
            if let Some(before) = shard.write().insert(room, shown) {
                self.bytes.fetch_sub(before.bytes(), Ordering::Relaxed);
            }
            self.bound();
        }
        Some(answer)
    }

    /// Clears the cache if it exceeds its memory limit.
    fn bound(&self) {
        if self.bytes.load(Ordering::Relaxed) <= limits::SHOWN_PAGES_BYTES_MAX {
            return;
        }
        for shard in &self.shards {
            let gone = std::mem::take(&mut *shard.write());
            let bytes: usize = gone.values().map(CachedAnswer::bytes).sum();
            self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

impl CachedAnswer {
    /// Whether the page consists of the cached messages. Compares addresses, not contents.
    fn shows(&self, page: &[PageEntry]) -> bool {
        let is_same = |(posted, entry): (&Arc<PostedMessage>, &PageEntry)| match entry {
            PageEntry::Loaded(loaded) => Arc::ptr_eq(posted, loaded),
            PageEntry::Deferred(_) => false,
        };
        self.posted.len() == page.len() && self.posted.iter().zip(page).all(is_same)
    }

    /// Returns the approximate size of the entry in bytes, without the messages, which the store
    /// mostly shares.
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.posted.len() * size_of::<Arc<PostedMessage>>() + self.answer.len()
    }
}

#[cfg(test)]
mod tests {
    use confab_domain::ids::{AppId, MessageId, UserKey};
    use confab_domain::messages::message::Message;
    use confab_domain::messages::message_kind::MessageKind;
    use confab_domain::people::user::{Realm, User, UserId};
    use confab_domain::time::Timestamp;

    use super::*;

    fn message(room: i64, id: i64, text: &str) -> Arc<PostedMessage> {
        let message = Message {
            id: MessageId(id),
            room: RoomId(room),
            number: id as u64,
            before: None,
            sender: UserKey(1),
            kind: MessageKind::Text,
            text: text.to_owned(),
            payload: None,
            extras: None,
            client_unique_id: None,
            posted_at: Timestamp(0),
            is_deleted: false,
        };
        let sender = User {
            key: UserKey(1),
            app: AppId(1),
            realm: Realm::App,
            user_id: UserId::from_stored("ana".to_owned()),
            username: "Ana".to_owned(),
            avatar_url: String::new(),
            extras: None,
            is_active: true,
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        };
        Arc::new(PostedMessage { message, sender: Arc::new(sender) })
    }

    fn page(of: &[&Arc<PostedMessage>]) -> Vec<PageEntry> {
        of.iter().map(|posted| PageEntry::Loaded(Arc::clone(posted))).collect()
    }

    fn texts(posted: &[Arc<PostedMessage>]) -> Vec<u8> {
        posted.iter().flat_map(|it| it.message.text.bytes()).collect()
    }

    /// Returns the response, and whether it was rendered.
    fn shown(pages: &PageCache, page: &[PageEntry]) -> (Bytes, bool) {
        let mut is_written = false;
        let answer = pages.answer(page, false, |posted| {
            is_written = true;
            texts(posted)
        });
        (answer.expect("an answer"), is_written)
    }

    #[test]
    fn the_same_page_is_rendered_once_and_a_changed_page_again() {
        let (pages, one, two) = (PageCache::default(), message(5, 1, "a"), message(5, 2, "b"));
        assert_eq!(shown(&pages, &page(&[&two, &one])), (Bytes::from("ba"), true));
        assert_eq!(shown(&pages, &page(&[&two, &one])), (Bytes::from("ba"), false));
        assert_eq!(shown(&pages, &page(&[&two])), (Bytes::from("b"), true), "a shorter page");
        let edited = message(5, 2, "c");
        assert_eq!(shown(&pages, &page(&[&edited, &one])), (Bytes::from("ca"), true));
        let alike = message(5, 2, "c");
        assert!(shown(&pages, &page(&[&alike, &one])).1, "equal text may hide other differences");
    }

    #[test]
    fn pages_with_and_without_extras_are_rendered_separately() {
        let (pages, one) = (PageCache::default(), message(5, 1, "a"));
        let answer = |has_extras, bytes: &'static [u8]| {
            let written = |_: &[Arc<PostedMessage>]| bytes.to_vec();
            pages.answer(&page(&[&one]), has_extras, written).expect("an answer")
        };
        assert_eq!(answer(false, b"plain"), "plain");
        assert_eq!(answer(true, b"extras"), "extras");
        assert_eq!(answer(false, b"anew"), "anew");
    }

    #[test]
    fn empty_pages_and_pages_with_deferred_messages_are_not_rendered() {
        let pages = PageCache::default();
        assert_eq!(pages.answer(&[], false, texts), None);
        let deferred = PageEntry::Deferred(page(&[&message(5, 1, "a")])[0].key());
        assert_eq!(pages.answer(&[deferred], false, texts), None);
    }

    #[test]
    fn the_cache_is_bounded_and_its_size_is_counted_exactly() {
        let (pages, text) = (PageCache::default(), "x".repeat(limits::FIRST_PAGE_BYTES_MAX));
        let count = || pages.bytes.load(Ordering::Relaxed);
        for room in 0..(limits::SHOWN_PAGES_BYTES_MAX / text.len()) as i64 {
            shown(&pages, &page(&[&message(room, 1, &text)]));
            assert!(count() <= limits::SHOWN_PAGES_BYTES_MAX);
        }
        assert_eq!(count(), 0, "a full cache is cleared");
        let larger = message(5, 1, &(text + "x"));
        assert!(shown(&pages, &page(&[&larger])).1);
        assert!(shown(&pages, &page(&[&larger])).1, "a large page is not cached");
        shown(&pages, &page(&[&message(5, 1, "a")]));
        let of_one = count();
        shown(&pages, &page(&[&message(5, 1, "b")]));
        assert_eq!(count(), of_one);
    }
}
