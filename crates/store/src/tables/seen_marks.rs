//! Positions up to which agents have seen customers' rooms (design/support).

use confab_domain::ids::{AgentId, RoomId};
use confab_domain::support::annotations::seen_mark::SeenMark;

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, ids_as_text, ids_in, prepared, statements, values};
use crate::store::Store;

prepared! {
    // Positions only rise.
    SEE = "INSERT INTO seen_marks (room, agent, number) VALUES ($1, $2, $3) \
        ON CONFLICT (room, agent) DO UPDATE SET unread_at = NULL, number = \
        CASE WHEN seen_marks.number < excluded.number THEN excluded.number \
        ELSE seen_marks.number END";
    UNSEE = "INSERT INTO seen_marks (room, agent, number, unread_at) VALUES ($1, $2, 0, $3) \
        ON CONFLICT (room, agent) DO UPDATE SET unread_at = excluded.unread_at";
}

macro_rules! seen_marks {
    ($rooms:expr) => {
        concat!("SELECT room, number, unread_at FROM seen_marks WHERE agent = $2 AND room ", $rooms)
    };
}

statements! {
    SQLITE_SEEN_MARKS = seen_marks!("IN (SELECT value FROM json_each($1))");
    POSTGRES_SEEN_MARKS = seen_marks!(concat!("= ANY (", ids_in!("$1"), ")"));
}

/// Records that an agent has seen all messages of a room up to this number.
pub(crate) fn see(room: RoomId, agent: AgentId, number: u64) -> Vec<Ask> {
    vec![Ask::new(&SEE, values![room.0, agent.0, number as i64])]
}

/// Marks a room as unread for an agent. `number` is the number of the room's last message.
pub(crate) fn unsee(room: RoomId, agent: AgentId, number: u64) -> Vec<Ask> {
    vec![Ask::new(&UNSEE, values![room.0, agent.0, number as i64])]
}

fn row(row: &ValueRow) -> Read<(RoomId, SeenMark)> {
    let unread_at = row.maybe_number(2)?.map(|number| number as u64);
    Ok((RoomId(row.number(0)?), SeenMark { number: row.number(1)? as u64, unread_at }))
}

impl Store {
    /// Returns the positions up to which an agent has seen the given rooms. Rooms that the agent
    /// never opened are left out.
    pub async fn seen_marks(
        &self,
        agent: AgentId,
        rooms: &[RoomId],
    ) -> Read<Vec<(RoomId, SeenMark)>> {
        let sql = match self {
            Self::Sqlite(_) => &SQLITE_SEEN_MARKS,
            Self::Postgres(_) => &POSTGRES_SEEN_MARKS,
        };
        let values = values![ids_as_text(rooms.iter().map(|room| room.0)), agent.0];
        self.asked(Ask::new(sql, values), row).await
    }
}
