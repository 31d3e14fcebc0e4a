//! Agents of an app: profile, role and password hash. Each agent has a user with the same integer
//! id, who posts on the agent's behalf (the speaker).

use confab_domain::agents::agent::Agent;
use confab_domain::agents::role::Role;
use confab_domain::ids::{AgentId, AppId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::UserId;
use confab_domain::support::conversations::customer_room::{AgentRecord, Candidate};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::AgentProfile;

use super::agent_channels;
use super::users::user_columns;
use crate::error::Read;
use crate::secrets::sealer::{Sealer, SecretLocation};
use crate::sql::{Ask, Row, ValueRow, count, on_shards, prepared, statements, values};
use crate::store::Store;

/// Columns of an agent `d`, and of the user `u` that posts on behalf of the agent.
macro_rules! agent_columns {
    () => {
        "d.id, d.app, d.email, d.name, d.role, d.created_at, d.avatar_url, d.is_forced_offline, \
         d.is_available, d.is_verified, d.last_login_at, u.user_id, u.sealed_token, d.updated_at, \
         d.serves_max, d.away_since, d.deleted_at"
    };
}
pub(crate) use agent_columns;

/// Number of columns of an agent.
pub(crate) const COLUMNS: usize = count(agent_columns!());

/// Number of rooms that agent `d` serves. On Citus it comes from `serving`, which counts for all
/// agents at once: Citus rejects a count for each row of a table that is on every worker.
macro_rules! serves {
    () => {
        on_shards!(
            "coalesce(serving.count, 0)",
            "(SELECT count(*) FROM room_agents r WHERE r.agent = d.id)"
        )
    };
}

/// Join of the counts that `serves` reads, for the agents `a` that match a condition. Empty without
/// Citus, where `serves` counts by itself.
macro_rules! serving {
    ($which:literal) => {
        on_shards!(concat!(
            " LEFT JOIN (SELECT r.agent, count(*) AS count FROM room_agents r \
             JOIN dashboard_users a ON a.id = r.agent WHERE ",
            $which,
            " GROUP BY r.agent) serving ON serving.agent = d.id"
        ))
    };
}

// Facts and writes of rules.
prepared! {
    CANDIDATES = concat!("SELECT ", agent_columns!(), ", ", serves!(), " \
        FROM dashboard_users d JOIN users u ON u.id = d.id", serving!("a.app = $1"), " \
        WHERE d.app = $1 AND d.role = 2 AND d.is_available = 1 AND d.is_forced_offline = 0 \
        AND d.deleted_at IS NULL ORDER BY d.id LIMIT $2");
    // Available agents first: there may be more than the limit.
    ALL_AGENTS = concat!("SELECT ", agent_columns!(), ", ", serves!(), " \
        FROM dashboard_users d JOIN users u ON u.id = d.id", serving!("a.app = $1"), " \
        WHERE d.app = $1 AND d.role = 2 AND d.deleted_at IS NULL \
        ORDER BY d.is_available DESC, d.is_forced_offline, d.id LIMIT $2");
    // Agents before admins and supervisors, who count only in an app without agents.
    STAFF = concat!("SELECT ", agent_columns!(), ", ", serves!(), " \
        FROM dashboard_users d JOIN users u ON u.id = d.id", serving!("a.app = $1"), " \
        WHERE d.app = $1 AND d.deleted_at IS NULL ORDER BY CASE d.role WHEN 2 THEN 0 ELSE 1 END, \
        d.is_available DESC, d.is_forced_offline, d.id LIMIT $2");
    SPEAKERS_OF_CANDIDATES = concat!("SELECT ", user_columns!("u."), " FROM dashboard_users d \
        JOIN users u ON u.id = d.id \
        WHERE d.app = $1 AND d.role = 2 AND d.is_available = 1 AND d.is_forced_offline = 0 \
        AND d.deleted_at IS NULL ORDER BY d.id LIMIT $2");
    SPEAKERS_OF_ALL_AGENTS = concat!("SELECT ", user_columns!("u."), " FROM dashboard_users d \
        JOIN users u ON u.id = d.id \
        WHERE d.app = $1 AND d.role = 2 AND d.deleted_at IS NULL \
        ORDER BY d.is_available DESC, d.is_forced_offline, d.id LIMIT $2");
    SPEAKERS_OF_STAFF = concat!("SELECT ", user_columns!("u."), " FROM dashboard_users d \
        JOIN users u ON u.id = d.id WHERE d.app = $1 AND d.deleted_at IS NULL \
        ORDER BY CASE d.role WHEN 2 THEN 0 ELSE 1 END, \
        d.is_available DESC, d.is_forced_offline, d.id LIMIT $2");
    AGENT = concat!("SELECT ", agent_columns!(), ", ", serves!(), " \
        FROM dashboard_users d JOIN users u ON u.id = d.id", serving!("a.id = $1"), " \
        WHERE d.id = $1 AND d.app = $2 AND d.deleted_at IS NULL");
    ACCOUNT = concat!("SELECT ", agent_columns!(), ", d.password_hash \
        FROM dashboard_users d JOIN users u ON u.id = d.id \
        WHERE d.id = $1 AND d.app = $2 AND d.deleted_at IS NULL");
    COUNT_ADMINS = "SELECT count(*) FROM dashboard_users \
        WHERE app = $1 AND role = 1 AND deleted_at IS NULL";
    AGENT_OF_EMAIL = "SELECT id FROM dashboard_users WHERE email = $1";
    COUNT_AGENTS = "SELECT count(*) FROM dashboard_users \
        WHERE app = $1 AND deleted_at IS NULL";
    PUT_AGENT = "INSERT INTO dashboard_users (id, app, email, name, role, password_hash, \
        created_at, updated_at, avatar_url, is_available, is_forced_offline, is_verified, \
        last_login_at, serves_max, away_since, deleted_at) \
        VALUES ($1, $2, $3, $4, $5, '', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
        ON CONFLICT (id) DO UPDATE SET email = excluded.email, name = excluded.name, \
        role = excluded.role, updated_at = excluded.updated_at, \
        avatar_url = excluded.avatar_url, is_available = excluded.is_available, \
        is_forced_offline = excluded.is_forced_offline, is_verified = excluded.is_verified, \
        last_login_at = excluded.last_login_at, serves_max = excluded.serves_max, \
        away_since = excluded.away_since, deleted_at = excluded.deleted_at";
    SET_PASSWORD = "UPDATE dashboard_users SET password_hash = $2 WHERE id = $1";
}

statements! {
    AGENT_BY_EMAIL = concat!("SELECT ", agent_columns!(), ", d.password_hash \
        FROM dashboard_users d JOIN users u ON u.id = d.id \
        WHERE d.email = $1 AND d.deleted_at IS NULL");
    AGENTS = concat!("SELECT ", agent_columns!(), ", ", serves!(), " \
        FROM dashboard_users d JOIN users u ON u.id = d.id", serving!("a.app = $1"), " \
        WHERE d.app = $1 AND d.deleted_at IS NULL ORDER BY d.id LIMIT $2");
    // Includes deleted agents.
    AGENT_NAME = "SELECT name FROM dashboard_users WHERE id = $1 AND app = $2";
    AWAY_AGENTS = "SELECT DISTINCT d.id FROM dashboard_users d \
        JOIN room_agents r ON r.agent = d.id \
        WHERE d.app = $1 AND d.away_since IS NOT NULL AND d.away_since <= $2 LIMIT $3";
    DELETED_AGENTS = "SELECT DISTINCT d.app, d.id FROM dashboard_users d \
        JOIN room_agents r ON r.agent = d.id WHERE d.deleted_at IS NOT NULL LIMIT $1";

    // Statements of the operator's commands.
    DASHBOARD_USERS = "SELECT id, app, email, name, role, created_at \
        FROM dashboard_users WHERE deleted_at IS NULL ORDER BY email";
    INSERT_DASHBOARD_USER = "INSERT INTO dashboard_users \
        (id, app, email, name, role, password_hash, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7)";
    SET_DASHBOARD_PASSWORD = "UPDATE dashboard_users SET password_hash = $2, updated_at = $3 \
        WHERE email = $1 AND deleted_at IS NULL";
    DASHBOARD_USER_OF_EMAIL = "SELECT id, app, email, name, role, created_at \
        FROM dashboard_users WHERE email = $1 AND deleted_at IS NULL";
}

pub(crate) fn row(row: &ValueRow, sealer: &Sealer) -> Read<AgentRecord> {
    let id = row.number(0)?;
    let profile = AgentProfile {
        user: agent(row)?,
        avatar_url: row.maybe_text(6)?,
        is_forced_offline: row.flag(7)?,
        is_available: row.flag(8)?,
        is_verified: row.flag(9)?,
        last_login_at: row.maybe_time(10)?,
        sdk_user: UserId::from_stored(row.text(11)?),
        sdk_key: sealer.open_text(SecretLocation::UserToken(id), row.word(12)?)?,
        updated_at: row.time(13)?,
    };
    Ok(AgentRecord {
        profile,
        speaker: UserKey(id),
        serves_max: row.maybe_number(14)?.map(|max| max as u32),
        channels: Vec::new(),
        away_since: row.maybe_time(15)?,
        deleted_at: row.maybe_time(16)?,
    })
}

/// Reads the columns with which the rows of all statements about agents begin.
pub(crate) fn agent<R: Row>(row: &R) -> Result<Agent, R::Error> {
    Ok(Agent {
        id: AgentId(row.number(0)?),
        app: AppId(row.number(1)?),
        email: row.text(2)?,
        name: row.text(3)?,
        role: row.known_number(4, "role", Role::from_number)?,
        created_at: row.time(5)?,
    })
}

/// Reads an agent and the number of rooms that they serve.
pub(crate) fn candidate(row: &ValueRow, sealer: &Sealer) -> Read<Candidate> {
    let AgentRecord { profile, serves_max, .. } = self::row(row, sealer)?;
    let serves = row.number(COLUMNS)? as u32;
    Ok(Candidate { profile, serves, serves_max, channels: Vec::new() })
}

/// Reads an agent and their password hash.
pub(crate) fn with_password(row: &ValueRow, sealer: &Sealer) -> Read<(AgentRecord, String)> {
    Ok((self::row(row, sealer)?, row.text(COLUMNS)?))
}

pub(crate) fn put(agent: &AgentRecord) -> Vec<Ask> {
    let AgentRecord { profile, serves_max, channels, away_since, deleted_at, .. } = agent;
    let AgentProfile { user, avatar_url, last_login_at, updated_at, .. } = profile;
    let values = values![
        user.id.0,
        user.app.0,
        &user.email,
        &user.name,
        user.role.number(),
        user.created_at,
        *updated_at,
        avatar_url.as_deref(),
        profile.is_available,
        profile.is_forced_offline,
        profile.is_verified,
        *last_login_at,
        *serves_max,
        *away_since,
        *deleted_at,
    ];
    let mut asks = vec![Ask::new(&PUT_AGENT, values)];
    asks.extend(agent_channels::set(user.id, channels));
    asks
}

pub(crate) fn set_password(agent: AgentId, hash: &str) -> Vec<Ask> {
    vec![Ask::new(&SET_PASSWORD, values![agent.0, hash])]
}

impl Store {
    /// Returns the agent with this email address, and their password hash.
    pub async fn agent_by_email(&self, email: &str) -> Read<Option<(AgentRecord, String)>> {
        let ask = Ask::new(&AGENT_BY_EMAIL, values![email]);
        Ok(self.query_now(ask, |row| with_password(row, self.sealer())).await?.pop())
    }

    /// Returns the staff of the app, each with the channels and the number of rooms that they
    /// serve.
    pub async fn agents(&self, app: AppId) -> Read<Vec<Candidate>> {
        let ask = Ask::new(&AGENTS, values![app.0, limits::CANDIDATES_MAX as i64]);
        let found = self.asked(ask, |row| candidate(row, self.sealer())).await?;
        self.with_channels(app, found).await
    }

    /// Returns the name of an agent of the app, even of a deleted one.
    pub async fn agent_name(&self, app: AppId, agent: AgentId) -> Read<Option<String>> {
        let ask = Ask::new(&AGENT_NAME, values![agent.0, app.0]);
        Ok(self.query_now(ask, |row| row.text(0)).await?.pop())
    }

    /// Returns an agent of the app, with the channels and the number of rooms that they serve.
    pub async fn agent(&self, app: AppId, user: AgentId) -> Read<Option<Candidate>> {
        let ask = Ask::new(&AGENT, values![user.0, app.0]);
        let found = self.query_now(ask, |row| candidate(row, self.sealer())).await?;
        Ok(self.with_channels(app, found).await?.pop())
    }

    /// Returns agents that serve a room although they have been away since this time or longer.
    pub async fn away_agents(
        &self,
        app: AppId,
        since: Timestamp,
        size: usize,
    ) -> Read<Vec<AgentId>> {
        let ask = Ask::new(&AWAY_AGENTS, values![app.0, since.0, size as i64]);
        self.asked(ask, |row| Ok(AgentId(row.number(0)?))).await
    }

    /// Returns deleted agents that still serve a room.
    pub async fn deleted_agents(&self, size: usize) -> Read<Vec<(AppId, AgentId)>> {
        let ask = Ask::new(&DELETED_AGENTS, values![size as i64]);
        let read = |row: &ValueRow| Ok((AppId(row.number(0)?), AgentId(row.number(1)?)));
        self.asked(ask, read).await
    }
}
