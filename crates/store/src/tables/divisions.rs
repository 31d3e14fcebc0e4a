//! Divisions (groups of agents) of an app, and their members.

use confab_domain::agents::division::{Division, Divisions};
use confab_domain::ids::{AgentId, AppId, DivisionId};
use confab_domain::limits;

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

prepared! {
    DIVISIONS = "SELECT id, name, is_default, created_at, updated_at FROM divisions \
        WHERE app = $1 ORDER BY id LIMIT $2";
    PUT_DIVISION = "INSERT INTO divisions (app, id, name, is_default, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6) \
        ON CONFLICT (app, id) DO UPDATE SET name = excluded.name, \
        is_default = excluded.is_default, updated_at = excluded.updated_at";
    DIVISIONS_OF = "SELECT division FROM agent_divisions WHERE app = $1 AND agent = $2 \
        ORDER BY division";
    REMOVE_DIVISION = "DELETE FROM divisions WHERE app = $1 AND id = $2";
    CLEAR_DIVISION = "DELETE FROM agent_divisions WHERE app = $1 AND division = $2";
    CLEAR_DIVISIONS_OF = "DELETE FROM agent_divisions WHERE app = $1 AND agent = $2";
    ADD_DIVISION_OF = "INSERT INTO agent_divisions (app, agent, division) VALUES ($1, $2, $3) \
        ON CONFLICT (app, agent, division) DO NOTHING";
}

statements! {
    MEMBERS = "SELECT agent, division FROM agent_divisions WHERE app = $1 \
        ORDER BY agent, division";
}

pub(crate) fn row(row: &ValueRow) -> Read<Division> {
    Ok(Division {
        id: DivisionId(row.number(0)?),
        name: row.text(1)?,
        is_default: row.flag(2)?,
        created_at: row.time(3)?,
        updated_at: row.time(4)?,
    })
}

/// Selects all divisions of an app.
pub(crate) fn of_app(app: AppId) -> Ask {
    Ask::new(&DIVISIONS, values![app.0, limits::DIVISIONS_MAX as i64])
}

/// Selects the divisions to which an agent belongs.
pub(crate) fn of_agent(app: AppId, agent: AgentId) -> Ask {
    Ask::new(&DIVISIONS_OF, values![app.0, agent.0])
}

pub(crate) fn put(app: AppId, division: &Division) -> Vec<Ask> {
    let Division { id, name, is_default, created_at, updated_at } = division;
    let values = values![app.0, id.0, name, *is_default, *created_at, *updated_at];
    vec![Ask::new(&PUT_DIVISION, values)]
}

pub(crate) fn remove(app: AppId, division: DivisionId) -> Vec<Ask> {
    vec![
        Ask::new(&CLEAR_DIVISION, values![app.0, division.0]),
        Ask::new(&REMOVE_DIVISION, values![app.0, division.0]),
    ]
}

/// Replaces the divisions to which an agent belongs.
pub(crate) fn set_of(app: AppId, agent: AgentId, divisions: &[DivisionId]) -> Vec<Ask> {
    let mut asks = vec![Ask::new(&CLEAR_DIVISIONS_OF, values![app.0, agent.0])];
    for division in divisions {
        asks.push(Ask::new(&ADD_DIVISION_OF, values![app.0, agent.0, division.0]));
    }
    asks
}

impl Store {
    /// Returns the divisions of the app, and their members.
    pub async fn divisions(&self, app: AppId) -> Read<Divisions> {
        let all = self.query_now(of_app(app), row).await?;
        let member = |row: &ValueRow| Ok((AgentId(row.number(0)?), DivisionId(row.number(1)?)));
        let members = self.query_now(Ask::new(&MEMBERS, values![app.0]), member).await?;
        Ok(Divisions { all, members })
    }
}
