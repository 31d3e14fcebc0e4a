//! The tags of an app, and the rooms that they are on.

use confab_domain::ids::{AppId, RoomId, TagId};
use confab_domain::limits;
use confab_domain::webhooks::notice::Tag;

use super::customer_rooms;
use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, ids_as_text, prepared, statements, values};
use crate::store::Store;

prepared! {
    TAGS_OF_ROOM = "SELECT tag, name FROM room_tags WHERE room = $1 ORDER BY tag";
    PUT_TAG = "INSERT INTO tags (id, app, name) VALUES ($1, $2, $3) \
        ON CONFLICT (app, name) DO NOTHING";
    ADD_TAG = "INSERT INTO room_tags (room, tag, name) \
        SELECT $1, t.id, t.name FROM tags t WHERE t.app = $2 AND t.name = $3 \
        ON CONFLICT (room, tag) DO NOTHING";
    REMOVE_TAG = "DELETE FROM room_tags WHERE room = $1 AND tag = $2";
}

/// The tags of several rooms.
macro_rules! tags_of_rooms {
    ($rooms:literal) => {
        concat!("SELECT tag, name, room FROM room_tags WHERE room ", $rooms, " ORDER BY room, tag")
    };
}

statements! {
    SQLITE_TAGS_OF_ROOMS = tags_of_rooms!("IN (SELECT value FROM json_each($1))");
    POSTGRES_TAGS_OF_ROOMS = tags_of_rooms!("= ANY (translate($1, '[]', '{}')::bigint[])");
    ALL_TAGS = "SELECT id, name FROM tags WHERE app = $1 ORDER BY name LIMIT $2";
}

pub(crate) fn row(row: &ValueRow) -> Read<Tag> {
    Ok(Tag { id: TagId(row.number(0)?), name: row.text(1)? })
}

/// A tag on a room; it may be new in the app.
pub(crate) fn add(app: AppId, room: RoomId, tag: &Tag) -> Vec<Ask> {
    vec![
        Ask::new(&PUT_TAG, values![tag.id.0, app.0, &tag.name]),
        Ask::new(&ADD_TAG, values![room.0, app.0, &tag.name]),
        customer_rooms::touch(room),
    ]
}

pub(crate) fn remove(room: RoomId, tag: TagId) -> Vec<Ask> {
    vec![Ask::new(&REMOVE_TAG, values![room.0, tag.0]), customer_rooms::touch(room)]
}

impl Store {
    /// The app's tags.
    pub async fn tags(&self, app: AppId) -> Read<Vec<Tag>> {
        let ask = Ask::new(&ALL_TAGS, values![app.0, limits::TAGS_MAX as i64]);
        self.asked(ask, row).await
    }

    /// The tags of a room.
    pub async fn tags_of_room(&self, room: RoomId) -> Read<Vec<Tag>> {
        self.asked(Ask::new(&TAGS_OF_ROOM, values![room.0]), row).await
    }

    /// The tags of several rooms, each with the room that it is on.
    pub async fn tags_of_rooms(&self, rooms: &[RoomId]) -> Read<Vec<(RoomId, Tag)>> {
        let sql = match self {
            Self::Sqlite(_) => &SQLITE_TAGS_OF_ROOMS,
            Self::Postgres(_) => &POSTGRES_TAGS_OF_ROOMS,
        };
        let values = values![ids_as_text(rooms.iter().map(|room| room.0))];
        self.asked(Ask::new(sql, values), |it| Ok((RoomId(it.number(2)?), row(it)?))).await
    }
}
