//! Tags of an app, and the rooms that have them.

use confab_domain::ids::{AppId, RoomId, TagId};
use confab_domain::limits;
use confab_domain::support::annotations::tag::{StoredTag, TagQuestion};
use confab_domain::webhooks::event::Tag;

use super::customer_rooms;
use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, ids_as_text, ids_in, prepared, statements, values};
use crate::store::Store;

prepared! {
    TAGS_OF_ROOM = "SELECT tag, name FROM room_tags WHERE room = $1 ORDER BY tag";
    PUT_TAG = "INSERT INTO tags (id, app, name) VALUES ($1, $2, $3) \
        ON CONFLICT (app, name) DO NOTHING";
    ADD_TAG = "INSERT INTO room_tags (room, tag, name) \
        SELECT $1, t.id, t.name FROM tags t WHERE t.app = $2 AND t.name = $3 \
        ON CONFLICT (room, tag) DO NOTHING";
    // No index on the id: an app has few tags.
    STORED_TAGS = "SELECT id, name, colour FROM tags WHERE app = $1 \
        AND (id IN ($2, $3) OR name = $4)";
    RENAME_TAG = "UPDATE tags SET name = $3, colour = $4 WHERE app = $1 AND id = $2";
    RENAME_ROOM_TAGS = "UPDATE room_tags SET name = $2 WHERE tag = $1 AND name <> $2";
    MERGE_ROOM_TAGS = "INSERT INTO room_tags (room, tag, name) \
        SELECT r.room, t.id, t.name FROM room_tags r JOIN tags t ON t.app = $2 AND t.id = $3 \
        WHERE r.tag = $1 ON CONFLICT (room, tag) DO NOTHING";
    CLEAR_ROOM_TAGS = "DELETE FROM room_tags WHERE tag = $1";
    DELETE_TAG = "DELETE FROM tags WHERE app = $1 AND id = $2";
    REMOVE_TAG = "DELETE FROM room_tags WHERE room = $1 AND tag = $2";
}

/// Tags of several rooms, with their colors.
macro_rules! tags_of_rooms {
    ($rooms:expr) => {
        concat!(
            "SELECT r.tag, r.name, t.colour, r.room FROM room_tags r \
             LEFT JOIN tags t ON t.app = $2 AND t.id = r.tag WHERE r.room ",
            $rooms,
            " ORDER BY r.room, r.tag"
        )
    };
}

statements! {
    SQLITE_TAGS_OF_ROOMS = tags_of_rooms!("IN (SELECT value FROM json_each($1))");
    POSTGRES_TAGS_OF_ROOMS = tags_of_rooms!(concat!("= ANY (", ids_in!("$1"), ")"));
    TAG_NAMED = "SELECT id, name, colour FROM tags WHERE app = $1 AND name = $2";
    ALL_TAGS = "SELECT id, name, colour FROM tags WHERE app = $1 ORDER BY name LIMIT $2";
    COUNT_TAGGED = "SELECT count(*) FROM (SELECT room FROM room_tags WHERE tag = $1 LIMIT $2) AS t";
}

pub(crate) fn row(row: &ValueRow) -> Read<Tag> {
    Ok(Tag { id: TagId(row.number(0)?), name: row.text(1)? })
}

pub(crate) fn stored(row_of: &ValueRow) -> Read<StoredTag> {
    Ok(StoredTag { tag: row(row_of)?, colour: row_of.maybe_text(2)? })
}

/// Selects the tags that a rule's question names.
pub(crate) fn asked_for(app: AppId, asked: &TagQuestion) -> Ask {
    let TagQuestion { tag, into, name } = asked;
    let into = into.map_or(0, |into| into.0);
    Ask::new(&STORED_TAGS, values![app.0, tag.0, into, name.clone().unwrap_or_default()])
}

/// Renames a tag in the app and in all rooms that have it, and sets its color.
pub(crate) fn change(app: AppId, now: &StoredTag) -> Vec<Ask> {
    let StoredTag { tag, colour } = now;
    vec![
        Ask::new(&RENAME_TAG, values![app.0, tag.id.0, &tag.name, colour.as_ref()]),
        Ask::new(&RENAME_ROOM_TAGS, values![tag.id.0, &tag.name]),
    ]
}

/// Deletes a tag in the app and in all rooms that have it. These rooms get the tag `into` instead,
/// if it is given.
pub(crate) fn remove_of_app(app: AppId, tag: TagId, into: Option<TagId>) -> Vec<Ask> {
    let merge = into.map(|into| Ask::new(&MERGE_ROOM_TAGS, values![tag.0, app.0, into.0]));
    let clear = Ask::new(&CLEAR_ROOM_TAGS, values![tag.0]);
    let delete = Ask::new(&DELETE_TAG, values![app.0, tag.0]);
    merge.into_iter().chain([clear, delete]).collect()
}

/// Adds a tag to a room, and creates it in the app if it does not exist.
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
    /// Returns the app's tags.
    pub async fn tags(&self, app: AppId) -> Read<Vec<StoredTag>> {
        let ask = Ask::new(&ALL_TAGS, values![app.0, limits::TAGS_MAX as i64]);
        self.asked(ask, stored).await
    }

    /// Returns the app's tag with this name.
    pub async fn tag_named(&self, app: AppId, name: &str) -> Read<Option<StoredTag>> {
        Ok(self.query_now(Ask::new(&TAG_NAMED, values![app.0, name]), stored).await?.pop())
    }

    /// Counts the rooms that have a tag, up to `limits::ROOMS_COUNTED_MAX`.
    pub async fn count_tagged(&self, tag: TagId) -> Read<u64> {
        let ask = Ask::new(&COUNT_TAGGED, values![tag.0, limits::ROOMS_COUNTED_MAX as i64]);
        let counted = self.asked(ask, |row| row.number(0)).await?;
        Ok(counted.first().map_or(0, |count| *count as u64))
    }

    /// Returns the tags of a room.
    pub async fn tags_of_room(&self, room: RoomId) -> Read<Vec<Tag>> {
        self.query_now(Ask::new(&TAGS_OF_ROOM, values![room.0]), row).await
    }

    /// Returns the tags of several rooms, each with its room.
    pub async fn tags_of_rooms(
        &self,
        app: AppId,
        rooms: &[RoomId],
    ) -> Read<Vec<(RoomId, StoredTag)>> {
        let sql = match self {
            Self::Sqlite(_) => &SQLITE_TAGS_OF_ROOMS,
            Self::Postgres(_) => &POSTGRES_TAGS_OF_ROOMS,
        };
        let values = values![ids_as_text(rooms.iter().map(|room| room.0)), app.0];
        self.asked(Ask::new(sql, values), |it| Ok((RoomId(it.number(3)?), stored(it)?))).await
    }
}
