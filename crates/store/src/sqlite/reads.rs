//! The reads. Each sees every commit that was answered before it began.
//!
//! A page is read in one view of the database. Memory may be ahead of that view: it names a message
//! that the view does not have yet, or has let go of a place that the view does not have yet. Then
//! the page is read again in a new view, which has both.

mod client_rooms;

use std::cmp::Reverse;
use std::sync::Arc;

use confab_domain::app::{App, AppCode};
use confab_domain::ids::{AppId, DeliveryId, EndpointId, MessageId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::message::{Message, Said};
use confab_domain::people::user::{User, UserId};
use confab_domain::rooms::room::{LastMessage, Room, RoomRef};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{
    Attempt, Backlog, Delivery, Lane, Listed, Pending, Progress,
};
use confab_domain::webhooks::endpoint::Endpoint;
use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use super::facts::{message_by_id, room_by_ref, user_by_id, user_by_key, users_named};
use super::places::{NumberFrom, ROW_PLACES};
use super::{places_on_disk, rows, values};
use crate::error::StoreError;
use crate::listing::{DeliveryListing, End, LoggedAttempt, Mark, RoomListing, UserListing};
use crate::pages::{Allowance, MessageKey, PageEntry};
use crate::secrets::sealer::{Place, Sealer};
use crate::sql::as_offset;
use crate::sql::{Ask, ValueRow};
use crate::sqlite::readers_memory::ReadersMemory;
use crate::statements::{self as sql, listed_users};

/// A connection, and what is known in memory.
pub(crate) struct Reads<'a> {
    pub(super) connection: &'a Connection,
    pub(super) memory: &'a ReadersMemory,
    pub(super) sealer: &'a Sealer,
}

pub(super) type Read<T> = Result<T, StoreError>;

pub(super) fn reading<T>(doing: &'static str, result: rusqlite::Result<T>) -> Read<T> {
    result.map_err(StoreError::while_doing(doing))
}

