//! Trails of customers' rooms: agents joining and leaving, and changes of the conversations
//! (design/support).

use confab_domain::agents::agent::Person;
use confab_domain::ids::{AgentId, RoomId, TrailId};
use confab_domain::support::conversations::trail::{TrailEntry, TrailKind};
use confab_domain::time::Timestamp;

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

prepared! {
    ADD_TRAIL = "INSERT INTO trail (room, id, what, decided_by, agent, at) \
        VALUES ($1, $2, $3, $4, $5, $6)";
}

statements! {
    TRAIL = "SELECT id, what, decided_by, agent, at FROM trail \
        WHERE room = $1 AND id < $2 ORDER BY id DESC LIMIT $3";
    TRAIL_ENTRY = "SELECT id, what, decided_by, agent, at FROM trail \
        WHERE room = $1 AND id = $2";
}

/// An entry of a room's trail, with the ids of agents instead of their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrailRow {
    pub id: TrailId,
    pub what: TrailKind,
    /// Agent that caused the entry; `None` if the server or the app did.
    pub by: Option<AgentId>,
    /// Agent that joined or left the room, if the entry is about that.
    pub agent: Option<AgentId>,
    pub at: Timestamp,
}

fn row(row: &ValueRow) -> Read<Option<TrailRow>> {
    // Skip kinds written by newer versions.
    let Some(what) = TrailKind::from_stored(&row.text(1)?) else { return Ok(None) };
    Ok(Some(TrailRow {
        id: TrailId(row.number(0)?),
        what,
        by: row.maybe_number(2)?.map(AgentId),
        agent: row.maybe_number(3)?.map(AgentId),
        at: row.time(4)?,
    }))
}

pub(crate) fn add(entry: &TrailEntry) -> Vec<Ask> {
    let id = |person: &Option<Person>| person.as_ref().map(|it| it.id.0);
    let values = values![
        entry.room.0,
        entry.id.0,
        entry.what.stored(),
        id(&entry.by),
        id(&entry.agent),
        entry.at,
    ];
    vec![Ask::new(&ADD_TRAIL, values)]
}

impl Store {
    /// Returns trail entries of a room before this one, newest first.
    pub async fn trail(&self, room: RoomId, before: TrailId, size: usize) -> Read<Vec<TrailRow>> {
        let ask = Ask::new(&TRAIL, values![room.0, before.0, size as i64]);
        Ok(self.asked(ask, row).await?.into_iter().flatten().collect())
    }

    /// Returns one trail entry of a room.
    pub async fn trail_entry(&self, room: RoomId, id: TrailId) -> Read<Option<TrailRow>> {
        let ask = Ask::new(&TRAIL_ENTRY, values![room.0, id.0]);
        Ok(self.query_now(ask, row).await?.into_iter().flatten().next())
    }
}
