//! Pages of messages. Each page includes every commit that was answered before the read began.
//!
//! A page is read in one snapshot of the database. The in-memory index of message numbers may be
//! ahead of the snapshot: it may refer to a message that the snapshot lacks, or have evicted an
//! entry that the snapshot lacks. The page is then read again in a new snapshot, which has both.
//! Pages are found by index entries and by walking the deletions from the newest, without OFFSET.

use std::sync::Arc;

use confab_domain::ids::{AppId, MessageId, RoomId};
use confab_domain::limits;
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::people::user::User;
use confab_domain::rooms::room::{LastMessage, RoomRef};
use rusqlite::{CachedStatement, Connection, OptionalExtension};

use super::lookups::{MESSAGE_BY_ID, message_by_id, user_by_key};
use super::reads::{Reads, VIEWS_MAX, reading};
use crate::error::{Read, StoreError};
use crate::reading::pages::{MessageKey, PageBudget, PageEntry};
use crate::sql::texts;
use crate::sqlite::message_index::places::{NumberFrom, ROW_PLACES};
use crate::sqlite::message_index::places_on_disk;
use crate::tables::messages;

texts! {
    DELETIONS_FROM_NEWEST = "SELECT number FROM deletions WHERE room = $1 \
        ORDER BY number DESC";
}

