//! Rooms that agents served in the past, and the last message up to which each agent served the
//! room (D-0090).

use confab_domain::ids::{AgentId, MessageId, RoomId};

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, ids_as_text, ids_in, prepared, statements, values};
use crate::store::Store;

prepared! {
    PUT_SERVED = "INSERT INTO served_rooms (room, agent, until_message) VALUES ($1, $2, $3) \
        ON CONFLICT (room, agent) DO UPDATE SET until_message = excluded.until_message";
    FORGET_SERVED = "DELETE FROM served_rooms WHERE room = $1 AND agent = $2";
}

/// Rooms, among several, that an agent serves (1) or served in the past (0).
macro_rules! known_rooms {
    ($rooms:expr) => {
        concat!(
            "SELECT room, CAST(1 AS BIGINT) FROM room_agents WHERE agent = $1 AND room ",
            $rooms,
            " UNION ALL SELECT room, CAST(0 AS BIGINT) FROM served_rooms WHERE agent = $1 AND room ",
            $rooms
        )
    };
}

statements! {
    SQLITE_KNOWN_ROOMS = known_rooms!("IN (SELECT value FROM json_each($2))");
    POSTGRES_KNOWN_ROOMS = known_rooms!(concat!("= ANY (", ids_in!("$2"), ")"));
    HAS_SERVED = "SELECT room FROM served_rooms WHERE room = $1 AND agent = $2";
}

/// Records that an agent left a room, and the last message up to which the agent served it.
pub(crate) fn put(room: RoomId, agent: AgentId, until_message: MessageId) -> Ask {
    Ask::new(&PUT_SERVED, values![room.0, agent.0, until_message.0])
}

/// Deletes the record of a room for an agent that serves it again.
pub(crate) fn delete(room: RoomId, agent: AgentId) -> Ask {
    Ask::new(&FORGET_SERVED, values![room.0, agent.0])
}

impl Store {
    /// Whether an agent served the room in the past and does not serve it now.
    pub async fn has_served(&self, room: RoomId, agent: AgentId) -> Read<bool> {
        let ask = Ask::new(&HAS_SERVED, values![room.0, agent.0]);
        Ok(!self.query_now(ask, |_| Ok(())).await?.is_empty())
    }

    /// Returns those of the given rooms that the agent serves or served in the past, and whether
    /// the agent serves them now.
    pub async fn rooms_served_by(
        &self,
        agent: AgentId,
        rooms: &[RoomId],
    ) -> Read<Vec<(RoomId, bool)>> {
        let sql = match self {
            Self::Sqlite(_) => &SQLITE_KNOWN_ROOMS,
            Self::Postgres(_) => &POSTGRES_KNOWN_ROOMS,
        };
        let values = values![agent.0, ids_as_text(rooms.iter().map(|room| room.0))];
        let read = |row: &ValueRow| Ok((RoomId(row.number(0)?), row.flag(1)?));
        self.asked(Ask::new(sql, values), read).await
    }
}
