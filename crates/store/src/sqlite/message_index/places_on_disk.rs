//! The index of message numbers on disk: rows of 64 message ids, written with a delay (D-0016).
//!
//! Only SQLite has this index: in PostgreSQL, room and number are the key of messages.

use confab_domain::ids::{MessageId, RoomId, UserKey};
use confab_domain::rooms::room::LastMessage;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::places::{MessagePlaces, ROW_PLACES, Tail};

const LAST_ROW: &str = "SELECT first_number, ids FROM message_places \
    WHERE room = ?1 ORDER BY first_number DESC LIMIT 1";
const ROW: &str = "SELECT ids FROM message_places WHERE room = ?1 AND first_number = ?2";
const WRITE_ROW: &str = "INSERT INTO message_places (room, first_number, ids) \
    VALUES (?1, ?2, ?3) ON CONFLICT (room, first_number) DO UPDATE SET ids = excluded.ids";
const WRITE_LAST: &str = "UPDATE rooms SET last_message = ?2 WHERE id = ?1";
const WRITE_READ: &str = "UPDATE participants SET read_number = max(read_number, ?3) \
    WHERE room = ?1 AND user_key = ?2";
const WRITTEN_UP_TO: &str = "SELECT max(up_to_message) FROM places_written";
const SET_WRITTEN_UP_TO: &str = "UPDATE places_written SET up_to_message = ?1";
const NEWEST_MESSAGE: &str = "SELECT max(id) FROM messages";
const NEWEST_ID: &str = "SELECT max( \
    (SELECT coalesce(max(id), 0) FROM messages), (SELECT coalesce(max(id), 0) FROM rooms), \
    (SELECT coalesce(max(id), 0) FROM users), (SELECT coalesce(max(id), 0) FROM events), \
    (SELECT coalesce(max(id), 0) FROM deliveries), \
    (SELECT coalesce(max(mark), 0) FROM deliveries WHERE standing < 2))";
const UNWRITTEN: &str = "SELECT id, room, number, sender FROM messages WHERE id > ?1 ORDER BY id";

/// Loads the newest row of a room's places.
pub(crate) fn load(db: &Connection, room: RoomId) -> Result<Tail> {
    let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?));
    let newest = db.prepare_cached(LAST_ROW)?.query_row([room.0], row).optional()?;
    Ok(newest.map_or_else(Tail::empty, |(first_number, ids)| Tail {
        first_number: first_number as u64,
        ids: unpacked(&ids),
        ..Tail::empty()
    }))
}

/// Returns the newest message of a room whose place is on disk.
pub(crate) fn last(db: &Connection, room: RoomId) -> Result<Option<LastMessage>> {
    load(db, room).map(|tail| tail.last())
}

/// Returns the first number and the ids of the row that contains this number; no ids if the row
/// does not exist.
pub(crate) fn row_with(db: &Connection, room: RoomId, number: u64) -> Result<(u64, Vec<i64>)> {
    let first_number = (number - 1) / ROW_PLACES * ROW_PLACES + 1;
    let ids: Option<Vec<u8>> = db
        .prepare_cached(ROW)?
        .query_row(params![room.0, first_number as i64], |row| row.get(0))
        .optional()?;
    Ok((first_number, ids.map(|ids| unpacked(&ids)).unwrap_or_default()))
}

/// Returns the number of the first message whose id is at least this one, among the first `count`
/// messages; `count + 1` if there is none. A binary search reads one row per step. Returns `None`
/// if the snapshot lacks some of their places.
pub(crate) fn number_from(
    db: &Connection,
    room: RoomId,
    id: MessageId,
    count: u64,
) -> Result<Option<u64>> {
    let (mut low, mut high) = (1, count + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let (first_number, ids) = row_with(db, room, middle)?;
        if first_number + ids.len() as u64 <= middle {
            return Ok(None);
        }
        let before = ids.partition_point(|at| *at < id.0) as u64;
        match before {
            0 => high = first_number,
            _ if before == ids.len() as u64 => low = first_number + before,
            _ => return Ok(Some(first_number + before)),
        }
    }
    Ok(Some(low.min(count + 1)))
}

/// Writes a room's places and read positions that are only in memory.
pub(crate) fn write(db: &Connection, room: RoomId, tail: &Tail) -> Result<()> {
    let mut first_number = tail.first_number;
    for ids in tail.ids.chunks(ROW_PLACES as usize) {
        let packed: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
        let row = params![room.0, first_number as i64, packed];
        db.prepare_cached(WRITE_ROW)?.execute(row)?;
        first_number += ROW_PLACES;
    }
    if let Some(last) = tail.last() {
        db.prepare_cached(WRITE_LAST)?.execute([room.0, last.id.0])?;
    }
    for (user, number) in &tail.own_posts {
        db.prepare_cached(WRITE_READ)?.execute([room.0, user.0, *number as i64])?;
    }
    Ok(())
}

/// Records that the places of all messages up to this one are on disk.
pub(crate) fn set_written_up_to(db: &Connection, message: MessageId) -> Result<()> {
    db.prepare_cached(SET_WRITTEN_UP_TO)?.execute([message.0]).map(drop)
}

/// Returns the id of the newest message of all rooms, or 0.
pub(crate) fn newest_message(db: &Connection) -> Result<i64> {
    db.query_row(NEWEST_MESSAGE, [], |row| row.get::<_, Option<i64>>(0)).map(|id| id.unwrap_or(0))
}

/// Returns the greatest of the ids of messages, rooms, users, events and deliveries, and the marks
/// of unfinished deliveries; 0 if there are none.
pub(crate) fn newest_id(db: &Connection) -> Result<i64> {
    db.query_row(NEWEST_ID, [], |row| row.get(0))
}

/// Rebuilds in memory the places that were not written before the server stopped. Returns the
/// number of messages read.
pub(crate) fn rebuild(db: &Connection, places: &MessagePlaces) -> Result<usize> {
    let written: i64 = db.query_row(WRITTEN_UP_TO, [], |row| row.get(0))?;
    let mut statement = db.prepare(UNWRITTEN)?;
    let mut rows = statement.query([written])?;
    let mut messages = 0;
    while let Some(row) = rows.next()? {
        let (id, room) = (MessageId(row.get(0)?), RoomId(row.get(1)?));
        let (number, sender) = (row.get::<_, i64>(2)? as u64, UserKey(row.get(3)?));
        if places.last(room).is_none() {
            places.keep(room, load(db, room)?);
        }
        // The row may have been written without `places_written`; then it has the place.
        let count = places.last(room).flatten().map_or(0, |last| last.number);
        if number == count + 1 {
            places.append(room, id, sender);
        } else if number > count {
            return Err(rusqlite::Error::IntegralValueOutOfRange(2, number as i64));
        }
        messages += 1;
    }
    Ok(messages)
}

fn unpacked(packed: &[u8]) -> Vec<i64> {
    let (ids, _) = packed.as_chunks::<8>();
    ids.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect()
}
