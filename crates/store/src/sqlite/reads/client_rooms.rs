//! Rooms as clients see them. Marks that memory has before the disk count.

use confab_domain::ids::{RoomId, UserKey};
use confab_domain::people::user::User;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_domain::rooms::room_view::{Mark, Participant, SeenRoom};
use rusqlite::OptionalExtension;

use super::{Read, Reads, VIEWS_MAX, reading};
use crate::clients::room_statements as sql;
use crate::clients::rooms::{SeenListing, WhoIsIn};
use crate::sql::as_offset;
use crate::sqlite::rows;
use crate::statements;

/// A participant's row: who, and the numbers they got to on disk.
type Row = (User, u64, u64);

impl Reads<'_> {
    pub(crate) fn newest_of_user(&self, user: UserKey) -> Read<i64> {
        let rooms = reading("listing rooms", self.rooms_of(user))?;
        Ok(rooms.iter().map(|room| room.last_message).max().unwrap_or(0))
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

    pub(crate) fn rooms_of_user(
        &self,
        user: UserKey,
        listing: SeenListing,
    ) -> Read<(Vec<Room>, u64)> {
        let mut rooms = reading("listing rooms", self.rooms_of(user))?;
        rooms.retain(|room| listing.kind.is_none_or(|kind| room.kind == kind));
        rooms.retain(|room| listing.shows_empty || room.last_message > 0);
        rooms.sort_by_key(|room| std::cmp::Reverse((room.last_message, room.id)));
        let skipped = usize::try_from(listing.skipped).unwrap_or(usize::MAX);
        let mut page = Vec::new();
        for room in rooms.iter().skip(skipped).take(listing.size) {
            let found = reading("reading a room", self.room_of_any_app(room.id))?;
            page.extend(found);
        }
        Ok((page, rooms.len() as u64))
    }

    pub(crate) fn seen_rooms(
        &self,
        viewer: UserKey,
        rooms: Vec<Room>,
        participants_max: usize,
    ) -> Read<Vec<SeenRoom>> {
        rooms.into_iter().map(|room| self.seen_room(viewer, room, participants_max)).collect()
    }

    fn seen_room(&self, viewer: UserKey, room: Room, participants_max: usize) -> Read<SeenRoom> {
        let cleared = reading("reading a participant", self.cleared_number(room.id, viewer))?;
        let unread = reading("counting unread messages", self.unread_in(room.id, viewer))?;
        let total = reading("counting participants", self.participants_total(room.id))?;
        let participants = self.who_is_in(room.id, WhoIsIn::first(participants_max))?;
        let last = self.page(room.app, &RoomRef::Id(room.id), 0, 1)?;
        let cleared_number = cleared.unwrap_or(0);
        // The first of a page is always read with it.
        let last = last.and_then(|page| page.first()?.loaded());
        Ok(SeenRoom {
            room,
            is_in: cleared.is_some(),
            unread: unread.unwrap_or(0),
            cleared_number,
            participants_total: total,
            participants,
            last: last.filter(|said| said.message.number > cleared_number),
        })
    }

    /// In one view: memory may know of numbers whose place the view does not have yet.
    pub(crate) fn who_is_in(&self, room: RoomId, which: WhoIsIn) -> Read<Vec<Participant>> {
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

    /// Also whether the place of every number was found.
    fn participants_in_view(
        &self,
        room: RoomId,
        which: WhoIsIn,
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
        // A mark at a deleted message is shown as the newest message before it.
        let mark = |number: u64| {
            let at = numbers.binary_search(&number).and_then(|at| shown.binary_search(&live[at]));
            let id = at.ok().and_then(|at| ids[at]);
            Mark { number, id: id.map_or(0, |id| id.0) }
        };
        let participant = |(user, read, received): Row| Participant {
            user,
            read: mark(read),
            received: mark(received),
        };
        Ok((found.into_iter().map(participant).collect(), is_whole))
    }

    /// For each of these numbers, which rise, the newest up to it that is not deleted; or 0.
    fn live_up_to(&self, room: RoomId, numbers: &[u64]) -> rusqlite::Result<Vec<u64>> {
        let text = statements::SQLITE_DELETIONS_FROM_NEWEST.sqlite();
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

    fn participant_rows(&self, room: RoomId, which: WhoIsIn) -> rusqlite::Result<Vec<Row>> {
        let text = match which.is_from_last {
            true => &sql::SQLITE_WHO_IS_IN_FROM_LAST,
            false => &sql::SQLITE_WHO_IS_IN,
        };
        let mut statement = self.connection.prepare_cached(text.sqlite())?;
        let page = [room.0, which.size as i64, as_offset(which.skipped)];
        let rows = statement.query_map(page, |row| {
            let user = rows::user(row)?;
            let own_post = self.memory.places.own_post(room, user.key);
            let read = own_post.max(row.get::<_, i64>(10)? as u64);
            // Who read something has received it.
            Ok((user, read, read.max(row.get::<_, i64>(11)? as u64)))
        })?;
        rows.collect()
    }

    /// Nothing for who is not in the room.
    fn cleared_number(&self, room: RoomId, user: UserKey) -> rusqlite::Result<Option<u64>> {
        let mut statement = self.connection.prepare_cached(sql::SQLITE_OWN_MARKS.sqlite())?;
        let number = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0).map(|number| number as u64);
        statement.query_row([room.0, user.0], number).optional()
    }

    fn participants_total(&self, room: RoomId) -> rusqlite::Result<u64> {
        let text = statements::SQLITE_COUNT_PARTICIPANTS.sqlite();
        let mut statement = self.connection.prepare_cached(text)?;
        statement.query_row([room.0], |row| row.get::<_, i64>(0)).map(|count| count as u64)
    }

    fn room_of_any_app(&self, room: RoomId) -> rusqlite::Result<Option<Room>> {
        let mut statement = self.connection.prepare_cached(sql::SQLITE_ROOM.sqlite())?;
        statement.query_row([room.0], rows::room).optional()
    }
}
