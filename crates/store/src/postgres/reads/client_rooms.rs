//! Rooms as clients see them: a few statements for all rooms of a call.

use std::collections::HashMap;
use std::sync::Arc;

use confab_domain::ids::{RoomId, UserKey};
use confab_domain::messages::message::Said;
use confab_domain::rooms::room::{Room, RoomKind};
use confab_domain::rooms::room_view::{Mark, Participant, SeenRoom};
use tokio_postgres::Row;

use super::{Engine, Read, rows};
use crate::clients::room_statements as sql;
use crate::clients::rooms::{SeenListing, WhoIsIn};
use crate::sql::as_offset;

/// What a room is to who looks.
struct Seen {
    /// Nothing for who is not in it.
    cleared_number: Option<i64>,
    unread: i64,
    total: i64,
    last: Option<Arc<Said>>,
}

impl Engine {
    pub(crate) async fn rooms_of_user(
        &self,
        user: UserKey,
        listing: SeenListing,
    ) -> Read<(Vec<Room>, u64)> {
        let kind = listing.kind.map(RoomKind::as_str);
        let (size, skipped) = (listing.size as i64, as_offset(listing.skipped));
        let least_messages = i64::from(!listing.shows_empty);
        let params: super::super::Params<'_> = &[&user.0, &kind, &least_messages, &size, &skipped];
        let text = sql::POSTGRES_ROOM_PAGE.postgres();
        let found = self.listers.query("listing rooms", text, params).await?;
        let total = found.first().map_or(Ok(0), |row| rows::get::<i64>(row, 11))?;
        let rooms = found.iter().map(rows::room).collect::<Read<Vec<_>>>()?;
        Ok((rooms, total as u64))
    }

    pub(crate) async fn seen_rooms(
        &self,
        viewer: UserKey,
        rooms: Vec<Room>,
        participants_max: usize,
    ) -> Read<Vec<SeenRoom>> {
        let ids: Vec<i64> = rooms.iter().map(|room| room.id.0).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let text = sql::POSTGRES_SEEN.postgres();
        let found = self.readers.query("reading rooms", text, &[&ids, &viewer.0]).await?;
        let mut seen = HashMap::with_capacity(found.len());
        for row in &found {
            seen.insert(rows::get::<i64>(row, 22)?, read_seen(row)?);
        }
        let mut people = self.people_in(&ids, WhoIsIn::first(participants_max)).await?;
        let rooms = rooms.into_iter().filter_map(|room| {
            let it = seen.remove(&room.id.0)?;
            let participants = people.remove(&room.id.0).unwrap_or_default();
            Some(SeenRoom {
                room,
                is_in: it.cleared_number.is_some(),
                unread: it.unread.max(0) as u64,
                cleared_number: it.cleared_number.unwrap_or(0) as u64,
                participants_total: it.total as u64,
                participants,
                last: it.last,
            })
        });
        Ok(rooms.collect())
    }

    pub(crate) async fn who_is_in(&self, room: RoomId, which: WhoIsIn) -> Read<Vec<Participant>> {
        let mut people = self.people_in(&[room.0], which).await?;
        Ok(people.remove(&room.0).unwrap_or_default())
    }

    pub(crate) async fn unread_rooms(&self, user: UserKey) -> Read<u64> {
        let text = sql::POSTGRES_UNREAD_ROOMS.postgres();
        let rows = self.listers.query(super::COUNTING_UNREAD, text, &[&user.0]).await?;
        Ok(rows::get::<i64>(&rows[0], 0)? as u64)
    }

    async fn people_in(
        &self,
        rooms: &[i64],
        which: WhoIsIn,
    ) -> Read<HashMap<i64, Vec<Participant>>> {
        let text = match which.is_from_last {
            true => sql::POSTGRES_WHO_IS_IN_FROM_LAST.postgres(),
            false => sql::POSTGRES_WHO_IS_IN.postgres(),
        };
        let (size, skipped) = (which.size as i64, as_offset(which.skipped));
        let params: super::super::Params<'_> = &[&rooms, &size, &skipped];
        let found = self.readers.query("reading participants", text, params).await?;
        let mut people: HashMap<i64, Vec<Participant>> = HashMap::new();
        for row in &found {
            let participant = read_participant(row)?;
            people.entry(rows::get(row, 10)?).or_default().push(participant);
        }
        Ok(people)
    }
}

fn read_seen(row: &Row) -> Read<Seen> {
    let has_message = rows::get::<Option<i64>>(row, 0)?.is_some();
    let last = match has_message {
        true => rows::said(std::slice::from_ref(row))?.pop().map(Arc::new),
        false => None,
    };
    Ok(Seen {
        cleared_number: rows::get(row, 23)?,
        unread: rows::get::<Option<i64>>(row, 24)?.unwrap_or(0),
        total: rows::get(row, 25)?,
        last,
    })
}

fn read_participant(row: &Row) -> Read<Participant> {
    let mark = |column: usize| -> Read<Mark> {
        let number = rows::get::<i64>(row, column)? as u64;
        Ok(Mark { number, id: rows::get::<Option<i64>>(row, column + 1)?.unwrap_or(0) })
    };
    let (read, received) = (mark(11)?, mark(13)?);
    // Who read something has received it.
    let received = if read.number > received.number { read } else { received };
    Ok(Participant { user: rows::user(row)?, read, received })
}
