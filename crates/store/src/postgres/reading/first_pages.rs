//! Cache of the first pages of rooms: the most frequent reads cost PostgreSQL only a lookup of a
//! few numbers (D-0165).
//!
//! A page is cached with the versions of its room and its senders, and is returned only if these
//! versions are unchanged at the time of the request. So it is as current as a page read from the
//! database, whichever node wrote last. Concurrent requests share a check: one task checks all
//! queued requests together, and later requests wait for its next turn.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use confab_domain::ids::{RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use parking_lot::RwLock;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_postgres::Row;

use crate::error::{Read, StoreError};
use crate::postgres::connections::connection::Params;
use crate::postgres::connections::readers::Readers;
use crate::postgres::nodes::node::UNVERSIONED_COMMITS;
use crate::reading::first_page::FirstPage;
use crate::reading::pages::PageEntry;
use crate::sql::{Row as _, statements};

statements! {
    ROOM_VERSIONS = "SELECT id, last_message, version FROM rooms WHERE id = ANY ($1)";
    USER_VERSIONS = "SELECT id, version FROM users WHERE id = ANY ($1)";
}

/// Time after which the next turn of checks starts even if the previous turn has no answer yet.
const TURN_MAX: Duration = Duration::from_millis(100);

const CHECKING: &str = "checking first pages";
const ENDED: &str = "the checker of first pages has ended";

/// First pages of recently read rooms.
pub(crate) struct FirstPages {
    kept: Arc<PageCache>,
    asked: mpsc::Sender<AskedPage>,
}

/// A request for a page that may be cached.
struct AskedPage {
    room: RoomId,
    answer: oneshot::Sender<Read<Option<Arc<CachedPage>>>>,
}

/// The cached pages, to which the writer adds messages.
#[derive(Default)]
pub(crate) struct PageCache {
    pages: RwLock<Pages>,
    /// Last seen count of commits by nodes that raise no versions. A page is cached with the count
    /// from before its read.
    unversioned_commits: AtomicI64,
}

#[derive(Default)]
struct Pages {
    rooms: HashMap<RoomId, Arc<CachedPage>>,
    /// Total memory of the cached messages in bytes.
    bytes: usize,
}

#[derive(Clone)]
struct CachedPage {
    page: FirstPage,
    version: PageVersion,
    /// Senders of the page's messages, with the versions of their profiles.
    senders: Vec<(UserKey, i64)>,
}

/// Version of a page. If it is unchanged, so are the messages of the page.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PageVersion {
    last_message: i64,
    room: i64,
    unversioned_commits: i64,
}

/// Versions of rooms and users in the database, as read by a check.
struct Versions {
    rooms: HashMap<RoomId, (i64, i64)>,
    users: HashMap<UserKey, i64>,
    unversioned_commits: i64,
}

impl FirstPages {
    /// Starts the checking task, which ends when this value is dropped.
    pub(crate) fn start(readers: Arc<Readers>, kept: Arc<PageCache>) -> Self {
        let (asked, mut waiting) = mpsc::channel(limits::FIRST_PAGES_ASKED_MAX);
        let pages = kept.clone();
        tokio::spawn(async move {
            let mut turn = Vec::new();
            while waiting.recv_many(&mut turn, limits::FIRST_PAGES_ASKED_MAX).await > 0 {
                let turn = std::mem::take(&mut turn);
                let mut checking = Box::pin(check(readers.clone(), pages.clone(), turn));
                // One silent connection must not block requests that another connection can answer.
                if timeout(TURN_MAX, &mut checking).await.is_err() {
                    tokio::spawn(checking);
                }
            }
        });
        Self { kept, asked }
    }

    /// Returns the `size` newest messages, newest first, if they are cached and unchanged in the
    /// database.
    pub(crate) async fn get(&self, room: RoomId, size: usize) -> Read<Option<Vec<PageEntry>>> {
        if !self.kept.has(room, size) {
            return Ok(None);
        }
        let (answer, answered) = oneshot::channel();
        let asked = self.asked.send(AskedPage { room, answer }).await;
        asked.map_err(|_| StoreError::while_doing(CHECKING)(ENDED))?;
        let current = answered.await.map_err(|_| StoreError::while_doing(CHECKING)(ENDED))??;
        let posted = current.and_then(|kept| kept.page.newest(size));
        Ok(posted.map(|posted| posted.into_iter().map(PageEntry::Loaded).collect()))
    }