impl Reads<'_> {
    /// Runs a statement that is written for both engines.
    pub(crate) fn asked(&self, ask: &Ask) -> Read<Vec<ValueRow>> {
        reading("reading", values::query(self.connection, ask))
    }

    pub(crate) fn check(&self) -> Read<()> {
        let row = self.connection.query_row("SELECT 1", [], |_| Ok(()));
        reading("checking the database", row)
    }

    pub(crate) fn app(&self, code: &AppCode) -> Read<Option<App>> {
        reading(
            "reading an app",
            || -> rusqlite::Result<_> {
                let mut statement = self.connection.prepare_cached(sql::APP_BY_CODE.sqlite())?;
                statement.query_row([code.as_str()], |row| rows::app(row, self.sealer)).optional()
            }(),
        )
    }

    pub(crate) fn app_by_id(&self, app: AppId) -> Read<Option<App>> {
        let read = || -> rusqlite::Result<_> {
            let mut statement = self.connection.prepare_cached(sql::APP_BY_ID.sqlite())?;
            statement.query_row([app.0], |row| rows::app(row, self.sealer)).optional()
        };
        reading("reading an app", read())
    }

    pub(crate) fn first_app(&self) -> Read<Option<App>> {
        let read = || -> rusqlite::Result<_> {
            let mut statement = self.connection.prepare_cached(sql::FIRST_APP.sqlite())?;
            statement.query_row([], |row| rows::app(row, self.sealer)).optional()
        };
        reading("reading the first app", read())
    }

    pub(crate) fn room(&self, app: AppId, room: &RoomRef) -> Read<Option<Room>> {
        reading("reading a room", room_by_ref(self.connection, app, room))
    }

    pub(crate) fn rooms(&self, app: AppId, rooms: &[RoomRef]) -> Read<Vec<Room>> {
        let mut found: Vec<Room> = Vec::new();
        for room in rooms {
            // Two references may name one room.
            let room = self.room(app, room)?;
            found.extend(room.filter(|room| found.iter().all(|other| other.id != room.id)));
        }
        Ok(found)
    }

    pub(crate) fn user(&self, app: AppId, user: &UserId) -> Read<Option<User>> {
        reading("reading a user", user_by_id(self.connection, app, user))
    }

    pub(crate) fn token(&self, app: AppId, user: &UserId) -> Read<Option<String>> {
        reading(
            "reading a token",
            || -> rusqlite::Result<_> {
                let mut statement = self.connection.prepare_cached(sql::TOKEN_OF_USER.sqlite())?;
                let token = |row: &rusqlite::Row<'_>| {
                    rows::opened(row, 1, self.sealer, Place::UserToken(row.get(0)?))
                };
                statement.query_row(params![app.0, user.as_str()], token).optional()
            }(),
        )
    }

    pub(crate) fn page(
        &self,
        app: AppId,
        room: &RoomRef,
        skipped: u64,
        size: usize,
    ) -> Read<Option<Vec<PageEntry>>> {
        let Some(room) = reading("finding a room", self.room_id(app, room))? else {
            return Ok(None);
        };
        let is_first = skipped == 0;
        if is_first && let Some(page) = self.memory.first_pages.get(room, size) {
            return Ok(Some(page.into_iter().map(PageEntry::Loaded).collect()));
        }
        // Asked before the view is opened: what is published later may be missing from the view.
        let changes = self.memory.first_pages.changes(room);
        let page = || {
            let count = self.count(room)?;
            let numbers = self.live_numbers(room, count, skipped, size)?;
            self.said(room, &numbers)
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
        let Some(room) = reading("finding a room", self.room_id(app, room))? else {
            return Ok(None);
        };
        let range = || {
            let first = self.number_from(room, ids.0)?;
            let end = self.number_from(room, MessageId(ids.1.0.saturating_add(1)))?;
            let (Some(first), Some(end)) = (first, end) else { return Ok(Page::behind()) };
            let mut numbers = self.live_numbers(room, end - 1, 0, size)?;
            numbers.retain(|number| *number >= first);
            self.said(room, &numbers)
        };
        let range = reading("reading a range", self.in_one_view(range))?;
        Ok(Some(range.entries))
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

    /// Which room the app means.
    fn room_id(&self, app: AppId, asked: &RoomRef) -> rusqlite::Result<Option<RoomId>> {
        if let Some(room) = self.memory.room_names.get(app, asked) {
            return Ok(Some(room));
        }
        let found = room_by_ref(self.connection, app, asked)?;
        if let Some(room) = &found {
            self.memory.room_names.keep(app, asked, room);
        }
        Ok(found.map(|room| room.id))
    }

    /// Reads in one view of the database; again where memory was ahead of the view.
    fn in_one_view(&self, read: impl Fn() -> rusqlite::Result<Page>) -> rusqlite::Result<Page> {
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

    pub(crate) fn participants(
        &self,
        app: AppId,
        room: &RoomRef,
        skipped: u64,
        size: usize,
    ) -> Read<Option<Vec<User>>> {
        let Some(room) = self.room(app, room)? else { return Ok(None) };
        let participants = || -> rusqlite::Result<Vec<User>> {
            let mut statement = self.connection.prepare_cached(sql::PARTICIPANTS.sqlite())?;
            let page = [room.id.0, size as i64, as_offset(skipped)];
            statement.query_map(page, rows::user)?.collect()
        };
        reading("reading participants", participants()).map(Some)
    }

    pub(crate) fn unread(
        &self,
        app: AppId,
        user: &UserId,
        rooms: &[RoomRef],
    ) -> Read<Option<Vec<(RoomId, u64)>>> {
        let mut named = reading("reading users", users_named(self.connection, app, user))?;
        if named.is_empty() {
            return Ok(None);
        }
        let mut counts = Vec::new();
        for room in self.rooms(app, rooms)? {
            named.sort_by_key(|user| Reverse(room.rank_of(user)));
            for user in &named {
                let unread =
                    reading("counting unread messages", self.unread_in(room.id, user.key))?;
                if let Some(unread) = unread {
                    counts.push((room.id, unread));
                    break;
                }
            }
        }
        Ok(Some(counts))
    }

    pub(crate) fn unread_in_all(&self, user: UserKey) -> Read<u64> {
        let total = || -> rusqlite::Result<u64> {
            let mut total = 0;
            for room in self.rooms_of(user)? {
                total += self.unread_in(room.id, user)?.unwrap_or(0);
            }
            Ok(total)
        };
        reading("counting unread messages", total())
    }

    pub(crate) fn user_rooms(
        &self,
        app: AppId,
        user: UserKey,
        listing: RoomListing,
    ) -> Read<(Vec<Room>, u64)> {
        let mut rooms = reading("listing rooms", self.rooms_of(user))?;
        rooms.retain(|room| room.app == app);
        rooms.retain(|room| listing.kind.is_none_or(|kind| room.kind == kind));
        rooms.sort_by_key(|room| Reverse((room.last_message, room.id)));
        let total = rooms.len() as u64;
        let skipped = usize::try_from(listing.skipped).unwrap_or(usize::MAX);
        let page = rooms.iter().skip(skipped).take(listing.size);
        let refs: Vec<_> = page.map(|room| RoomRef::Id(room.id)).collect();
        Ok((self.rooms(app, &refs)?, total))
    }

    pub(crate) fn users(&self, app: AppId, listing: UserListing) -> Read<(Vec<User>, u64)> {
        let users = || -> rusqlite::Result<_> {
            let least_active = i64::from(!listing.shows_all);
            let total: i64 = self
                .connection
                .prepare_cached(sql::COUNT_USERS.sqlite())?
                .query_row([app.0, least_active], |row| row.get(0))?;
            let mut statement = self.connection.prepare_cached(listed_users(listing).sqlite())?;
            let page = [app.0, least_active, listing.size as i64, as_offset(listing.skipped)];
            let users: rusqlite::Result<Vec<User>> =
                statement.query_map(page, rows::user)?.collect();
            Ok((users?, total as u64))
        };
        reading("listing users", users())
    }

    pub(crate) fn endpoints(&self, app: AppId) -> Read<Vec<Endpoint>> {
        let endpoints = || -> rusqlite::Result<Vec<Endpoint>> {
            let mut statement = self.connection.prepare_cached(sql::ENDPOINTS.sqlite())?;
            statement.query_map([app.0], rows::endpoint)?.collect()
        };
        reading("listing endpoints", endpoints())
    }

    /// A page of what waits after this mark and id, and those of the last of it.
    pub(crate) fn waiting_page(
        &self,
        after: (Mark, DeliveryId),
        size: usize,
    ) -> Read<(Vec<Pending>, (Mark, DeliveryId))> {
        let page = || -> rusqlite::Result<(Vec<Pending>, (Mark, DeliveryId))> {
            let mut statement = self.connection.prepare_cached(sql::SQLITE_WAITING.sqlite())?;
            let (mark, id) = after;
            let mut rows = statement.query([mark.0, id.0, size as i64])?;
            let (mut found, mut last) = (Vec::new(), after);
            while let Some(row) = rows.next()? {
                found.push(rows::pending(row)?);
                last = (Mark(row.get(12)?), DeliveryId(row.get(0)?));
            }
            Ok((found, last))
        };
        reading("reading what is to be delivered", page())
    }

    pub(crate) fn deliveries(&self, ids: &[(Lane, DeliveryId)]) -> Read<Vec<(Delivery, Progress)>> {
        let read = || -> rusqlite::Result<Vec<(Delivery, Progress)>> {
            let mut statement = self.connection.prepare_cached(sql::SQLITE_DELIVERY.sqlite())?;
            let one = |id: &(Lane, DeliveryId)| {
                let delivery = |row: &rusqlite::Row<'_>| rows::delivery(row, self.sealer);
                statement.query_row([id.1.0], delivery).optional().transpose()
            };
            ids.iter().filter_map(one).collect()
        };
        reading("reading deliveries", read())
    }

    pub(crate) fn attempts(&self, delivery: DeliveryId) -> Read<Vec<Attempt>> {
        let attempts = || -> rusqlite::Result<Vec<Attempt>> {
            let mut statement = self.connection.prepare_cached(sql::SQLITE_ATTEMPTS.sqlite())?;
            statement.query_map([delivery.0], rows::attempt)?.collect()
        };
        reading("reading attempts", attempts())
    }

    pub(crate) fn listed_deliveries(
        &self,
        app: AppId,
        listing: DeliveryListing,
    ) -> Read<Vec<Listed>> {
        let listed = || -> rusqlite::Result<Vec<Listed>> {
            let text = match listing.from_end {
                End::Newest => &sql::SQLITE_NEWEST_DELIVERIES,
                End::Oldest => &sql::SQLITE_OLDEST_DELIVERIES,
            };
            let (least, end) = listing.ids;
            let mut statement = self.connection.prepare_cached(text.sqlite())?;
            let params = [app.0, least.0, end.0, listing.size as i64];
            statement.query_map(params, rows::listed)?.collect()
        };
        reading("listing deliveries", listed())
    }

    pub(crate) fn logged_attempts(
        &self,
        app: AppId,
        skipped: u64,
        size: usize,
    ) -> Read<Vec<LoggedAttempt>> {
        let logged = |row: &rusqlite::Row<'_>| {
            let delivery = row.get(11)?;
            Ok(LoggedAttempt {
                attempt: rows::attempt(row)?,
                delivery: DeliveryId(delivery),
                endpoint: EndpointId(row.get(12)?),
                body: rows::body(row, 13, self.sealer, delivery)?,
            })
        };
        let read = || -> rusqlite::Result<Vec<LoggedAttempt>> {
            let mut statement =
                self.connection.prepare_cached(sql::SQLITE_ATTEMPTS_OF_APP.sqlite())?;
            statement.query_map([app.0, size as i64, as_offset(skipped)], logged)?.collect()
        };
        reading("listing attempts", read())
    }

    pub(crate) fn backlogs(&self, app: AppId) -> Read<Vec<Backlog>> {
        let backlog = |row: &rusqlite::Row<'_>| {
            Ok(Backlog {
                endpoint: EndpointId(row.get(0)?),
                waiting: row.get::<_, i64>(1)? as u64,
                oldest: Timestamp(row.get(2)?),
            })
        };
        let read = || -> rusqlite::Result<Vec<Backlog>> {
            let mut statement = self.connection.prepare_cached(sql::BACKLOGS.sqlite())?;
            let params = [app.0, limits::BACKLOG_COUNTED_MAX as i64];
            statement.query_map(params, backlog)?.collect()
        };
        reading("counting what waits", read())
    }

    /// How many messages the room has ever had.
    pub(super) fn count(&self, room: RoomId) -> rusqlite::Result<u64> {
        let last = self.last(room)?;
        Ok(last.map_or(0, |last| last.number))
    }

    fn last(&self, room: RoomId) -> rusqlite::Result<Option<LastMessage>> {
        match self.memory.places.last(room) {
            Some(last) => Ok(last),
            None => places_on_disk::last(self.connection, room),
        }
    }

    /// The numbers of `size` messages that are not deleted, newest first, after `skipped` of them.
    /// Looks only at the deletions that are newer than the page.
    pub(super) fn live_numbers(
        &self,
        room: RoomId,
        count: u64,
        skipped: u64,
        size: usize,
    ) -> rusqlite::Result<Vec<u64>> {
        let mut statement =
            self.connection.prepare_cached(sql::SQLITE_DELETIONS_FROM_NEWEST.sqlite())?;
        let mut deletions = statement
            .query_map([room.0], |row| row.get::<_, i64>(0).map(|number| number as u64))?
            // Deletions of messages that came after the count was taken do not count.
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

    /// The ids of these numbers; `None` where the view does not have the place yet.
    pub(super) fn ids(
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

    /// The number of the first message from this id on; one past the end if there is none. `None`
    /// where the view does not have the places yet that memory let go of.
    pub(super) fn number_from(&self, room: RoomId, id: MessageId) -> rusqlite::Result<Option<u64>> {
        let count = match self.memory.places.number_from(room, id) {
            NumberFrom::Known(number) => return Ok(Some(number)),
            NumberFrom::DiskBefore(number) => number - 1,
            NumberFrom::Disk => {
                places_on_disk::last(self.connection, room)?.map_or(0, |last| last.number)
            }
        };
        places_on_disk::number_from(self.connection, room, id, count)
    }

    /// The messages of these numbers with their senders, as far as they are read with a page.
    pub(super) fn said(&self, room: RoomId, numbers: &[u64]) -> rusqlite::Result<Page> {
        let mut page = Page { entries: Vec::with_capacity(numbers.len()), is_whole: true };
        let mut reading = SaidReading::new(self.connection)?;
        for (id, number) in self.ids(room, numbers)?.into_iter().zip(numbers) {
            // A message that memory has before the view may be of a user who is as new.
            let entry = match id {
                Some(id) if reading.allowance.is_used_up() => {
                    Some(PageEntry::Deferred(MessageKey { room, id, number: *number }))
                }
                Some(id) => reading.said(id)?.map(PageEntry::Loaded),
                None => None,
            };
            page.is_whole &= entry.is_some();
            page.entries.extend(entry);
        }
        Ok(page)
    }

    /// See [`crate::Store::messages`].
    pub(crate) fn messages(&self, keys: &[MessageKey]) -> Read<Vec<Arc<Said>>> {
        let doing = "reading messages";
        let mut found = Vec::new();
        let mut messages = reading(doing, SaidReading::new(self.connection))?;
        for key in keys {
            let said = reading(doing, messages.said(key.id))?;
            // Messages are emptied, never removed.
            found.push(said.ok_or_else(|| StoreError::while_doing(doing)("a message is gone"))?);
            if messages.allowance.is_used_up() {
                break;
            }
        }
        Ok(found)
    }

    /// How much a participant has not read; `None` for somebody who is not in the room.
    ///
    /// The count is taken first, so a post that comes in meanwhile cannot be unread for its sender;
    /// the disk is asked last, because a mark leaves memory only once it is there.
    fn unread_in(&self, room: RoomId, user: UserKey) -> rusqlite::Result<Option<u64>> {
        let count = self.count(room)?;
        let own_post = self.memory.places.own_post(room, user);
        let read_number: Option<i64> = self
            .connection
            .prepare_cached(sql::SQLITE_READ_NUMBER.sqlite())?
            .query_row([room.0, user.0], |row| row.get(0))
            .optional()?;
        let Some(read_number) = read_number else { return Ok(None) };
        let read_number = own_post.max(read_number as u64);
        let after = count.saturating_sub(read_number);
        if after == 0 {
            return Ok(Some(0));
        }
        let deleted: i64 = self
            .connection
            .prepare_cached(sql::SQLITE_COUNT_DELETIONS_AFTER.sqlite())?
            .query_row([room.0, read_number as i64], |row| row.get(0))?;
        Ok(Some(after.saturating_sub(deleted as u64)))
    }

    fn rooms_of(&self, user: UserKey) -> rusqlite::Result<Vec<RoomOfUser>> {
        let mut statement = self.connection.prepare_cached(sql::SQLITE_ROOMS_OF_USER.sqlite())?;
        let rooms = statement.query_map([user.0], |row| {
            let id = RoomId(row.get(0)?);
            let in_memory = self.memory.places.last(id).flatten().map(|last| last.id.0);
            Ok(RoomOfUser {
                id,
                kind: rows::room_kind(row, 1)?,
                last_message: in_memory.map_or_else(|| row.get(2), Ok)?,
                app: AppId(row.get(3)?),
            })
        })?;
        rooms.collect()
    }
}

/// How often a page is read again before it is given as it is.
pub(super) const VIEWS_MAX: usize = 4;

pub(super) struct Page {
    pub(super) entries: Vec<PageEntry>,
    /// False if memory knew of a message or place that the view does not have.
    pub(super) is_whole: bool,
}

impl Page {
    /// Nothing could be found: the view does not have the places.
    fn behind() -> Self {
        Self { entries: Vec::new(), is_whole: false }
    }
}

/// Reads messages one by one; those of one sender share it.
pub(super) struct SaidReading<'a> {
    connection: &'a Connection,
    by_id: CachedStatement<'a>,
    senders: Vec<Arc<User>>,
    pub(super) allowance: Allowance,
}

impl<'a> SaidReading<'a> {
    pub(super) fn new(connection: &'a Connection) -> rusqlite::Result<Self> {
        let by_id = connection.prepare_cached(sql::SQLITE_MESSAGE_BY_ID.sqlite())?;
        Ok(Self { connection, by_id, senders: Vec::new(), allowance: Allowance::of_a_page() })
    }

    /// `None` where the view does not have the message or its sender yet.
    pub(super) fn said(&mut self, id: MessageId) -> rusqlite::Result<Option<Arc<Said>>> {
        let found = self.by_id.query_row([id.0], rows::message).optional()?;
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
        Ok(Some(Arc::new(Said { message, sender })))
    }
}

struct RoomOfUser {
    id: RoomId,
    kind: confab_domain::rooms::room::RoomKind,
    last_message: i64,
    app: AppId,
}
