//! Rooms. Each engine resolves references to rooms and finds last messages in its own way, because
//! SQLite has some of the data in memory (D-0016).

use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::rooms::room::{Room, RoomKind, RoomRef, RoomUniqueId};
use confab_domain::rooms::room_view::RoomForClient;

use crate::error::Read;
use crate::reading::listing::RoomListing;
use crate::sql::{Ask, Row, as_offset, count, prepared, statements, values};
use crate::store::Store;

macro_rules! room_columns {
    ($r:literal) => {
        $crate::sql::columns!($r; "id", "app", "unique_id", "kind", "name", "avatar_url",
            "options", "created_at", "updated_at", "customer", "audience")
    };
}
pub(crate) use room_columns;

/// Number of columns of a room.
pub(crate) const COLUMNS: usize = count(room_columns!(""));

// Citus requires unique keys to begin with the distribution column. Rooms are distributed by id, so
// on PostgreSQL their unique ids are in a table of their own (D-0014).
prepared! {
    INSERT_ROOM = "INSERT INTO rooms \
        (id, app, unique_id, kind, name, avatar_url, options, created_at, updated_at, customer) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    POSTGRES_INSERT_ROOM_NAME = "INSERT INTO room_names (unique_id, app, room) VALUES ($1, $2, $3)";
    UPDATE_ROOM = "UPDATE rooms SET name = $2, avatar_url = $3, options = $4, updated_at = $5 \
        WHERE id = $1";
    // Invalidates cached first pages. The version is a time, so that it never repeats, not even
    // after a failover that lost a commit (D-0165).
    POSTGRES_RAISE_ROOMS = "UPDATE rooms SET version = greatest(version + 1, $2) \
        WHERE id = ANY ($1)";
    // Invalidates the cached audience.
    CHANGE_AUDIENCE = "UPDATE rooms SET audience = audience + 1 WHERE id = $1";
}

statements! {
    ROOM_BY_ID = concat!("SELECT ", room_columns!(""), " FROM rooms WHERE id = $1 AND app = $2");
    NEWEST_ROOM = "SELECT max(id) FROM rooms WHERE app = $1";
    POSTGRES_NEWEST_OF_USER = "SELECT max(r.last_message) FROM participants p \
        JOIN rooms r ON r.id = p.room WHERE p.user_key = $1";
    CHANNELS_OF_APP = concat!("SELECT ", room_columns!(""), " FROM rooms WHERE app = $1 \
        AND kind = 'channel' ORDER BY id DESC LIMIT $2 OFFSET $3");
    AUDIENCE = "SELECT r.audience, p.user_key \
        FROM rooms r LEFT JOIN participants p ON p.room = r.id WHERE r.id = $1";
}

/// Users in a room, and the version of this set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audience {
    /// Version of the set, which rises whenever a participant joins or leaves.
    pub version: i64,
    /// Users in the room.
    pub users: Vec<UserKey>,
}

/// Filter and page of a user's rooms.
#[derive(Debug, Clone, Copy)]
pub struct SeenListing {
    /// Lists only rooms of this kind; all kinds if `None`.
    pub kind: Option<RoomKind>,
    /// Whether to include rooms without messages.
    pub shows_empty: bool,
    /// Number of rooms to skip.
    pub skipped: u64,
    /// Maximum number of rooms to return.
    pub size: usize,
}

pub(crate) fn row<R: Row>(row: &R) -> Result<Room, R::Error> {
    row_from(row, 0)
}

/// Reads a room, whose columns begin at `first`.
pub(crate) fn row_from<R: Row>(row: &R, first: usize) -> Result<Room, R::Error> {
    Ok(Room {
        id: RoomId(row.number(first)?),
        app: AppId(row.number(first + 1)?),
        unique_id: RoomUniqueId::from_trusted(row.text(first + 2)?),
        kind: kind(row, first + 3)?,
        name: row.text(first + 4)?,
        avatar_url: row.text(first + 5)?,
        options: row.text(first + 6)?,
        created_at: row.time(first + 7)?,
        updated_at: row.time(first + 8)?,
        customer: row.maybe_number(first + 9)?.map(UserKey),
        audience: row.number(first + 10)?,
    })
}

pub(crate) fn kind<R: Row>(row: &R, column: usize) -> Result<RoomKind, R::Error> {
    row.known(column, "room kind", RoomKind::parse)
}

pub(crate) fn insert(room: &Room) -> Ask {
    let values = values![
        room.id.0,
        room.app.0,
        room.unique_id.as_str(),
        room.kind.as_str(),
        &room.name,
        &room.avatar_url,
        &room.options,
        room.created_at,
        room.updated_at,
        room.customer.map(|customer| customer.0),
    ];
    Ask::new(&INSERT_ROOM, values)
}

