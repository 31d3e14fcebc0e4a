//! Positions of participants in rooms, including those that are not on disk yet.

use std::cmp::Reverse;
use std::collections::HashSet;

use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::people::user::{User, UserId};
use confab_domain::rooms::room::RoomRef;
use confab_domain::rooms::room_view::{Mark, Participant};
use rusqlite::OptionalExtension;

use super::lookups::users_named;
use super::pages::DELETIONS_FROM_NEWEST;
use super::reads::{Reads, VIEWS_MAX, reading};
use crate::error::Read;
use crate::sql::{as_offset, texts};
use crate::tables::participants::ParticipantListing;
use crate::tables::users::{self, user_columns};

texts! {
    COUNT_PARTICIPANTS = "SELECT count(*) FROM participants WHERE room = $1";
    READ_NUMBER = "SELECT read_number FROM participants WHERE room = $1 AND user_key = $2";
    COUNT_DELETIONS_AFTER = "SELECT count(*) FROM deletions \
        WHERE room = $1 AND number > $2";
    COUNT_HIDDEN_AFTER = "SELECT count(*) FROM hidden_messages \
        WHERE room = $1 AND user_key = $2 AND number > $3";
    HIDDEN_NUMBERS = "SELECT number FROM hidden_messages WHERE room = $1 AND user_key = $2";
    CLEARED_NUMBER = "SELECT cleared_number FROM participants WHERE room = $1 AND user_key = $2";
    WHO_IS_IN = concat!("SELECT ", user_columns!("u."), ", p.read_number, p.received_number \
        FROM participants p JOIN users u ON u.id = p.user_key WHERE p.room = $1 \
        ORDER BY p.user_key LIMIT $2 OFFSET $3");
    WHO_IS_IN_FROM_LAST = concat!("SELECT ", user_columns!("u."), ", p.read_number, \
        p.received_number FROM participants p JOIN users u ON u.id = p.user_key WHERE p.room = $1 \
        ORDER BY p.user_key DESC LIMIT $2 OFFSET $3");
}

/// A user of a room, and the numbers up to which they read and received its messages.
type ParticipantRow = (User, u64, u64);