impl Reads<'_> {
    pub(crate) fn page(
        &self,
        app: AppId,
        room: &RoomRef,
        skipped: u64,
        size: usize,
    ) -> Read<Option<Vec<PageEntry>>> {
        let Some(room) = self.room_id(app, room)? else {
            return Ok(None);
        };
        let is_first = skipped == 0;
        if is_first && let Some(page) = self.memory.first_pages.get(room, size) {
            return Ok(Some(page.into_iter().map(PageEntry::Loaded).collect()));
        }
        // Read before the snapshot, because events may be published after the snapshot was taken.
        let changes = self.memory.first_pages.changes(room);
        let page = || {
            let count = self.count(room)?;
            let numbers = self.live_numbers(room, count, skipped, size)?;
            self.load_messages(room, &numbers)
        };
        let page = reading("reading a page", self.in_one_view(page))?;
        let is_all = page.entries.len() < size;
        if is_first && page.is_whole && (is_all || size >= limits::PAGE_DEFAULT) {
            self.memory.first_pages.keep(room, changes, &page.entries, is_all);
        }
        Ok(Some(page.entries))
    }

    pub(crate) fn range(
        &self,
        app: AppId,
        room: &RoomRef,
        ids: (MessageId, MessageId),
        size: usize,
    ) -> Read<Option<Vec<PageEntry>>> {
        let Some(room) = self.room_id(app, room)? else {
            return Ok(None);
        };
        let range = || {
            let first = self.number_from(room, ids.0)?;
            let end = self.number_from(room, MessageId(ids.1.0.saturating_add(1)))?;
            let (Some(first), Some(end)) = (first, end) else { return Ok(PageRead::behind()) };
            let mut numbers = self.live_numbers(room, end - 1, 0, size)?;
            numbers.retain(|number| *number >= first);
            self.load_messages(room, &numbers)
        };
        let range = reading("reading a range", self.in_one_view(range))?;
        Ok(Some(range.entries))
    }

    /// Implements [`crate::Store::all_up_to`].
    pub(crate) fn all_up_to(
        &self,
        room: RoomId,
        newest: MessageId,
        size: usize,
    ) -> Read<Vec<PageEntry>> {
        let read = || {
            let end = self.number_from(room, MessageId(newest.0.saturating_add(1)))?;
            let Some(end) = end else { return Ok(PageRead::behind()) };
            let numbers: Vec<u64> = (1..end).rev().take(size).collect();
            self.load_messages(room, &numbers)
        };
        Ok(reading("reading a conversation", self.in_one_view(read))?.entries)
    }

    /// Implements [`crate::Store::all_after`].
    pub(crate) fn all_after(
        &self,
        room: RoomId,
        after: MessageId,
        size: usize,
    ) -> Read<Vec<PageEntry>> {
        let read = || {
            let first = self.number_from(room, MessageId(after.0.saturating_add(1)))?;
            let Some(first) = first else { return Ok(PageRead::behind()) };
            let numbers: Vec<u64> = (first..=self.count(room)?).take(size).collect();
            self.load_messages(room, &numbers)
        };
        Ok(reading("reading a conversation", self.in_one_view(read))?.entries)
    }

    pub(crate) fn chain(&self, room: RoomId) -> Read<Vec<Message>> {
        let chain = || -> rusqlite::Result<_> {
            let numbers: Vec<u64> = (1..=self.count(room)?).collect();
            let mut messages = Vec::with_capacity(numbers.len());
            for id in self.ids(room, &numbers)?.into_iter().flatten() {
                messages.extend(message_by_id(self.connection, id)?);
            }
            Ok(messages)
        };
        reading("reading a room", chain())
    }

    /// Implements [`crate::Store::messages`].
    pub(crate) fn messages(&self, keys: &[MessageKey]) -> Read<Vec<Arc<PostedMessage>>> {
        let doing = "reading messages";
        let mut found = Vec::new();
        let mut messages = reading(doing, MessageReader::new(self.connection))?;
        for key in keys {
            let posted = reading(doing, messages.load_message(key.id))?;
            // Deleted messages lose their content, not their row.
            found.push(posted.ok_or_else(|| StoreError::while_doing(doing)("a message is gone"))?);
            if messages.allowance.is_used_up() {
                break;
            }
        }
        Ok(found)
    }

    /// Reads in one snapshot, and again in a new one if the in-memory index was ahead of the first
    /// one.
    fn in_one_view(
        &self,
        read: impl Fn() -> rusqlite::Result<PageRead>,
    ) -> rusqlite::Result<PageRead> {
        let mut tries_left = VIEWS_MAX;
        loop {
            self.connection.prepare_cached("BEGIN")?.execute([])?;
            let page = read()?;
            self.connection.prepare_cached("COMMIT")?.execute([])?;
            tries_left -= 1;
            if page.is_whole || tries_left == 0 {
                return Ok(page);
            }
        }
    }

    /// Returns the number of messages that the room ever had.
    pub(crate) fn count(&self, room: RoomId) -> rusqlite::Result<u64> {
        let last = self.last(room)?;
        Ok(last.map_or(0, |last| last.number))
    }

    fn last(&self, room: RoomId) -> rusqlite::Result<Option<LastMessage>> {
        match self.memory.places.last(room) {
            Some(last) => Ok(last),
            None => places_on_disk::last(self.connection, room),
        }
    }

    /// Returns the numbers of at most `size` undeleted messages among the first `count`, newest
    /// first, after skipping `skipped`. Reads only the deletions that are newer than the end of the
    /// page.
    pub(crate) fn live_numbers(
        &self,
        room: RoomId,
        count: u64,
        skipped: u64,
        size: usize,
    ) -> rusqlite::Result<Vec<u64>> {
        let mut statement = self.connection.prepare_cached(DELETIONS_FROM_NEWEST.sqlite())?;
        let mut deletions = statement
            .query_map([room.0], |row| row.get::<_, i64>(0).map(|number| number as u64))?
            // Ignore deletions of messages that were posted after `count` was read.
            .filter(|number| !matches!(number, Ok(number) if *number > count))
            .peekable();
        let mut top = count.saturating_sub(skipped);
        while top > 0
            && let Some(deleted) = deletions.next_if(|next| !matches!(next, Ok(n) if *n < top))
        {
            deleted?;
            top -= 1;
        }
        let mut numbers = Vec::with_capacity(size);
        while top > 0 && numbers.len() < size {
            match deletions.next_if(|next| !matches!(next, Ok(number) if *number != top)) {
                Some(deleted) => drop(deleted?),
                None => numbers.push(top),
            }
            top -= 1;
        }
        Ok(numbers)
    }

    /// Returns the ids of the messages with these numbers; `None` where the snapshot lacks the
    /// index entry.
    pub(crate) fn ids(
        &self,
        room: RoomId,
        numbers: &[u64],
    ) -> rusqlite::Result<Vec<Option<MessageId>>> {
        let mut ids = self.memory.places.ids(room, numbers);
        let mut row: Option<(u64, Vec<i64>)> = None;
        for (number, id) in numbers.iter().zip(&mut ids).filter(|(_, id)| id.is_none()) {
            row = row.filter(|(first, _)| (*first..first + ROW_PLACES).contains(number));
            let (first, row_ids) = match &row {
                Some(row) => row,
                None => row.insert(places_on_disk::row_with(self.connection, room, *number)?),
            };
            *id = row_ids.get((number - first) as usize).copied();
        }
        Ok(ids.into_iter().map(|id| id.map(MessageId)).collect())
    }

    /// Returns the number of the first message whose id is at least this one, or one past the last
    /// number. `None` if the snapshot lacks index entries that were evicted from memory.
    pub(crate) fn number_from(&self, room: RoomId, id: MessageId) -> rusqlite::Result<Option<u64>> {
        let count = match self.memory.places.number_from(room, id) {
            NumberFrom::Known(number) => return Ok(Some(number)),
            NumberFrom::DiskBefore(number) => number - 1,
            NumberFrom::Disk => {
                places_on_disk::last(self.connection, room)?.map_or(0, |last| last.number)
            }
        };
        places_on_disk::number_from(self.connection, room, id, count)
    }

    /// Loads the messages with these numbers and their senders, up to the size limit of a page; the
    /// others are keys.
    pub(crate) fn load_messages(
        &self,
        room: RoomId,
        numbers: &[u64],
    ) -> rusqlite::Result<PageRead> {
        let mut page = PageRead { entries: Vec::with_capacity(numbers.len()), is_whole: true };
        let mut reading = MessageReader::new(self.connection)?;
        for (id, number) in self.ids(room, numbers)?.into_iter().zip(numbers) {
            // The snapshot may also lack the sender of a message that it lacks.
            let entry = match id {
                Some(id) if reading.allowance.is_used_up() => {
                    Some(PageEntry::Deferred(MessageKey { room, id, number: *number }))
                }
                Some(id) => reading.load_message(id)?.map(PageEntry::Loaded),
                None => None,
            };
            page.is_whole &= entry.is_some();
            page.entries.extend(entry);
        }
        Ok(page)
    }
}