/// Inserts the unique id by which PostgreSQL finds the room.
pub(crate) fn insert_name(room: &Room) -> Ask {
    let values = values![room.unique_id.as_str(), room.app.0, room.id.0];
    Ask::new(&POSTGRES_INSERT_ROOM_NAME, values)
}

pub(crate) fn update(room: &Room) -> Ask {
    let Room { id, name, avatar_url, options, updated_at, .. } = room;
    Ask::new(&UPDATE_ROOM, values![id.0, name, avatar_url, options, *updated_at])
}

/// Raises the version of the set of a room's participants.
pub(crate) fn change_audience(room: RoomId) -> Ask {
    Ask::new(&CHANGE_AUDIENCE, values![room.0])
}

impl Store {
    /// Returns a room of the app.
    pub async fn room(&self, app: AppId, room: &RoomRef) -> Read<Option<Room>> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.room(app, room)),
            Self::Postgres(engine) => engine.room(app, room).await,
        }
    }

    /// Returns the id of the app's newest room; 0 if it has none.
    pub async fn newest_room(&self, app: AppId) -> Read<RoomId> {
        let ask = Ask::new(&NEWEST_ROOM, values![app.0]);
        let newest = self.asked(ask, |row| row.maybe_number(0)).await?;
        Ok(RoomId(newest.into_iter().flatten().next().unwrap_or(0)))
    }

    /// Returns those of the referenced rooms that the app has, in the given order.
    pub async fn rooms(&self, app: AppId, rooms: &[RoomRef]) -> Read<Vec<Room>> {
        match self {
            Self::Sqlite(engine) => {
                let rooms = rooms.to_vec();
                engine.read_long(move |reads| reads.rooms(app, &rooms)).await
            }
            Self::Postgres(engine) => engine.rooms(app, rooms).await,
        }
    }

    /// Returns a page of a user's rooms in the app, the one with the newest message first, and
    /// their total number.
    pub async fn user_rooms(
        &self,
        app: AppId,
        user: UserKey,
        listing: RoomListing,
    ) -> Read<(Vec<Room>, u64)> {
        match self {
            Self::Sqlite(engine) => {
                engine.read_long(move |reads| reads.user_rooms(app, user, listing)).await
            }
            Self::Postgres(engine) => engine.user_rooms(app, user, listing).await,
        }
    }

    /// Returns a page of a user's rooms, the one with the newest message first, and their total
    /// number, which is not counted for a page past the end.
    pub async fn rooms_of_user(
        &self,
        user: UserKey,
        listing: SeenListing,
    ) -> Read<(Vec<Room>, u64)> {
        match self {
            Self::Sqlite(engine) => {
                engine.read_long(move |reads| reads.rooms_of_user(user, listing)).await
            }
            Self::Postgres(engine) => engine.rooms_of_user(user, listing).await,
        }
    }

    /// Returns these rooms as they appear to a user, in the given order, each with at most
    /// `participants_max` participants.
    pub async fn seen_rooms(
        &self,
        viewer: UserKey,
        rooms: Vec<Room>,
        participants_max: usize,
    ) -> Read<Vec<RoomForClient>> {
        match self {
            Self::Sqlite(engine) => {
                let participants = participants_max;
                engine.read_long(move |reads| reads.seen_rooms(viewer, rooms, participants)).await
            }
            Self::Postgres(engine) => engine.seen_rooms(viewer, rooms, participants_max).await,
        }
    }

    /// Returns a page of an app's public rooms, newest first.
    pub async fn channels_of_app(&self, app: AppId, skipped: u64, size: usize) -> Read<Vec<Room>> {
        let page = values![app.0, size as i64, as_offset(skipped)];
        self.asked(Ask::new(&CHANNELS_OF_APP, page), row).await
    }

    /// Returns the id of the newest message in all rooms of a user, or 0.
    pub async fn newest_of_user(&self, user: UserKey) -> Read<i64> {
        match self {
            Self::Sqlite(engine) => engine.read_long(move |reads| reads.newest_of_user(user)).await,
            Self::Postgres(_) => {
                let ask = Ask::new(&POSTGRES_NEWEST_OF_USER, values![user.0]);
                let newest = self.asked(ask, |row| row.maybe_number(0)).await?;
                Ok(newest.into_iter().flatten().next().unwrap_or(0))
            }
        }
    }

    /// Returns the participants of a room; empty if the room does not exist.
    pub async fn audience(&self, room: RoomId) -> Read<Audience> {
        let ask = Ask::new(&AUDIENCE, values![room.0]);
        let read = self.asked(ask, |row| Ok((row.number(0)?, row.maybe_number(1)?))).await?;
        let version = read.first().map_or(0, |(version, _)| *version);
        let users = read.into_iter().filter_map(|(_, user)| user.map(UserKey)).collect();
        Ok(Audience { version, users })
    }
}
