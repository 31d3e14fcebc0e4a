//! Those who work in an app: who they are, and what they may do. Each has a user of the same
//! integer that speaks for them.

use confab_domain::agents::agent::Agent;
use confab_domain::agents::role::Role;
use confab_domain::ids::{AgentId, AppId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::UserId;
use confab_domain::support::customer_room::{AgentRecord, Candidate};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::AgentProfile;

use super::agent_channels;
use super::users::user_columns;
use crate::error::Read;
use crate::secrets::sealer::{Sealer, SecretLocation};
use crate::sql::{Ask, Row, ValueRow, count, on_shards, prepared, statements, values};
use crate::store::Store;

/// An agent `d` with the user `u` that speaks for them.
macro_rules! agent_columns {
    () => {
        "d.id, d.app, d.email, d.name, d.role, d.created_at, d.avatar_url, d.is_forced_offline, \
         d.is_available, d.is_verified, d.last_login_at, u.user_id, u.sealed_token, d.updated_at, \
         d.serves_max, d.away_since, d.deleted_at"
    };
}
pub(crate) use agent_columns;

/// How many columns an agent has.
pub(crate) const COLUMNS: usize = count(agent_columns!());

/// How many rooms an agent `d` serves. Who shards counts them for all agents first: it refuses a
/// count for each row of a table that is on every worker.
macro_rules! serves {
    () => {
        on_shards!(
            "coalesce(serving.count, 0)",
            "(SELECT count(*) FROM room_agents r WHERE r.agent = d.id)"
        )
    };
}

/// The counts of those agents `a`, to be joined where there are shards.
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

// What rules decide upon and write.
prepared! {
    CANDIDATES = concat!("SELECT ", agent_columns!(), ", ", serves!(), " \
        FROM dashboard_users d JOIN users u ON u.id = d.id", serving!("a.app = $1"), " \
        WHERE d.app = $1 AND d.role = 2 AND d.is_available = 1 AND d.is_forced_offline = 0 \
        AND d.deleted_at IS NULL ORDER BY d.id LIMIT $2");
    // Those who are there come first: there may be more than are looked at.
    ALL_AGENTS = concat!("SELECT ", agent_columns!(), ", ", serves!(), " \
        FROM dashboard_users d JOIN users u ON u.id = d.id", serving!("a.app = $1"), " \
        WHERE d.app = $1 AND d.role = 2 AND d.deleted_at IS NULL \
        ORDER BY d.is_available DESC, d.is_forced_offline, d.id LIMIT $2");
    // Agents come first: others count only in an app that has none.
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
    // Deleted ones as well.
    AGENT_NAME = "SELECT name FROM dashboard_users WHERE id = $1 AND app = $2";
    AWAY_AGENTS = "SELECT DISTINCT d.id FROM dashboard_users d \
        JOIN room_agents r ON r.agent = d.id \
        WHERE d.app = $1 AND d.away_since IS NOT NULL AND d.away_since <= $2 LIMIT $3";
    DELETED_AGENTS = "SELECT DISTINCT d.app, d.id FROM dashboard_users d \
        JOIN room_agents r ON r.agent = d.id WHERE d.deleted_at IS NOT NULL LIMIT $1";

    // What commands of the operator read and write.
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

/// What all statements about agents begin with.
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

/// An agent, and how many they serve.
pub(crate) fn candidate(row: &ValueRow, sealer: &Sealer) -> Read<Candidate> {
    let AgentRecord { profile, serves_max, .. } = self::row(row, sealer)?;
    let serves = row.number(COLUMNS)? as u32;
    Ok(Candidate { profile, serves, serves_max, channels: Vec::new() })
}

/// An agent with the hash of their password.
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
    /// Who signs in with this e-mail address, with the password's hash.
    pub async fn agent_by_email(&self, email: &str) -> Read<Option<(AgentRecord, String)>> {
        let ask = Ask::new(&AGENT_BY_EMAIL, values![email]);
        Ok(self.asked_now(ask, |row| with_password(row, self.sealer())).await?.pop())
    }

    /// Everybody who works in the app, how many each serves, and of which channels.
    pub async fn agents(&self, app: AppId) -> Read<Vec<Candidate>> {
        let ask = Ask::new(&AGENTS, values![app.0, limits::CANDIDATES_MAX as i64]);
        let found = self.asked(ask, |row| candidate(row, self.sealer())).await?;
        self.with_channels(app, found).await
    }

    /// The name of somebody who works or worked in the app.
    pub async fn agent_name(&self, app: AppId, agent: AgentId) -> Read<Option<String>> {
        let ask = Ask::new(&AGENT_NAME, values![agent.0, app.0]);
        Ok(self.asked_now(ask, |row| row.text(0)).await?.pop())
    }

    /// Somebody who works in the app, and how many they serve.
    pub async fn agent(&self, app: AppId, user: AgentId) -> Read<Option<Candidate>> {
        let ask = Ask::new(&AGENT, values![user.0, app.0]);
        let found = self.asked_now(ask, |row| candidate(row, self.sealer())).await?;
        Ok(self.with_channels(app, found).await?.pop())
    }

    /// Agents of the app who serve and are away at least since this time.
    pub async fn away_agents(
        &self,
        app: AppId,
        since: Timestamp,
        size: usize,
    ) -> Read<Vec<AgentId>> {
        let ask = Ask::new(&AWAY_AGENTS, values![app.0, since.0, size as i64]);
        self.asked(ask, |row| Ok(AgentId(row.number(0)?))).await
    }

    /// Agents who are deleted and have not left all their rooms yet.
    pub async fn deleted_agents(&self, size: usize) -> Read<Vec<(AppId, AgentId)>> {
        let ask = Ask::new(&DELETED_AGENTS, values![size as i64]);
        let read = |row: &ValueRow| Ok((AppId(row.number(0)?), AgentId(row.number(1)?)));
        self.asked(ask, read).await
    }
}
