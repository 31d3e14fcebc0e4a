//! Reads across all rooms of a user, each in one snapshot of the database.
//!
//! The in-memory index may be ahead of the snapshot (see [`super::pages`]): a page ends before the
//! first message that the index refers to and the snapshot lacks, so that a client that continues
//! from the last id misses nothing.

use std::sync::Arc;

use confab_domain::ids::{EventId, MessageId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::room_event::{Receipt, RoomEvent, RoomEventKind};
use confab_domain::rooms::room::Room;
use rusqlite::{OptionalExtension, Result};

use super::lookups::{message_by_id, room_of_any_app, user_by_key};
use super::pages::MessageReader;
use super::reads::{Reads, VIEWS_MAX, reading};
use crate::error::Read;
use crate::reading::pages::{MessageKey, PageEntry};
use crate::sql::{Ask, Row, ValueRow, texts, values};
use crate::sqlite::connections::values;
use crate::tables::room_events::{self, HAPPENED_AT, RoomEventPage};

// Changes of messages are read as keys first, and then loaded up to the size limit.
texts! {
    HAPPENED_KEYS = "SELECT e.room, e.id \
        FROM participants p JOIN events e ON e.room = p.room AND e.id > $2 \
        LEFT JOIN messages m ON m.room = e.room AND m.id = e.message AND e.kind = 'edited' \
        WHERE p.user_key = $1 AND (e.kind <> 'cleared' OR e.actor = $1) \
        AND (e.kind <> 'edited' OR (m.is_deleted = 0 AND m.number > p.cleared_number \
        AND NOT EXISTS (SELECT 1 FROM hidden_messages h WHERE h.room = p.room \
        AND h.user_key = $1 AND h.number = m.number))) ORDER BY e.id LIMIT $3";
    // Includes rooms that an agent served, up to the end of their service.
    ROOMS_WITH_CLEARED = "SELECT r.id, r.last_message, p.cleared_number, NULL \
        FROM participants p JOIN rooms r ON r.id = p.room WHERE p.user_key = $1 UNION ALL \
        SELECT r.id, r.last_message, 0, s.until_message \
        FROM served_rooms s JOIN rooms r ON r.id = s.room \
        WHERE s.agent = $1 AND s.until_message > $2 \
        AND NOT EXISTS (SELECT 1 FROM participants p WHERE p.room = s.room AND p.user_key = $1)";
    DELETIONS_FROM = "SELECT number FROM deletions WHERE room = $1 AND number >= $2 \
        ORDER BY number";
    RECEIPTS_AFTER = "SELECT o.room, o.user_key, o.read_number, o.read_event AS event, \
        1 FROM participants p JOIN participants o ON o.room = p.room \
        WHERE p.user_key = $1 AND o.read_event > $2 UNION ALL \
        SELECT o.room, o.user_key, o.received_number, o.received_event, 0 \
        FROM participants p JOIN participants o ON o.room = p.room WHERE p.user_key = $1 \
        AND o.received_event > $2 AND o.received_event <> o.read_event ORDER BY event LIMIT $3";
    RECEIPT_AT = "SELECT room, user_key, read_number, read_event, 1 FROM participants \
        WHERE room = $1 AND read_event = $2 UNION ALL \
        SELECT room, user_key, received_number, received_event, 0 FROM participants \
        WHERE room = $1 AND received_event = $2 AND received_event <> read_event LIMIT 1";
}

/// Position up to which a user read or received messages in a room, and the event that set it.
struct ReceiptMark {
    room: RoomId,
    user: UserKey,
    number: u64,
    event: EventId,
    is_read: bool,
}

/// Messages of a room that a user sees: after the cleared ones, and up to the end of their service
/// if the user is an agent who left.
struct SeenStretch {
    room: RoomId,
    cleared: u64,
    until: MessageId,
}

impl Reads<'_> {
    pub(crate) fn messages_after(
        &self,
        user: UserKey,
        after: MessageId,
        size: usize,
    ) -> Read<Vec<PageEntry>> {
        let read = self.in_a_view(|| self.entries_after(user, after, size));
        reading("reading messages", read)
    }

    pub(crate) fn events_after(
        &self,
        user: UserKey,
        after: EventId,
        size: usize,
        has_messages: bool,
    ) -> Read<RoomEventPage> {
        let read = self.in_a_view(|| {
            let posted = match has_messages {
                true => self.entries_after(user, MessageId(after.0), size)?,
                false => Some(Vec::new()),
            };
            let Some(posted) = posted else { return Ok(None) };
            let changes = self.happened_rows(user, after, size)?;
            Ok(Some((posted, changes, self.receipts_after(user, after, size)?)))
        });
        let (posted, (rows, next), mut events) = reading("reading the history", read)?;
        // The first entry not loaded for its size, and everything after it, is left to the next
        // page.
        let deferred = posted.iter().find(|entry| entry.loaded().is_none());
        let deferred = deferred.map(|entry| EventId(entry.key().id.0));
        let end = deferred.into_iter().chain(next).min();
        for row in &rows {
            events.push(room_events::row(row)?);
        }
        events.extend(reading("reading messages", self.events_of_page(&posted))?);
        events.sort_by_key(|event| event.id);
        let has_more = events.len() >= size || end.is_some();
        events.truncate(size);
        events.retain(|event| end.is_none_or(|end| event.id < end));
        Ok(RoomEventPage { events, has_more })
    }

    /// Returns event rows of changed messages, and the id of the first event that is not loaded
    /// because of the size limit.
    fn happened_rows(
        &self,
        user: UserKey,
        after: EventId,
        size: usize,
    ) -> Result<(Vec<ValueRow>, Option<EventId>)> {
        let keys = Ask::new(&HAPPENED_KEYS, values![user.0, after.0, size as i64]);
        let (mut rows, mut bytes) = (Vec::new(), 0);
        for key in values::query(self.connection, &keys)? {
            let (Ok(room), Ok(id)) = (key.number(0), key.number(1)) else { continue };
            if bytes >= limits::REALTIME_MISSED_READ_BYTES {
                return Ok((rows, Some(EventId(id))));
            }
            let found = values::query(self.connection, &Ask::new(&HAPPENED_AT, values![room, id]))?;
            bytes += found.iter().map(ValueRow::bytes).sum::<usize>();
            rows.extend(found);
        }
        Ok((rows, None))
    }

    pub(crate) fn following(
        &self,
        room: RoomId,
        after: MessageId,
        number: u64,
        size: usize,
    ) -> Read<Vec<PageEntry>> {
        let read = self.in_a_view(|| {
            let Some(first) = self.number_from(room, MessageId(after.0.saturating_add(1)))? else {
                return Ok(None);
            };
            let shown = |_| true;
            let numbers = self.live_numbers_from(room, first.max(number + 1), size, shown)?;
            let page = self.load_messages(room, &numbers)?;
            Ok(page.is_whole.then_some(page.entries))
        });
        reading("reading the following messages", read)
    }

    pub(crate) fn events_in(
        &self,
        room: RoomId,
        after: EventId,
        size: usize,
    ) -> Read<RoomEventPage> {
        let posted = self.following(room, MessageId(after.0), 0, size)?;
        let has_more = posted.len() >= size || posted.iter().any(|entry| entry.loaded().is_none());
        let events = reading("reading messages", self.events_of_page(&posted))?;
        Ok(RoomEventPage { events, has_more })
    }

    /// Converts the messages of a page to events, up to the first one that is not loaded.
    fn events_of_page(&self, page: &[PageEntry]) -> Result<Vec<RoomEvent>> {
        let (mut events, mut rooms) = (Vec::with_capacity(page.len()), Vec::new());
        for posted in page.iter().map_while(PageEntry::loaded) {
            let Some(room) = self.room_of(&mut rooms, posted.message.room)? else { break };
            let id = EventId(posted.message.id.0);
            events.push(RoomEvent {
                id,
                room: room.id,
                what: RoomEventKind::Posted { posted, room },
            });
        }
        Ok(events)
    }

    pub(crate) fn receipt_at(&self, room: RoomId, id: EventId) -> Read<Option<RoomEvent>> {
        let read = || -> Result<Option<RoomEvent>> {
            let mut statement = self.connection.prepare_cached(RECEIPT_AT.sqlite())?;
            let mark = statement.query_row([room.0, id.0], |row| self.mark(row)).optional()?;
            mark.map_or(Ok(None), |mark| self.receipt(&mark))
        };
        reading("reading a receipt", read())
    }

    /// Reads in one snapshot. Retries if the snapshot lacks positions of messages that were evicted
    /// from memory; after several attempts returns nothing, and the client asks again.
    fn in_a_view<T: Default>(&self, read: impl Fn() -> Result<Option<T>>) -> Result<T> {
        for _ in 0..VIEWS_MAX {
            self.connection.prepare_cached("BEGIN")?.execute([])?;
            let found = read();
            self.connection.prepare_cached("COMMIT")?.execute([])?;
            if let Some(found) = found? {
                return Ok(found);
            }
        }
        Ok(T::default())
    }

    fn entries_after(
        &self,
        user: UserKey,
        after: MessageId,
        size: usize,
    ) -> Result<Option<Vec<PageEntry>>> {
        let mut places: Vec<(MessageId, RoomId, u64)> = Vec::new();
        for SeenStretch { room, cleared, until } in self.rooms_newer_than(user, after)? {
            let Some(first) = self.number_from(room, MessageId(after.0.saturating_add(1)))? else {
                return Ok(None);
            };
            let hidden = self.hidden(room, user)?;
            let shown = |number| !hidden.contains(&number);
            let numbers = self.live_numbers_from(room, first.max(cleared + 1), size, shown)?;
            for (id, number) in self.ids(room, &numbers)?.into_iter().zip(numbers) {
                let Some(id) = id else { return Ok(None) };
                if id <= until {
                    places.push((id, room, number));
                }
            }
            // Keep at most `size` places while going through the rooms.
            places.sort_unstable();
            places.truncate(size);
        }
        let mut entries = Vec::with_capacity(places.len());
        let mut reading = MessageReader::new(self.connection)?;
        for (id, room, number) in places {
            if reading.allowance.is_used_up() {
                entries.push(PageEntry::Deferred(MessageKey { room, id, number }));
                continue;
            }
            // From here on memory is ahead of the snapshot.
            let Some(posted) = reading.load_message(id)? else { break };
            if !posted.message.is_deleted {
                entries.push(PageEntry::Loaded(posted));
            }
        }
        Ok(Some(entries))
    }

    /// Returns the rooms of a user with messages after this one, each with the range that the user
    /// sees.
    fn rooms_newer_than(&self, user: UserKey, after: MessageId) -> Result<Vec<SeenStretch>> {
        let mut statement = self.connection.prepare_cached(ROOMS_WITH_CLEARED.sqlite())?;
        let mut rows = statement.query([user.0, after.0])?;
        let mut newer = Vec::new();
        while let Some(row) = rows.next()? {
            let room = RoomId(row.get(0)?);
            let in_memory = self.memory.places.last(room).flatten().map(|last| last.id.0);
            let last: i64 = in_memory.map_or_else(|| row.get(1), Ok)?;
            if last > after.0 {
                let (cleared, until) = (row.get::<_, i64>(2)?, row.get::<_, Option<i64>>(3)?);
                let until = MessageId(until.unwrap_or(i64::MAX));
                newer.push(SeenStretch { room, cleared: cleared as u64, until });
            }
        }
        Ok(newer)
    }

    /// Returns the numbers of at most `size` messages, starting at `first` and oldest first,
    /// without those that are deleted or rejected by `is_shown`.
    fn live_numbers_from(
        &self,
        room: RoomId,
        first: u64,
        size: usize,
        is_shown: impl Fn(u64) -> bool,
    ) -> Result<Vec<u64>> {
        let count = self.count(room)?;
        let mut statement = self.connection.prepare_cached(DELETIONS_FROM.sqlite())?;
        let mut deletions = statement.query([room.0, first as i64])?;
        let mut next_deletion = || -> Result<Option<u64>> {
            Ok(deletions.next()?.map(|row| row.get::<_, i64>(0)).transpose()?.map(|n| n as u64))
        };
        let (mut numbers, mut deleted) = (Vec::new(), next_deletion()?);
        for number in first..=count {
            if numbers.len() == size {
                break;
            }
            if deleted == Some(number) {
                deleted = next_deletion()?;
            } else if is_shown(number) {
                numbers.push(number);
            }
        }
        Ok(numbers)
    }

    fn room_of(&self, known: &mut Vec<Arc<Room>>, room: RoomId) -> Result<Option<Arc<Room>>> {
        if let Some(known) = known.iter().find(|known| known.id == room) {
            return Ok(Some(known.clone()));
        }
        let found = room_of_any_app(self.connection, room)?.map(Arc::new);
        known.extend(found.clone());
        Ok(found)
    }

    fn receipts_after(&self, user: UserKey, after: EventId, size: usize) -> Result<Vec<RoomEvent>> {
        let mut statement = self.connection.prepare_cached(RECEIPTS_AFTER.sqlite())?;
        let marks = statement.query_map([user.0, after.0, size as i64], |row| self.mark(row))?;
        let mut events = Vec::new();
        for mark in marks {
            events.extend(self.receipt(&mark?)?);
        }
        Ok(events)
    }

    fn mark(&self, row: &rusqlite::Row<'_>) -> Result<ReceiptMark> {
        let (room, user) = (RoomId(row.get(0)?), UserKey(row.get(1)?));
        let (number, is_read) = (row.get::<_, i64>(2)? as u64, row.get(4)?);
        // A post marks as read, and is written with a delay.
        let posted = if is_read { self.memory.places.own_post(room, user) } else { 0 };
        Ok(ReceiptMark {
            room,
            user,
            number: number.max(posted),
            event: EventId(row.get(3)?),
            is_read,
        })
    }

    /// Returns the receipt of a mark, which names the newest undeleted message up to the mark.
    fn receipt(&self, mark: &ReceiptMark) -> Result<Option<RoomEvent>> {
        let ReceiptMark { room, user, number, event, is_read } = *mark;
        let count = self.count(room)?.min(number);
        let numbers = self.live_numbers(room, count, 0, 1)?;
        let Some(id) = self.ids(room, &numbers)?.pop().flatten() else { return Ok(None) };
        let (Some(message), Some(by)) =
            (message_by_id(self.connection, id)?, user_by_key(self.connection, user)?)
        else {
            return Ok(None);
        };
        let (unique_id, number) = (message.unique_id(), message.number);
        let receipt = Receipt { by: Arc::new(by), message: id, unique_id, number };
        let what =
            if is_read { RoomEventKind::Read(receipt) } else { RoomEventKind::Received(receipt) };
        Ok(Some(RoomEvent { id: event, room, what }))
    }
}