pub(crate) struct PageRead {
    pub(crate) entries: Vec<PageEntry>,
    /// False if the in-memory index was ahead of the snapshot, so that messages are missing.
    pub(crate) is_whole: bool,
}

impl PageRead {
    /// Returns an empty page, for a snapshot that lacks index entries.
    fn behind() -> Self {
        Self { entries: Vec::new(), is_whole: false }
    }
}

/// Reads messages one by one. Messages of the same sender share one value.
pub(crate) struct MessageReader<'a> {
    connection: &'a Connection,
    by_id: CachedStatement<'a>,
    senders: Vec<Arc<User>>,
    pub(crate) allowance: PageBudget,
}

impl<'a> MessageReader<'a> {
    pub(crate) fn new(connection: &'a Connection) -> rusqlite::Result<Self> {
        let by_id = connection.prepare_cached(MESSAGE_BY_ID.sqlite())?;
        Ok(Self { connection, by_id, senders: Vec::new(), allowance: PageBudget::of_a_page() })
    }

    /// Reads a message; `None` if the snapshot lacks it or its sender.
    pub(crate) fn load_message(
        &mut self,
        id: MessageId,
    ) -> rusqlite::Result<Option<Arc<PostedMessage>>> {
        let found = self.by_id.query_row([id.0], |row| messages::row(row)).optional()?;
        let Some(message) = found else { return Ok(None) };
        let known = self.senders.iter().find(|sender| sender.key == message.sender).cloned();
        let sender = match known {
            Some(sender) => sender,
            None => {
                let Some(sender) = user_by_key(self.connection, message.sender)? else {
                    return Ok(None);
                };
                let sender = Arc::new(sender);
                self.allowance.take_sender(&sender);
                self.senders.push(sender.clone());
                sender
            }
        };
        self.allowance.take_message(&message);
        Ok(Some(Arc::new(PostedMessage { message, sender })))
    }
}
