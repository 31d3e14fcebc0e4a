//! Rooms by reference and by participant. A room's newest message may be only in memory, so lists
//! are sorted in this module instead of in SQL.

use std::cmp::Reverse;
use std::sync::Arc;

use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::messages::message::PostedMessage;
use confab_domain::rooms::room::{Room, RoomKind, RoomRef};
use confab_domain::rooms::room_view::RoomForClient;

use super::lookups::{room_by_ref, room_of_any_app};
use super::reads::{Reads, reading};
use crate::error::Read;
use crate::reading::listing::RoomListing;
use crate::sql::texts;
use crate::tables::participants::ParticipantListing;
use crate::tables::rooms::{self, SeenListing};

texts! {
    ROOMS_OF_USER = "SELECT r.id, r.kind, r.last_message, r.app \
        FROM participants p JOIN rooms r ON r.id = p.room WHERE p.user_key = $1";
}

/// Columns by which lists of a user's rooms are filtered and sorted.
pub(crate) struct RoomOfUser {
    pub(crate) id: RoomId,
    kind: RoomKind,
    last_message: i64,
    app: AppId,
}

impl Reads<'_> {
    pub(crate) fn room(&self, app: AppId, room: &RoomRef) -> Read<Option<Room>> {
        reading("reading a room", room_by_ref(self.connection, app, room))
    }

    pub(crate) fn rooms(&self, app: AppId, rooms: &[RoomRef]) -> Read<Vec<Room>> {
        let mut found: Vec<Room> = Vec::new();
        for room in rooms {
            // Two references may name the same room.
            let room = self.room(app, room)?;
            found.extend(room.filter(|room| found.iter().all(|other| other.id != room.id)));
        }
        Ok(found)
    }

    /// Resolves a reference to a room of the app.
    pub(crate) fn room_id(&self, app: AppId, asked: &RoomRef) -> Read<Option<RoomId>> {
        if let Some(room) = self.memory.room_names.get(app, asked) {
            return Ok(Some(room));
        }
        let found = reading("finding a room", room_by_ref(self.connection, app, asked))?;
        if let Some(room) = &found {
            self.memory.room_names.keep(app, asked, room);
        }
        Ok(found.map(|room| room.id))
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

    pub(crate) fn newest_of_user(&self, user: UserKey) -> Read<i64> {
        let rooms = reading("listing rooms", self.rooms_of(user))?;
        Ok(rooms.iter().map(|room| room.last_message).max().unwrap_or(0))
    }

    pub(crate) fn rooms_of_user(
        &self,
        user: UserKey,
        listing: SeenListing,
    ) -> Read<(Vec<Room>, u64)> {
        let mut rooms = reading("listing rooms", self.rooms_of(user))?;
        rooms.retain(|room| listing.kind.is_none_or(|kind| room.kind == kind));
        rooms.retain(|room| listing.shows_empty || room.last_message > 0);
        rooms.sort_by_key(|room| Reverse((room.last_message, room.id)));
        let skipped = usize::try_from(listing.skipped).unwrap_or(usize::MAX);
        let mut page = Vec::new();
        for room in rooms.iter().skip(skipped).take(listing.size) {
            let found = reading("reading a room", room_of_any_app(self.connection, room.id))?;
            page.extend(found);
        }
        Ok((page, rooms.len() as u64))
    }

    pub(crate) fn seen_rooms(
        &self,
        viewer: UserKey,
        rooms: Vec<Room>,
        participants_max: usize,
    ) -> Read<Vec<RoomForClient>> {
        rooms.into_iter().map(|room| self.seen_room(viewer, room, participants_max)).collect()
    }

    fn seen_room(
        &self,
        viewer: UserKey,
        room: Room,
        participants_max: usize,
    ) -> Read<RoomForClient> {
        let cleared = reading("reading a participant", self.cleared_number(room.id, viewer))?;
        let unread = reading("counting unread messages", self.unread_in(room.id, viewer))?;
        let total = reading("counting participants", self.participants_total(room.id))?;
        let participants = self.who_is_in(room.id, ParticipantListing::first(participants_max))?;
        let cleared_number = cleared.unwrap_or(0);
        let last = self.last_shown(viewer, &room)?;
        Ok(RoomForClient {
            room,
            is_in: cleared.is_some(),
            unread: unread.unwrap_or(0),
            cleared_number,
            participants_total: total,
            participants,
            last: last.filter(|posted| posted.message.number > cleared_number),
        })
    }

    /// Returns the newest message of a room that is not hidden from the viewer.
    fn last_shown(&self, viewer: UserKey, room: &Room) -> Read<Option<Arc<PostedMessage>>> {
        let hidden = reading("reading hidden messages", self.hidden(room.id, viewer))?;
        // One at a time: the newest message is rarely hidden.
        for skipped in 0..=hidden.len() as u64 {
            let page = self.page(room.app, &RoomRef::Id(room.id), skipped, 1)?.unwrap_or_default();
            let Some(entry) = page.first() else { return Ok(None) };
            if !hidden.contains(&entry.key().number) {
                // The first entry of a page is always loaded.
                return Ok(entry.loaded());
            }
        }
        Ok(None)
    }

    pub(crate) fn rooms_of(&self, user: UserKey) -> rusqlite::Result<Vec<RoomOfUser>> {
        let mut statement = self.connection.prepare_cached(ROOMS_OF_USER.sqlite())?;
        let rooms = statement.query_map([user.0], |row| {
            let id = RoomId(row.get(0)?);
            let in_memory = self.memory.places.last(id).flatten().map(|last| last.id.0);
            Ok(RoomOfUser {
                id,
                kind: rooms::kind(row, 1)?,
                last_message: in_memory.map_or_else(|| row.get(2), Ok)?,
                app: AppId(row.get(3)?),
            })
        })?;
        rooms.collect()
    }
}
