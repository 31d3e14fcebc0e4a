//! Sessions of customers, from the first message to the resolution.

use confab_domain::ids::{AgentId, AppId, ChannelId, MessageId, RoomId, SessionId};
use confab_domain::messages::rating::Rating;
use confab_domain::people::user::UserId;
use confab_domain::support::conversations::customer_room::ExportedSession;
use confab_domain::webhooks::event::Session;

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, count, prepared, statements, values};
use crate::store::Store;

/// Columns of a session without app and room.
macro_rules! session_columns {
    ($s:literal) => {
        $crate::sql::columns!($s; "id", "served_by", "taken_at", "notes", "first_message",
            "first_message_at", "last_message", "created_at", "updated_at", "resolved_at",
            "resolved_by", "first_reply_at", "first_reply_by", "reopened_at", "rating", "rated_at",
            "rating_asked_at", "unheard_since")
    };
}
pub(crate) use session_columns;

prepared! {
    FORGET_NOTES = "UPDATE sessions SET notes = NULL WHERE room = $1";
    LAST_SERVED = concat!("SELECT app, room, ", session_columns!(""), " FROM sessions \
        WHERE room = $1 AND served_by IS NOT NULL ORDER BY id DESC LIMIT 1");
    PUT_SESSION = "INSERT INTO sessions (room, id, app, served_by, taken_at, notes, \
        first_message, first_message_at, last_message, created_at, updated_at, resolved_at, \
        resolved_by, first_reply_at, first_reply_by, reopened_at, rating, rated_at, \
        rating_asked_at, unheard_since) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, \
        $13, $14, $15, $16, $17, $18, $19, $20) \
        ON CONFLICT (room, id) DO UPDATE SET served_by = excluded.served_by, \
        taken_at = excluded.taken_at, notes = excluded.notes, \
        last_message = excluded.last_message, updated_at = excluded.updated_at, \
        resolved_at = excluded.resolved_at, resolved_by = excluded.resolved_by, \
        first_reply_at = excluded.first_reply_at, first_reply_by = excluded.first_reply_by, \
        reopened_at = excluded.reopened_at, rating = excluded.rating, \
        rated_at = excluded.rated_at, rating_asked_at = excluded.rating_asked_at, \
        unheard_since = excluded.unheard_since";
}

/// A page of an app's sessions with their customers, restricted by a condition.
macro_rules! exported_sessions {
    ($condition:literal) => {
        concat!(
            "SELECT s.app, s.room, ",
            session_columns!("s."),
            ", c.channel, u.user_id, u.username FROM sessions s \
            JOIN customer_rooms c ON c.room = s.room JOIN users u ON u.id = c.customer \
            WHERE s.app = $1 AND s.id > $2 ",
            $condition,
            "ORDER BY s.id LIMIT $3"
        )
    };
}

statements! {
    SESSIONS_OF_APP = exported_sessions!("");
    SESSIONS_OF_APP_IN_ROOM = exported_sessions!("AND s.room = $4 ");
    SESSIONS_OF_ROOM = concat!("SELECT app, room, ", session_columns!(""), " FROM sessions \
        WHERE room = $1 AND app = $2 AND id < $3 ORDER BY id DESC LIMIT $4");
}

pub(crate) fn row(row: &ValueRow) -> Read<Session> {
    row_from(row, 2, AppId(row.number(0)?), RoomId(row.number(1)?))
}

/// Reads a session, whose columns begin at `first`.
pub(crate) fn row_from(row: &ValueRow, first: usize, app: AppId, room: RoomId) -> Read<Session> {
    Ok(Session {
        id: SessionId(row.number(first)?),
        app,
        room,
        served_by: row.maybe_number(first + 1)?.map(AgentId),
        taken_at: row.maybe_time(first + 2)?,
        notes: row.maybe_text(first + 3)?,
        first_message: MessageId(row.number(first + 4)?),
        first_message_at: row.time(first + 5)?,
        last_message: MessageId(row.number(first + 6)?),
        created_at: row.time(first + 7)?,
        updated_at: row.time(first + 8)?,
        resolved_at: row.maybe_time(first + 9)?,
        resolved_by: row.maybe_number(first + 10)?.map(AgentId),
        first_reply_at: row.maybe_time(first + 11)?,
        first_reply_by: row.maybe_number(first + 12)?.map(AgentId),
        reopened_at: row.maybe_time(first + 13)?,
        rating: row.maybe_number(first + 14)?.and_then(Rating::from_number),
        rated_at: row.maybe_time(first + 15)?,
        rating_asked_at: row.maybe_time(first + 16)?,
        unheard_since: row.maybe_time(first + 17)?,
    })
}

/// Deletes the notes of all sessions of a room.
pub(crate) fn delete_notes(room: RoomId) -> Ask {
    Ask::new(&FORGET_NOTES, values![room.0])
}

pub(crate) fn put(session: &Session) -> Ask {
    let values = values![
        session.room.0,
        session.id.0,
        session.app.0,
        session.served_by.map(|agent| agent.0),
        session.taken_at,
        session.notes.as_deref(),
        session.first_message.0,
        session.first_message_at,
        session.last_message.0,
        session.created_at,
        session.updated_at,
        session.resolved_at,
        session.resolved_by.map(|agent| agent.0),
        session.first_reply_at,
        session.first_reply_by.map(|agent| agent.0),
        session.reopened_at,
        session.rating.map(Rating::number),
        session.rated_at,
        session.rating_asked_at,
        session.unheard_since,
    ];
    Ask::new(&PUT_SESSION, values)
}

impl Store {
    /// Returns sessions of a room of the app before this one, newest first.
    pub async fn sessions_of_room(
        &self,
        app: AppId,
        room: RoomId,
        before: SessionId,
        size: usize,
    ) -> Read<Vec<Session>> {
        let values = values![room.0, app.0, before.0, size as i64];
        self.asked(Ask::new(&SESSIONS_OF_ROOM, values), row).await
    }

    /// Returns sessions of the app, or only those of one of its rooms, after this session, oldest
    /// first.
    pub async fn sessions_of_app(
        &self,
        app: AppId,
        room: Option<RoomId>,
        after: SessionId,
        size: usize,
    ) -> Read<Vec<ExportedSession>> {
        const NEXT: usize = 2 + count(session_columns!(""));
        let size = size as i64;
        let ask = match room {
            None => Ask::new(&SESSIONS_OF_APP, values![app.0, after.0, size]),
            Some(room) => Ask::new(&SESSIONS_OF_APP_IN_ROOM, values![app.0, after.0, size, room.0]),
        };
        let read = |row: &ValueRow| {
            Ok(ExportedSession {
                session: self::row(row)?,
                channel: ChannelId(row.number(NEXT)?),
                customer: UserId::from_stored(row.text(NEXT + 1)?),
                customer_name: row.text(NEXT + 2)?,
            })
        };
        self.asked(ask, read).await
    }
}