impl Reads<'_> {
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

    pub(crate) fn unread_rooms(&self, user: UserKey) -> Read<u64> {
        let count = || -> rusqlite::Result<u64> {
            let mut count = 0;
            for room in self.rooms_of(user)? {
                count += u64::from(self.unread_in(room.id, user)?.is_some_and(|it| it > 0));
            }
            Ok(count)
        };
        reading("counting unread messages", count())
    }

    /// Returns participants with their positions. Reads in one snapshot, and again in a new one if
    /// the in-memory index was ahead of the first one.
    pub(crate) fn who_is_in(
        &self,
        room: RoomId,
        which: ParticipantListing,
    ) -> Read<Vec<Participant>> {
        let read = || -> rusqlite::Result<Vec<Participant>> {
            let mut tries_left = VIEWS_MAX;
            loop {
                self.connection.prepare_cached("BEGIN")?.execute([])?;
                let read = self.participants_in_view(room, which);
                self.connection.prepare_cached("COMMIT")?.execute([])?;
                let (found, is_whole) = read?;
                tries_left -= 1;
                if is_whole || tries_left == 0 {
                    return Ok(found);
                }
            }
        };
        reading("reading participants", read())
    }

    /// Returns the number of messages that a participant has not read; `None` for users who are not
    /// in the room.
    ///
    /// The room's count is read first, so that a concurrent post is never unread for its sender.
    /// The position on disk is read last, because a position is evicted from memory only once it is
    /// on disk.
    pub(crate) fn unread_in(&self, room: RoomId, user: UserKey) -> rusqlite::Result<Option<u64>> {
        let count = self.count(room)?;
        let own_post = self.memory.places.own_post(room, user);
        let read_number: Option<i64> = self
            .connection
            .prepare_cached(READ_NUMBER.sqlite())?
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
            .prepare_cached(COUNT_DELETIONS_AFTER.sqlite())?
            .query_row([room.0, read_number as i64], |row| row.get(0))?;
        let hidden: i64 = self
            .connection
            .prepare_cached(COUNT_HIDDEN_AFTER.sqlite())?
            .query_row([room.0, user.0, read_number as i64], |row| row.get(0))?;
        Ok(Some(after.saturating_sub((deleted + hidden) as u64)))
    }

    /// Returns the numbers of a room's messages that are hidden from a user.
    pub(crate) fn hidden(&self, room: RoomId, user: UserKey) -> rusqlite::Result<HashSet<u64>> {
        let mut statement = self.connection.prepare_cached(HIDDEN_NUMBERS.sqlite())?;
        let numbers = statement.query_map([room.0, user.0], |row| row.get::<_, i64>(0))?;
        numbers.map(|number| number.map(|number| number as u64)).collect()
    }

    /// Returns participants, and whether the index had an entry for every number.
    fn participants_in_view(
        &self,
        room: RoomId,
        which: ParticipantListing,
    ) -> rusqlite::Result<(Vec<Participant>, bool)> {
        let found = self.participant_rows(room, which)?;
        let mut numbers: Vec<u64> =
            found.iter().flat_map(|(_, read, received)| [*read, *received]).collect();
        numbers.retain(|number| *number > 0);
        numbers.sort_unstable();
        numbers.dedup();
        let live = self.live_up_to(room, &numbers)?;
        let mut shown: Vec<u64> = live.iter().copied().filter(|number| *number > 0).collect();
        shown.dedup();
        let ids = self.ids(room, &shown)?;
        let is_whole = ids.iter().all(Option::is_some);
        // A position at a deleted message is shown as the newest message before it.
        let mark = |number: u64| {
            let at = numbers.binary_search(&number).and_then(|at| shown.binary_search(&live[at]));
            let id = at.ok().and_then(|at| ids[at]);
            Mark { number, id: id.map_or(0, |id| id.0) }
        };
        let participant = |(user, read, received): ParticipantRow| Participant {
            user,
            read: mark(read),
            received: mark(received),
        };
        Ok((found.into_iter().map(participant).collect(), is_whole))
    }

    /// For each of these ascending numbers, returns the number of the newest undeleted message up
    /// to it, or 0.
    fn live_up_to(&self, room: RoomId, numbers: &[u64]) -> rusqlite::Result<Vec<u64>> {
        let text = DELETIONS_FROM_NEWEST.sqlite();
        let mut statement = self.connection.prepare_cached(text)?;
        let mut deletions = statement.query_map([room.0], |row| row.get::<_, i64>(0))?;
        let mut next_deleted = || deletions.next().transpose().map(|it| it.unwrap_or(0) as u64);
        let mut deleted = next_deleted()?;
        let (mut live, mut found) = (u64::MAX, Vec::with_capacity(numbers.len()));
        for number in numbers.iter().rev() {
            live = live.min(*number);
            while deleted > 0 && deleted >= live {
                live -= u64::from(deleted == live);
                deleted = next_deleted()?;
            }
            found.push(live);
        }
        found.reverse();
        Ok(found)
    }

    fn participant_rows(
        &self,
        room: RoomId,
        which: ParticipantListing,
    ) -> rusqlite::Result<Vec<ParticipantRow>> {
        let text = match which.is_from_last {
            true => &WHO_IS_IN_FROM_LAST,
            false => &WHO_IS_IN,
        };
        let mut statement = self.connection.prepare_cached(text.sqlite())?;
        let page = [room.0, which.size as i64, as_offset(which.skipped)];
        let rows = statement.query_map(page, |row| {
            let user = users::row(row)?;
            let own_post = self.memory.places.own_post(room, user.key);
            let read = own_post.max(row.get::<_, i64>(users::COLUMNS)? as u64);
            // A read message also counts as received.
            Ok((user, read, read.max(row.get::<_, i64>(users::COLUMNS + 1)? as u64)))
        })?;
        rows.collect()
    }

    /// Returns the number up to which a participant cleared a room; `None` for users who are not in
    /// it.
    pub(crate) fn cleared_number(
        &self,
        room: RoomId,
        user: UserKey,
    ) -> rusqlite::Result<Option<u64>> {
        let mut statement = self.connection.prepare_cached(CLEARED_NUMBER.sqlite())?;
        let number = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0).map(|number| number as u64);
        statement.query_row([room.0, user.0], number).optional()
    }

    pub(crate) fn participants_total(&self, room: RoomId) -> rusqlite::Result<u64> {
        let text = COUNT_PARTICIPANTS.sqlite();
        let mut statement = self.connection.prepare_cached(text)?;
        statement.query_row([room.0], |row| row.get::<_, i64>(0)).map(|count| count as u64)
    }
}
