//! Rooms by reference and by participant. A few statements read all rooms of a call.

use std::collections::HashMap;
use std::sync::Arc;

use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::messages::message::PostedMessage;
use confab_domain::rooms::room::{Room, RoomKind, RoomRef};
use confab_domain::rooms::room_view::RoomForClient;
use tokio_postgres::Row;

use super::pages;
use crate::error::Read;
use crate::postgres::Engine;
use crate::postgres::connections::connection::Params;
use crate::postgres::connections::lists::params;
use crate::postgres::writing::asked::ROOMS_BY_UNIQUE_IDS;
use crate::reading::listing::RoomListing;
use crate::sql::{Row as _, as_offset, on_shards, statements};
use crate::tables::messages::{self, message_columns};
use crate::tables::participants::ParticipantListing;
use crate::tables::rooms::{self, ROOM_BY_ID, SeenListing, room_columns};
use crate::tables::users::{self, user_columns};

statements! {
    ROOMS = concat!("SELECT ", room_columns!(""), " FROM rooms WHERE id = ANY ($1) AND app = $2");
    // `+ 0` keeps the planner off the index on `app`: a user is in fewer rooms.
    COUNT_ROOMS_OF_USER = "SELECT count(*) FROM participants p \
        JOIN rooms r ON r.id = p.room \
        WHERE p.user_key = $1 AND r.kind = coalesce($2, r.kind) AND r.app + 0 = $3";
    ROOMS_OF_USER = concat!("SELECT ", room_columns!("r."), " FROM participants p \
        JOIN rooms r ON r.id = p.room WHERE p.user_key = $1 AND r.kind = coalesce($2, r.kind) \
        AND r.app + 0 = $3 ORDER BY r.last_message DESC, r.id DESC LIMIT $4 OFFSET $5");
    ROOM_PAGE = concat!("SELECT ", room_columns!("r."), ", count(*) OVER () FROM participants p \
        JOIN rooms r ON r.id = p.room WHERE p.user_key = $1 AND r.kind = coalesce($2, r.kind) \
        AND r.last_number >= $3 ORDER BY r.last_message DESC, r.id DESC LIMIT $4 OFFSET $5");
    SEEN = concat!("SELECT ", message_columns!("m."), ", ", user_columns!("u."), ", r.id, \
        p.cleared_number, r.last_number - p.read_number - (SELECT count(*) FROM deletions d \
        WHERE d.room = p.room AND d.number > p.read_number", on_shards!(" AND d.room = ANY ($1)"),
        ") - (SELECT count(*) FROM hidden_messages h WHERE h.room = p.room \
        AND h.user_key = p.user_key AND h.number > p.read_number",
        on_shards!(" AND h.room = ANY ($1)"), "), (SELECT count(*) FROM participants c \
        WHERE c.room = r.id", on_shards!(" AND c.room = ANY ($1)"), ") FROM rooms r \
        LEFT JOIN participants p ON p.room = r.id AND p.user_key = $2",
        on_shards!(" AND p.room = ANY ($1)"), " LEFT JOIN LATERAL (SELECT * \
        FROM messages WHERE room = r.id", on_shards!(" AND room = ANY ($1)"), " \
        AND is_deleted = 0 AND number > coalesce(p.cleared_number, 0) AND NOT EXISTS (SELECT 1 \
        FROM hidden_messages h WHERE h.room = r.id", on_shards!(" AND h.room = ANY ($1)"), " \
        AND h.user_key = $2 AND h.number = messages.number) ORDER BY number DESC LIMIT 1) m \
        ON true LEFT JOIN users u ON u.id = m.sender WHERE r.id = ANY ($1)");
}

/// First column of the data about the viewer in a room, after the columns of the last message and
/// its sender.
const SEEN_AT: usize = messages::COLUMNS + users::COLUMNS;

/// Data of a room that depends on the user who views it.
struct SeenByViewer {
    /// Number up to which the viewer cleared the room; `None` if they are not in it.
    cleared_number: Option<i64>,
    unread: i64,
    total: i64,
    last: Option<Arc<PostedMessage>>,
}

impl Engine {
    pub(crate) async fn room(&self, app: AppId, room: &RoomRef) -> Read<Option<Room>> {
        match self.room_id(app, room).await? {
            Some(id) => self.room_by_id(app, id).await,
            None => Ok(None),
        }
    }

    async fn room_by_id(&self, app: AppId, room: RoomId) -> Read<Option<Room>> {
        let text = ROOM_BY_ID.postgres();
        let rows = self.readers.query("reading a room", text, &[&room.0, &app.0]).await?;
        rows.first().map(rooms::row).transpose()
    }

