//! The sessions of customers: from their first message until somebody resolves it.

use confab_domain::ids::{AgentId, AppId, MessageId, RoomId, SessionId};
use confab_domain::webhooks::notice::Session;

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, values};

/// What a session is beside its room and its app.
macro_rules! session_columns {
    ($s:literal) => {
        $crate::sql::columns!($s; "id", "served_by", "taken_at", "notes", "first_message",
            "first_message_at", "last_message", "created_at", "updated_at", "resolved_at")
    };
}
pub(crate) use session_columns;

prepared! {
    LAST_SERVED = concat!("SELECT app, room, ", session_columns!(""), " FROM sessions \
        WHERE room = $1 AND served_by IS NOT NULL ORDER BY id DESC LIMIT 1");
    PUT_SESSION = "INSERT INTO sessions (room, id, app, served_by, taken_at, notes, \
        first_message, first_message_at, last_message, created_at, updated_at, resolved_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
        ON CONFLICT (room, id) DO UPDATE SET served_by = excluded.served_by, \
        taken_at = excluded.taken_at, notes = excluded.notes, \
        last_message = excluded.last_message, updated_at = excluded.updated_at, \
        resolved_at = excluded.resolved_at";
}

pub(crate) fn row(row: &ValueRow) -> Read<Session> {
    row_from(row, 2, AppId(row.number(0)?), RoomId(row.number(1)?))
}

/// The columns of a session from this one on.
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
    })
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
    ];
    Ask::new(&PUT_SESSION, values)
}
