//! Rooms. Which room a caller means is found out by each engine in its own way, and so is what was
//! last said: SQLite has that partly in memory (D-0016).

use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::rooms::room::{Room, RoomKind, RoomRef, RoomUniqueId};
use confab_domain::rooms::room_view::RoomForClient;

use crate::error::Read;
use crate::listing::RoomListing;
use crate::sql::{Ask, Row, as_offset, count, prepared, statements, values};
use crate::store::Store;

macro_rules! room_columns {
    ($r:literal) => {
        $crate::sql::columns!($r; "id", "app", "unique_id", "kind", "name", "avatar_url",
            "options", "created_at", "updated_at", "customer", "audience")
    };
}
pub(crate) use room_columns;

/// How many columns a room has.
pub(crate) const COLUMNS: usize = count(room_columns!(""));

// A sharding PostgreSQL keeps a unique key only if it begins with the column the table is
// distributed by; rooms are distributed by id, so there the names of rooms are a table of their own
// (D-0014).
prepared! {
    INSERT_ROOM = "INSERT INTO rooms \
        (id, app, unique_id, kind, name, avatar_url, options, created_at, updated_at, customer) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    POSTGRES_INSERT_ROOM_NAME = "INSERT INTO room_names (unique_id, app, room) VALUES ($1, $2, $3)";
    UPDATE_ROOM = "UPDATE rooms SET name = $2, avatar_url = $3, options = $4, updated_at = $5 \
        WHERE id = $1";
    // A remembered first page is old from now on. A time, so that it never comes back, not even
    // after a fail-over that lost a commit (D-0165).
    POSTGRES_RAISE_ROOMS = "UPDATE rooms SET version = greatest(version + 1, $2) \
        WHERE id = ANY ($1)";
    // A remembered audience is old from now on.
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

/// Who is in a room, and how often that changed before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audience {
    /// Rises with everybody who comes or goes.
    pub version: i64,
    /// Who is in the room.
    pub users: Vec<UserKey>,
}

/// Which of a user's rooms are wanted.
#[derive(Debug, Clone, Copy)]
pub struct SeenListing {
    /// Only rooms of this kind.
    pub kind: Option<RoomKind>,
    /// Also those in which nothing was said.
    pub shows_empty: bool,
    /// How many to leave out first.
    pub skipped: u64,
    /// How many to give.
    pub size: usize,
}

pub(crate) fn row<R: Row>(row: &R) -> Result<Room, R::Error> {
    row_from(row, 0)
}

/// The columns of a room from this one on.
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

/// What PostgreSQL finds the room by, beside its integer.
pub(crate) fn insert_name(room: &Room) -> Ask {
    let values = values![room.unique_id.as_str(), room.app.0, room.id.0];
    Ask::new(&POSTGRES_INSERT_ROOM_NAME, values)
}

pub(crate) fn update(room: &Room) -> Ask {
    let Room { id, name, avatar_url, options, updated_at, .. } = room;
    Ask::new(&UPDATE_ROOM, values![id.0, name, avatar_url, options, *updated_at])
}

/// Somebody came or went.
pub(crate) fn change_audience(room: RoomId) -> Ask {
    Ask::new(&CHANGE_AUDIENCE, values![room.0])
}

impl Store {
    /// A room of the app.
    pub async fn room(&self, app: AppId, room: &RoomRef) -> Read<Option<Room>> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.room(app, room)),
            Self::Postgres(engine) => engine.room(app, room).await,
        }
    }

    /// The newest room of the app; 0 if it has none.
    pub async fn newest_room(&self, app: AppId) -> Read<RoomId> {
        let ask = Ask::new(&NEWEST_ROOM, values![app.0]);
        let newest = self.asked(ask, |row| row.maybe_number(0)).await?;
        Ok(RoomId(newest.into_iter().flatten().next().unwrap_or(0)))
    }

    /// Those of the rooms that the app has, in the order asked.
    pub async fn rooms(&self, app: AppId, rooms: &[RoomRef]) -> Read<Vec<Room>> {
        match self {
            Self::Sqlite(engine) => {
                let rooms = rooms.to_vec();
                engine.read_long(move |reads| reads.rooms(app, &rooms)).await
            }
            Self::Postgres(engine) => engine.rooms(app, rooms).await,
        }
    }

    /// A user's rooms in the app, the one last spoken in first, and how many there are in all.
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

    /// A page of a user's rooms, the one last spoken in first, and how many there are; of a page
    /// past the end the number is not told.
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

    /// These rooms as a user sees them, in this order, with so many of their participants.
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

    /// A page of an app's public channels, the newest first.
    pub async fn channels_of_app(&self, app: AppId, skipped: u64, size: usize) -> Read<Vec<Room>> {
        let page = values![app.0, size as i64, as_offset(skipped)];
        self.asked(Ask::new(&CHANNELS_OF_APP, page), row).await
    }

    /// The newest message of all rooms of a user, or 0.
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

    /// Who is in a room now; nobody without such a room.
    pub async fn audience(&self, room: RoomId) -> Read<Audience> {
        let ask = Ask::new(&AUDIENCE, values![room.0]);
        let read = self.asked(ask, |row| Ok((row.number(0)?, row.maybe_number(1)?))).await?;
        let version = read.first().map_or(0, |(version, _)| *version);
        let users = read.into_iter().filter_map(|(_, user)| user.map(UserKey)).collect();
        Ok(Audience { version, users })
    }
}
