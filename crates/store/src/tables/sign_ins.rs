//! Sign-ins of agents: token hashes and expiry times.

use confab_domain::agents::account::{SignIn, SignInView};
use confab_domain::agents::right::SignInState;
use confab_domain::agents::role::Role;
use confab_domain::decision::change::AgentChange;
use confab_domain::ids::{AgentId, AppId, ChannelId, SignInId};
use confab_domain::support::conversations::customer_room::AgentRecord;
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
    SIGN_INS = "SELECT hash, good_until, id FROM sign_ins WHERE dashboard_user = $1";
    ADD_SIGN_IN = "INSERT INTO sign_ins \
        (hash, dashboard_user, good_until, id, created_at, seen_at, browser, address) \
        VALUES ($1, $2, $3, $4, $5, $5, $6, $7)";
    SEE_SIGN_IN = "UPDATE sign_ins SET seen_at = $2 WHERE hash = $1 AND seen_at < $2";
    END_SIGN_IN = "DELETE FROM sign_ins WHERE hash = $1";
    END_SIGN_INS = "DELETE FROM sign_ins WHERE dashboard_user = $1";
}

statements! {
    SIGNED_IN = concat!("SELECT ", agent_columns!(), ", s.seen_at FROM sign_ins s \
        JOIN dashboard_users d ON d.id = s.dashboard_user JOIN users u ON u.id = d.id \
        WHERE s.hash = $1 AND s.good_until > $2 AND d.deleted_at IS NULL");
    SHOWN_SIGN_INS = "SELECT id, hash, created_at, seen_at, browser, address FROM sign_ins \
        WHERE dashboard_user = $1 AND good_until > $2 ORDER BY created_at DESC, id DESC";
    LAPSED_AGENTS = "SELECT d.app, d.id FROM dashboard_users d WHERE d.deleted_at IS NULL \
        AND (d.is_available = 1 OR EXISTS (SELECT 1 FROM sign_ins o \
        WHERE o.dashboard_user = d.id)) AND NOT EXISTS (SELECT 1 FROM sign_ins s \
        WHERE s.dashboard_user = d.id AND s.good_until > $1) LIMIT $2";
    END_SIGN_INS_OF_EMAIL = "UPDATE sign_ins SET good_until = 0 WHERE dashboard_user IN \
        (SELECT id FROM dashboard_users WHERE email = $1)";
}

pub(crate) fn row(row: &ValueRow) -> Read<SignIn> {
    Ok(SignIn { hash: row.text(0)?, until: row.time(1)?, id: SignInId(row.number(2)?) })
}

fn shown(row: &ValueRow) -> Read<SignInView> {
    Ok(SignInView {
        id: SignInId(row.number(0)?),
        hash: row.text(1)?,
        created_at: row.time(2)?,
        seen_at: row.time(3)?,
        browser: row.maybe_text(4)?,
        address: row.maybe_text(5)?,
    })
}

/// Reads the agent's role and the expiry of a sign-in. `None` if this version does not know the
/// role, which then has no rights.
pub(crate) fn standing(row: &ValueRow) -> Read<Option<SignInState>> {
    let (role, until) = (Role::from_number(row.number(0)?), row.time(1)?);
    Ok(role.map(|role| SignInState { role, until }))
}

/// Returns the statement that inserts a new sign-in. Returns nothing for changes of other kinds.
pub(crate) fn add(change: &AgentChange) -> Vec<Ask> {
    let AgentChange::AddSignIn { hash, user, until, id, at, browser, address } = change else {
        return Vec::new();
    };
    let (browser, address) = (browser.as_deref(), address.as_deref());
    vec![Ask::new(&ADD_SIGN_IN, values![hash, user.0, *until, id.0, *at, browser, address])]
}

pub(crate) fn see(hash: &str, at: Timestamp) -> Vec<Ask> {
    vec![Ask::new(&SEE_SIGN_IN, values![hash, at])]
}

pub(crate) fn end(hash: &str) -> Vec<Ask> {
    vec![Ask::new(&END_SIGN_IN, values![hash])]
}

pub(crate) fn end_all(agent: AgentId) -> Vec<Ask> {
    vec![Ask::new(&END_SIGN_INS, values![agent.0]), sign_in_codes::end_all(agent)]
}

impl Store {
    /// Returns the agent that has a valid token with this hash, and the channels that the agent
    /// serves.
    pub async fn signed_in(&self, hash: &str, now: Timestamp) -> Read<Option<AgentRecord>> {
        Ok(self.used_sign_in(hash, now).await?.map(|(agent, _)| agent))
    }

    /// Returns the agent that has a valid token with this hash, and the time when the token's last
    /// use was recorded.
    pub async fn used_sign_in(
        &self,
        hash: &str,
        now: Timestamp,
    ) -> Read<Option<(AgentRecord, Timestamp)>> {
        let ask = Ask::new(&SIGNED_IN, values![hash, now]);
        let read =
            |row: &ValueRow| Ok((agents::row(row, self.sealer())?, row.time(agents::COLUMNS)?));
        let Some((agent, seen_at)) = self.query_now(ask, read).await?.pop() else {
            return Ok(None);
        };
        let ask = Ask::new(&CHANNELS_OF_AGENT, values![agent.profile.user.id.0]);
        let channels = self.query_now(ask, |row| Ok(ChannelId(row.number(0)?))).await?;
        Ok(Some((AgentRecord { channels, ..agent }, seen_at)))
    }

    /// Returns the valid sign-ins of an agent, newest first.
    pub async fn sign_ins(&self, agent: AgentId, now: Timestamp) -> Read<Vec<SignInView>> {
        self.query_now(Ask::new(&SHOWN_SIGN_INS, values![agent.0, now]), shown).await
    }

    /// Returns agents without a valid sign-in that are still marked as available or whose expired
    /// sign-ins are still stored.
    pub async fn lapsed_agents(&self, now: Timestamp, size: usize) -> Read<Vec<(AppId, AgentId)>> {
        let ask = Ask::new(&LAPSED_AGENTS, values![now.0, size as i64]);
        let read = |row: &ValueRow| Ok((AppId(row.number(0)?), AgentId(row.number(1)?)));
        self.asked(ask, read).await
    }
}