    /// Returns the count of commits without versions. Callers read it before they read the page
    /// that they pass to [`Self::keep`].
    pub(crate) fn unversioned_commits(&self) -> i64 {
        self.kept.unversioned_commits.load(Ordering::Acquire)
    }

    /// Caches a first page that was read from the database, newest message first. Each row ends
    /// with the versions of its sender and of the room, and the room's last message.
    pub(crate) fn keep(
        &self,
        rows: &[Row],
        page: &[PageEntry],
        is_all: bool,
        unversioned_commits: i64,
    ) -> Read<()> {
        let (Some(first), Some(newest)) = (rows.first(), page.first()) else { return Ok(()) };
        let Some(kept) = FirstPage::of(page, is_all) else { return Ok(()) };
        let versions = first.len() - VERSION_COLUMNS;
        let [room, last_message] = [first.number(versions + 1)?, first.number(versions + 2)?];
        let mut senders = Vec::new();
        for (row, entry) in rows.iter().zip(page).take(limits::PAGE_DEFAULT) {
            let sender = entry.loaded().map(|posted| posted.sender.key);
            let version = row.number(versions)?;
            senders.extend(sender.map(|sender| (sender, version)));
        }
        senders.sort_unstable();
        senders.dedup();
        let version = PageVersion { last_message, room, unversioned_commits };
        self.kept.keep(newest.key().room, CachedPage { page: kept, version, senders });
        Ok(())
    }
}

/// Number of columns after those of the sender in a row of a first page.
const VERSION_COLUMNS: usize = 3;

