//! Lookups of single rows, shared by writer and readers.

use confab_domain::ids::{AppId, MessageId, RoomId, UserKey};
use confab_domain::messages::message::Message;
use confab_domain::people::user::{User, UserId};
use confab_domain::rooms::room::{Room, RoomRef, RoomUniqueId};
use rusqlite::{Connection, OptionalExtension, Result, params};

use crate::sql::texts;
use crate::tables::messages::{self, message_columns};
use crate::tables::rooms::{self, ROOM_BY_ID, room_columns};
use crate::tables::users::{self, USER_BY_KEY, USERS_NAMED};

texts! {
    ROOM_BY_UNIQUE_ID = concat!("SELECT ", room_columns!(""), " FROM rooms WHERE unique_id = $1 \
        AND app = $2");
    ROOM_OF_ANY_APP = concat!("SELECT ", room_columns!(""), " FROM rooms WHERE id = $1");
    MESSAGE_BY_ID = concat!("SELECT ", message_columns!(""), " FROM messages WHERE id = $1");
}

pub(crate) fn message_by_id(db: &Connection, id: MessageId) -> Result<Option<Message>> {
    let mut statement = db.prepare_cached(MESSAGE_BY_ID.sqlite())?;
    statement.query_row([id.0], |row| messages::row(row)).optional()
}

pub(crate) fn user_by_key(db: &Connection, key: UserKey) -> Result<Option<User>> {
    db.prepare_cached(USER_BY_KEY.sqlite())?.query_row([key.0], |row| users::row(row)).optional()
}

pub(crate) fn users_named(db: &Connection, app: AppId, user: &UserId) -> Result<Vec<User>> {
    let mut statement = db.prepare_cached(USERS_NAMED.sqlite())?;
    statement.query_map(params![app.0, user.as_str()], |row| users::row(row))?.collect()
}

pub(crate) fn room_by_ref(db: &Connection, app: AppId, asked: &RoomRef) -> Result<Option<Room>> {
    let by_id = |id: &RoomId| {
        let mut statement = db.prepare_cached(ROOM_BY_ID.sqlite())?;
        statement.query_row([id.0, app.0], |row| rooms::row(row)).optional()
    };
    let by_unique_id = |unique_id: &RoomUniqueId| {
        let mut statement = db.prepare_cached(ROOM_BY_UNIQUE_ID.sqlite())?;
        statement.query_row(params![unique_id.as_str(), app.0], |row| rooms::row(row)).optional()
    };
    match asked {
        RoomRef::Id(id) => by_id(id),
        RoomRef::Unique(unique_id) => by_unique_id(unique_id),
        RoomRef::Either(id, unique_id) => match by_id(id)? {
            Some(room) => Ok(Some(room)),
            None => by_unique_id(unique_id),
        },
    }
}

pub(crate) fn room_of_any_app(db: &Connection, room: RoomId) -> Result<Option<Room>> {
    let mut statement = db.prepare_cached(ROOM_OF_ANY_APP.sqlite())?;
    statement.query_row([room.0], |row| rooms::row(row)).optional()
}
