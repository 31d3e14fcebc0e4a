//! Who is signed in: the hashes of their tokens, and until when these are good.

use confab_domain::agents::account::SignIn;
use confab_domain::agents::right::SignInStanding;
use confab_domain::agents::role::Role;
use confab_domain::ids::{AgentId, AppId, ChannelId};
use confab_domain::service::customer_room::AgentRecord;
use confab_domain::time::Timestamp;

use super::agent_channels::CHANNELS_OF_AGENT;
use super::agents::{self, agent_columns};
use super::sign_in_codes;
use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

prepared! {
    RIGHT = "SELECT d.role, s.good_until FROM sign_ins s \
        JOIN dashboard_users d ON d.id = s.dashboard_user \
        WHERE s.hash = $1 AND d.id = $2 AND d.app = $3 AND d.deleted_at IS NULL";
    SIGN_INS = "SELECT hash, good_until FROM sign_ins WHERE dashboard_user = $1";
    ADD_SIGN_IN = "INSERT INTO sign_ins (hash, dashboard_user, good_until) VALUES ($1, $2, $3)";
    END_SIGN_IN = "DELETE FROM sign_ins WHERE hash = $1";
    END_SIGN_INS = "DELETE FROM sign_ins WHERE dashboard_user = $1";
}

statements! {
    SIGNED_IN = concat!("SELECT ", agent_columns!(), " FROM sign_ins s \
        JOIN dashboard_users d ON d.id = s.dashboard_user JOIN users u ON u.id = d.id \
        WHERE s.hash = $1 AND s.good_until > $2 AND d.deleted_at IS NULL");
    LAPSED_AGENTS = "SELECT d.app, d.id FROM dashboard_users d WHERE d.deleted_at IS NULL \
        AND (d.is_available = 1 OR EXISTS (SELECT 1 FROM sign_ins o \
        WHERE o.dashboard_user = d.id)) AND NOT EXISTS (SELECT 1 FROM sign_ins s \
        WHERE s.dashboard_user = d.id AND s.good_until > $1) LIMIT $2";
    END_SIGN_INS_OF_EMAIL = "UPDATE sign_ins SET good_until = 0 WHERE dashboard_user IN \
        (SELECT id FROM dashboard_users WHERE email = $1)";
}

pub(crate) fn row(row: &ValueRow) -> Read<SignIn> {
    Ok(SignIn { hash: row.text(0)?, until: row.time(1)? })
}

/// A role that this version does not know is nobody's right.
pub(crate) fn standing(row: &ValueRow) -> Read<Option<SignInStanding>> {
    let (role, until) = (Role::from_number(row.number(0)?), row.time(1)?);
    Ok(role.map(|role| SignInStanding { role, until }))
}

pub(crate) fn add(hash: &str, agent: AgentId, until: Timestamp) -> Vec<Ask> {
    vec![Ask::new(&ADD_SIGN_IN, values![hash, agent.0, until])]
}

pub(crate) fn end(hash: &str) -> Vec<Ask> {
    vec![Ask::new(&END_SIGN_IN, values![hash])]
}

pub(crate) fn end_all(agent: AgentId) -> Vec<Ask> {
    vec![Ask::new(&END_SIGN_INS, values![agent.0]), sign_in_codes::end_all(agent)]
}

impl Store {
    /// Who signed in with a token of this hash, if it is still good, with the channels they serve.
    pub async fn signed_in(&self, hash: &str, now: Timestamp) -> Read<Option<AgentRecord>> {
        let ask = Ask::new(&SIGNED_IN, values![hash, now]);
        let found = self.asked(ask, |row| agents::row(row, self.sealer())).await?.pop();
        let Some(agent) = found else { return Ok(None) };
        let ask = Ask::new(&CHANNELS_OF_AGENT, values![agent.profile.user.id.0]);
        let channels = self.asked(ask, |row| Ok(ChannelId(row.number(0)?))).await?;
        Ok(Some(AgentRecord { channels, ..agent }))
    }

    /// Those who count as available and are signed in nowhere.
    pub async fn lapsed_agents(&self, now: Timestamp, size: usize) -> Read<Vec<(AppId, AgentId)>> {
        let ask = Ask::new(&LAPSED_AGENTS, values![now.0, size as i64]);
        let read = |row: &ValueRow| Ok((AppId(row.number(0)?), AgentId(row.number(1)?)));
        self.asked(ask, read).await
    }
}
