//! Which agents serve which rooms.

use confab_domain::ids::{AgentId, MessageId, RoomId};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::notice::AgentProfile;

use super::agents::{self, agent_columns};
use super::served_rooms;
use super::users::user_columns;
use crate::error::Read;
use crate::sql::{Ask, Row, prepared, statements, values};
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

statements! {
    AGENTS_IN_ROOM = concat!("SELECT ", agent_columns!(), " FROM room_agents r \
        JOIN dashboard_users d ON d.id = r.agent JOIN users u ON u.id = d.id \
        WHERE r.room = $1 ORDER BY r.joined_at, d.id");
    ROOMS_OF_AGENT = "SELECT room FROM room_agents WHERE agent = $1 ORDER BY room LIMIT $2";
}

pub(crate) fn add(room: RoomId, agent: AgentId, at: Timestamp) -> Vec<Ask> {
    let add = Ask::new(&ADD_AGENT, values![room.0, agent.0, at]);
    vec![add, served_rooms::forget(room, agent)]
}

pub(crate) fn remove(room: RoomId, agent: AgentId, until_message: MessageId) -> Vec<Ask> {
    let remove = Ask::new(&REMOVE_AGENT, values![room.0, agent.0]);
    vec![remove, served_rooms::put(room, agent, until_message)]
}

impl Store {
    /// Who serves a room, the first who came first.
    pub async fn agents_of_room(&self, room: RoomId) -> Read<Vec<AgentProfile>> {
        let ask = Ask::new(&AGENTS_IN_ROOM, values![room.0]);
        self.asked(ask, |row| Ok(agents::row(row, self.sealer())?.profile)).await
    }

    /// The rooms that an agent serves.
    pub async fn rooms_of_agent(&self, agent: AgentId, size: usize) -> Read<Vec<RoomId>> {
        let ask = Ask::new(&ROOMS_OF_AGENT, values![agent.0, size as i64]);
        self.asked(ask, |row| Ok(RoomId(row.number(0)?))).await
    }
}