/// Reads the versions of all requested pages with one set of statements, and answers the requests.
async fn check(readers: Arc<Readers>, kept: Arc<PageCache>, turn: Vec<AskedPage>) {
    let mut rooms: Vec<i64> = turn.iter().map(|asked| asked.room.0).collect();
    rooms.sort_unstable();
    rooms.dedup();
    let senders = kept.senders_in(&rooms);
    let asked = [
        (UNVERSIONED_COMMITS.postgres(), &[] as Params<'_>),
        (ROOM_VERSIONS.postgres(), &[&rooms]),
        (USER_VERSIONS.postgres(), &[&senders]),
    ];
    let answers = readers.query_all(CHECKING, &asked).await;
    let versions = answers.and_then(|answers| Versions::read(&answers));
    let versions = versions.map_err(|error| error.fault());
    if let Ok(versions) = &versions {
        kept.unversioned_commits.store(versions.unversioned_commits, Ordering::Release);
    }
    for AskedPage { room, answer } in turn {
        let current = match &versions {
            Ok(versions) => Ok(kept.current(room, versions)),
            Err(fault) => Err(StoreError::while_doing(CHECKING)(fault.clone())),
        };
        // The caller may be gone.
        let _ = answer.send(current);
    }
}

impl Versions {
    fn read(answers: &[Vec<Row>]) -> Read<Self> {
        let [commits, rooms, users] = answers else {
            return Err(StoreError::while_doing(CHECKING)("an answer is missing"));
        };
        let mut versions = Self {
            rooms: HashMap::with_capacity(rooms.len()),
            users: HashMap::with_capacity(users.len()),
            unversioned_commits: commits[0].number(0)?,
        };
        for row in rooms {
            versions.rooms.insert(RoomId(row.number(0)?), (row.number(1)?, row.number(2)?));
        }
        for row in users {
            versions.users.insert(UserKey(row.number(0)?), row.number(1)?);
        }
        Ok(versions)
    }

    fn are_of(&self, room: RoomId, kept: &CachedPage) -> bool {
        let Some((last_message, version)) = self.rooms.get(&room).copied() else { return false };
        let unversioned_commits = self.unversioned_commits;
        kept.version == PageVersion { last_message, room: version, unversioned_commits }
            && kept.senders.iter().all(|(user, version)| self.users.get(user) == Some(version))
    }
}

impl PageCache {
    fn has(&self, room: RoomId, size: usize) -> bool {
        self.pages.read().rooms.get(&room).is_some_and(|kept| kept.page.has(size))
    }

    /// Returns the senders in the cached pages of these rooms, without duplicates.
    fn senders_in(&self, rooms: &[i64]) -> Vec<i64> {
        let pages = self.pages.read();
        let kept = rooms.iter().filter_map(|room| pages.rooms.get(&RoomId(*room)));
        let senders = kept.flat_map(|kept| kept.senders.iter().map(|(user, _)| user.0));
        let mut senders: Vec<i64> = senders.collect();
        senders.sort_unstable();
        senders.dedup();
        senders
    }

    fn current(&self, room: RoomId, versions: &Versions) -> Option<Arc<CachedPage>> {
        let pages = self.pages.read();
        pages.rooms.get(&room).filter(|kept| versions.are_of(room, kept)).cloned()
    }

    fn keep(&self, room: RoomId, page: CachedPage) {
        let mut pages = self.pages.write();
        pages.remove(room);
        if pages.bytes + page.page.bytes() > limits::FIRST_PAGES_BYTES_MAX {
            *pages = Pages::default();
        }
        pages.bytes += page.page.bytes();
        pages.rooms.insert(room, Arc::new(page));
    }

    /// Adds a committed message to the cached page of its room. Evicts the page if the message does
    /// not directly follow its last one, or if the page has no message with the current profile of
    /// the sender.
    pub(crate) fn posted(&self, posted: &Arc<PostedMessage>) {
        let room = posted.message.room;
        if !self.pages.read().rooms.contains_key(&room) {
            return;
        }
        let mut pages = self.pages.write();
        let Some(mut kept) = pages.remove(room) else { return };
        let last_message = posted.message.before.map_or(0, |before| before.0);
        if kept.version.last_message != last_message || !kept.page.knows(&posted.sender) {
            return;
        }
        let page = Arc::make_mut(&mut kept);
        page.page.push(posted.clone());
        page.version.last_message = posted.message.id.0;
        if !kept.page.is_large() {
            pages.bytes += kept.page.bytes();
            pages.rooms.insert(room, kept);
        }
    }
}

impl Pages {
    fn remove(&mut self, room: RoomId) -> Option<Arc<CachedPage>> {
        let kept = self.rooms.remove(&room)?;
        self.bytes -= kept.page.bytes();
        Some(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::first_page::example;

    fn message(room: i64, id: i64, text: &str) -> Arc<PostedMessage> {
        example::message(RoomId(room), id, text)
    }

    /// Caches a page of one message.
    fn keep(pages: &PageCache, room: i64, text: &str) {
        let page = FirstPage::of(&[PageEntry::Loaded(message(room, 1, text))], true);
        let page = page.expect("not too large");
        let version = PageVersion { last_message: 1, room: 0, unversioned_commits: 0 };
        pages.keep(RoomId(room), CachedPage { page, version, senders: vec![(UserKey(1), 0)] });
    }

    fn bytes(pages: &PageCache) -> (usize, usize) {
        let pages = pages.pages.read();
        let kept: usize = pages.rooms.values().map(|kept| kept.page.bytes()).sum();
        (pages.bytes, kept)
    }

    #[test]
    fn the_cache_is_bounded_and_its_size_is_counted_exactly() {
        let (pages, text) = (PageCache::default(), "x".repeat(100_000));
        for room in 0..1000 {
            keep(&pages, room, &text);
            keep(&pages, room, &text);
            pages.posted(&message(room, 2, "more"));
            let (counted, kept) = bytes(&pages);
            assert_eq!(counted, kept);
            assert!(counted <= limits::FIRST_PAGES_BYTES_MAX + text.len(), "{counted} bytes");
        }
        assert!(pages.has(RoomId(999), 2) && !pages.has(RoomId(0), 1));
    }

    #[test]
    fn a_cached_page_accepts_only_the_message_after_its_last_one() {
        let pages = PageCache::default();
        keep(&pages, 5, "hello");
        pages.posted(&message(5, 2, "next"));
        let last = |pages: &PageCache| Some(pages.pages.read().rooms.get(&RoomId(5))?.version);
        assert_eq!(last(&pages).map(|version| version.last_message), Some(2));
        pages.posted(&message(5, 4, "one is missing"));
        assert!(last(&pages).is_none(), "the page must be read again");
        keep(&pages, 5, "hello");
        pages.posted(&message(5, 2, &"x".repeat(limits::FIRST_PAGE_BYTES_MAX)));
        assert!(last(&pages).is_none(), "the page is too large");
        assert_eq!(bytes(&pages), (0, 0));
    }
}
