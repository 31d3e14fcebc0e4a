//! What the realtime gateway and the client API read.

use confab_domain::ids::{EventId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::User;
use confab_domain::time::Timestamp;

use super::statements as sql;
use crate::error::StoreError;
use crate::omnichannel::rows;
use crate::secrets::sealer::token_hash;
use crate::sql::{Ask, Row, ValueRow, values};
use crate::store::Store;

/// Who is in a room, and how often that changed before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audience {
    /// Rises with everybody who comes or goes.
    pub version: i64,
    /// Who is in the room.
    pub users: Vec<UserKey>,
}

impl Store {
    /// Who connects with this token, deactivated users included.
    pub async fn user_of_token(&self, token: &str) -> Result<Option<User>, StoreError> {
        let ask = Ask::new(&sql::USER_OF_TOKEN, values![token_hash(token)]);
        Ok(self.asked_now(ask, rows::user).await?.pop())
    }

    /// The newest id of each node that ever wrote: what comes later is newer than its node's.
    pub async fn newest_events(&self) -> Result<Vec<EventId>, StoreError> {
        let sql = match self {
            Self::Sqlite(_) => &sql::SQLITE_NEWEST_EVENT,
            Self::Postgres(_) => &sql::POSTGRES_NEWEST_EVENTS,
        };
        self.asked(Ask::new(sql, Vec::new()), |row| row.number(0).map(EventId)).await
    }

    /// Who is in a room now; nobody without such a room.
    pub async fn audience(&self, room: RoomId) -> Result<Audience, StoreError> {
        let ask = Ask::new(&sql::AUDIENCE, values![room.0]);
        let read = self.asked(ask, |row| Ok((row.number(0)?, row.maybe_number(1)?))).await?;
        let version = read.first().map_or(0, |(version, _)| *version);
        let users = read.into_iter().filter_map(|(_, user)| user.map(UserKey)).collect();
        Ok(Audience { version, users })
    }

    /// For what most calls of clients ask, whose cost is bounded (D-0024).
    pub(super) async fn asked_now<T>(
        &self,
        ask: Ask,
        read: impl Fn(&ValueRow) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.asked(&ask))?,
            Self::Postgres(engine) => engine.asked_now(&ask).await?,
        };
        rows.iter().map(read).collect()
    }

    /// Whether the user is in the room.
    pub async fn is_participant(&self, room: RoomId, user: UserKey) -> Result<bool, StoreError> {
        let ask = Ask::new(&sql::IS_PARTICIPANT, values![room.0, user.0]);
        Ok(!self.asked(ask, |_| Ok(())).await?.is_empty())
    }

    /// Whether these users are there, and since when or when they were last seen; without those who
    /// were never there. On many nodes, what a node said that is silent now does not count.
    pub async fn presences(
        &self,
        users: &[UserKey],
    ) -> Result<Vec<(UserKey, bool, Timestamp)>, StoreError> {
        let keys: Vec<_> = users.iter().map(ToString::to_string).collect();
        let keys = format!("[{}]", keys.join(","));
        let ask = match self {
            Self::Sqlite(_) => Ask::new(&sql::SQLITE_PRESENCES, values![keys]),
            Self::Postgres(_) => {
                let lease_s = limits::NODE_LEASE_S as i64;
                Ask::new(&sql::POSTGRES_PRESENCES, values![keys, lease_s])
            }
        };
        let read =
            |row: &ValueRow| Ok((UserKey(row.number(0)?), row.flag(1)?, Timestamp(row.number(2)?)));
        self.asked(ask, read).await
    }
}