    pub(crate) async fn rooms(&self, app: AppId, asked: &[RoomRef]) -> Read<Vec<Room>> {
        let ids = self.room_ids(app, asked).await?;
        let wanted: Vec<i64> = ids.iter().map(|room| room.0).collect();
        let text = ROOMS.postgres();
        let rows = self.readers.query("reading rooms", text, &[&wanted, &app.0]).await?;
        let mut rooms = rows.iter().map(rooms::row).collect::<Read<Vec<_>>>()?;
        rooms.sort_by_key(|room| wanted.iter().position(|id| *id == room.id.0));
        Ok(rooms)
    }

    /// Resolves references to rooms of the app, in order and without duplicates.
    pub(crate) async fn room_ids(&self, app: AppId, asked: &[RoomRef]) -> Read<Vec<RoomId>> {
        let mut ids: Vec<RoomId> = Vec::with_capacity(asked.len());
        for room in asked {
            let id = self.room_id(app, room).await?;
            ids.extend(id.filter(|id| !ids.contains(id)));
        }
        Ok(ids)
    }

    /// Resolves a reference to a room of the app; `None` without such a room.
    pub(crate) async fn room_id(&self, app: AppId, asked: &RoomRef) -> Read<Option<RoomId>> {
        if let Some(room) = self.room_names.get(app, asked) {
            return Ok(Some(room));
        }
        let by_id = match asked {
            RoomRef::Id(id) | RoomRef::Either(id, _) => self.room_by_id(app, *id).await?,
            RoomRef::Unique(_) => None,
        };
        let found = match (by_id, asked) {
            (None, RoomRef::Unique(unique_id) | RoomRef::Either(_, unique_id)) => {
                let params: Params<'_> = &[&vec![app.0], &vec![unique_id.as_str()]];
                let text = ROOMS_BY_UNIQUE_IDS.postgres();
                let rows = self.readers.query("finding a room", text, params).await?;
                match rows.first() {
                    Some(row) => self.room_by_id(app, RoomId(row.number(2)?)).await?,
                    None => None,
                }
            }
            (by_id, _) => by_id,
        };
        if let Some(room) = &found {
            self.room_names.keep(app, asked, room);
        }
        Ok(found.map(|room| room.id))
    }

    pub(crate) async fn user_rooms(
        &self,
        app: AppId,
        user: UserKey,
        listing: RoomListing,
    ) -> Read<(Vec<Room>, u64)> {
        let (doing, kind) = ("listing rooms", listing.kind.map(RoomKind::as_str));
        let text = COUNT_ROOMS_OF_USER.postgres();
        let total = self.list(doing, text, params![user.0, kind, app.0]).await?;
        let total = total[0].number(0)?;
        let (size, skipped) = (listing.size as i64, as_offset(listing.skipped));
        let text = ROOMS_OF_USER.postgres();
        let rows = self.list(doing, text, params![user.0, kind, app.0, size, skipped]).await?;
        let rooms = rows.iter().map(rooms::row).collect::<Read<Vec<_>>>()?;
        Ok((rooms, total as u64))
    }

    pub(crate) async fn rooms_of_user(
        &self,
        user: UserKey,
        listing: SeenListing,
    ) -> Read<(Vec<Room>, u64)> {
        let kind = listing.kind.map(RoomKind::as_str);
        let (size, skipped) = (listing.size as i64, as_offset(listing.skipped));
        let least_messages = i64::from(!listing.shows_empty);
        let params = params![user.0, kind, least_messages, size, skipped];
        let found = self.list("listing rooms", ROOM_PAGE.postgres(), params).await?;
        let total = found.first().map_or(Ok(0), |row| row.number(rooms::COLUMNS))?;
        let rooms = found.iter().map(rooms::row).collect::<Read<Vec<_>>>()?;
        Ok((rooms, total as u64))
    }

    pub(crate) async fn seen_rooms(
        &self,
        viewer: UserKey,
        rooms: Vec<Room>,
        participants_max: usize,
    ) -> Read<Vec<RoomForClient>> {
        let ids: Vec<i64> = rooms.iter().map(|room| room.id.0).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let text = SEEN.postgres();
        let found = self.readers.query("reading rooms", text, &[&ids, &viewer.0]).await?;
        let mut seen = HashMap::with_capacity(found.len());
        for row in &found {
            seen.insert(row.number(SEEN_AT)?, read_seen(row)?);
        }
        let mut people = self.people_in(&ids, ParticipantListing::first(participants_max)).await?;
        let rooms = rooms.into_iter().filter_map(|room| {
            let it = seen.remove(&room.id.0)?;
            let participants = people.remove(&room.id.0).unwrap_or_default();
            Some(RoomForClient {
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
}

fn read_seen(row: &Row) -> Read<SeenByViewer> {
    let last = match row.maybe_number(0)? {
        Some(_) => pages::read_posted(std::slice::from_ref(row))?.pop().map(Arc::new),
        None => None,
    };
    Ok(SeenByViewer {
        cleared_number: row.maybe_number(SEEN_AT + 1)?,
        unread: row.maybe_number(SEEN_AT + 2)?.unwrap_or(0),
        total: row.number(SEEN_AT + 3)?,
        last,
    })
}
