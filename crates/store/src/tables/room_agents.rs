//! Agents that serve rooms.

use confab_domain::ids::{AgentId, MessageId, RoomId};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::AgentProfile;

use super::agents::{self, agent_columns};
use super::users::user_columns;
use super::{customer_rooms, served_rooms};
use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, ids_as_text, ids_in, prepared, statements, values};
use crate::store::Store;

prepared! {
    AGENTS_OF_ROOM = concat!("SELECT ", agent_columns!(), " FROM room_agents r \
        JOIN dashboard_users d ON d.id = r.agent JOIN users u ON u.id = d.id \
        WHERE r.room = $1 AND d.app = $2 ORDER BY r.joined_at, d.id");
    SPEAKERS_OF_ROOM = concat!("SELECT ", user_columns!("u."), " FROM room_agents r \
        JOIN users u ON u.id = r.agent WHERE r.room = $1");
    ADD_AGENT = "INSERT INTO room_agents (room, agent, joined_at) VALUES ($1, $2, $3) \
        ON CONFLICT (room, agent) DO NOTHING";
    REMOVE_AGENT = "DELETE FROM room_agents WHERE room = $1 AND agent = $2";
}

/// Agents that serve any of several rooms, each with the room.
macro_rules! agents_of_rooms {
    ($rooms:expr) => {
        concat!(
            "SELECT ",
            agent_columns!(),
            ", r.room FROM room_agents r \
             JOIN dashboard_users d ON d.id = r.agent JOIN users u ON u.id = d.id \
             WHERE r.room ",
            $rooms,
            " ORDER BY r.room, r.joined_at, d.id"
        )
    };
}

statements! {
    SQLITE_AGENTS_OF_ROOMS = agents_of_rooms!("IN (SELECT value FROM json_each($1))");
    POSTGRES_AGENTS_OF_ROOMS = agents_of_rooms!(concat!("= ANY (", ids_in!("$1"), ")"));
    AGENTS_IN_ROOM = concat!("SELECT ", agent_columns!(), " FROM room_agents r \
        JOIN dashboard_users d ON d.id = r.agent JOIN users u ON u.id = d.id \
        WHERE r.room = $1 ORDER BY r.joined_at, d.id");
    ROOMS_OF_AGENT = "SELECT room FROM room_agents WHERE agent = $1 ORDER BY room LIMIT $2";
}

pub(crate) fn add(room: RoomId, agent: AgentId, at: Timestamp) -> Vec<Ask> {
    let add = Ask::new(&ADD_AGENT, values![room.0, agent.0, at]);
    vec![add, served_rooms::delete(room, agent), customer_rooms::touch(room)]
}

pub(crate) fn remove(room: RoomId, agent: AgentId, until_message: MessageId) -> Vec<Ask> {
    let remove = Ask::new(&REMOVE_AGENT, values![room.0, agent.0]);
    let served = served_rooms::put(room, agent, until_message);
    vec![remove, served, customer_rooms::touch(room)]
}

impl Store {
    /// Returns the agents that serve a room, in order of joining.
    pub async fn agents_of_room(&self, room: RoomId) -> Read<Vec<AgentProfile>> {
        let ask = Ask::new(&AGENTS_IN_ROOM, values![room.0]);
        self.query_now(ask, |row| Ok(agents::row(row, self.sealer())?.profile)).await
    }

    /// Returns the agents that serve several rooms, each with the room, in order of joining.
    pub async fn agents_of_rooms(&self, rooms: &[RoomId]) -> Read<Vec<(RoomId, AgentProfile)>> {
        let sql = match self {
            Self::Sqlite(_) => &SQLITE_AGENTS_OF_ROOMS,
            Self::Postgres(_) => &POSTGRES_AGENTS_OF_ROOMS,
        };
        let values = values![ids_as_text(rooms.iter().map(|room| room.0))];
        let read = |row: &ValueRow| {
            let room = RoomId(row.number(agents::COLUMNS)?);
            Ok((room, agents::row(row, self.sealer())?.profile))
        };
        self.asked(Ask::new(sql, values), read).await
    }

    /// Returns rooms that an agent serves.
    pub async fn rooms_of_agent(&self, agent: AgentId, size: usize) -> Read<Vec<RoomId>> {
        let ask = Ask::new(&ROOMS_OF_AGENT, values![agent.0, size as i64]);
        self.asked(ask, |row| Ok(RoomId(row.number(0)?))).await
    }
}
