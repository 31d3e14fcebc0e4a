//! Whether users are online, as reported by the nodes to which they connect (design/realtime).

use confab_domain::ids::UserKey;
use confab_domain::limits;
use confab_domain::time::Timestamp;

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, ids_as_text, ids_in, prepared, statements, values};
use crate::store::Store;

prepared! {
    // Only the node that last reported a user can take them offline: they may be connected to
    // another node.
    SET_PRESENCE = "INSERT INTO presences (user_key, is_online, seen_at, node) \
        VALUES ($1, $2, $3, $4) ON CONFLICT (user_key) DO UPDATE \
        SET is_online = excluded.is_online, seen_at = excluded.seen_at, node = excluded.node \
        WHERE excluded.is_online = 1 OR presences.node = excluded.node";
    END_PRESENCES = "UPDATE presences SET is_online = 0 WHERE node = $1 AND is_online = 1";
}

statements! {
    // User keys are one text, `[1,2]`: the engines have no list value in common.
    SQLITE_PRESENCES = "SELECT user_key, is_online, seen_at FROM presences \
        WHERE user_key IN (SELECT value FROM json_each($1))";
    // Ignore reports of nodes that no longer run. A subquery, because Citus does not join
    // distributed tables with tables of the coordinator.
    POSTGRES_PRESENCES = concat!("SELECT p.user_key, CASE WHEN p.is_online = 1 AND p.node IN ( \
        SELECT n.node FROM nodes n WHERE n.seen_at > now() - $2::bigint * interval '1 second') \
        THEN 1::smallint ELSE 0::smallint END, p.seen_at FROM presences p \
        WHERE p.user_key = ANY (", ids_in!("$1"), ")");
}

fn row(row: &ValueRow) -> Read<(UserKey, bool, Timestamp)> {
    Ok((UserKey(row.number(0)?), row.flag(1)?, row.time(2)?))
}

/// Records a user's presence, as reported by a node.
pub(crate) fn set(user: UserKey, is_online: bool, at: Timestamp, node: i64) -> Vec<Ask> {
    vec![Ask::new(&SET_PRESENCE, values![user.0, is_online, at, node])]
}

/// Takes all users of a node offline.
pub(crate) fn end_all(node: i64) -> Vec<Ask> {
    vec![Ask::new(&END_PRESENCES, values![node])]
}

impl Store {
    /// Returns for each user whether they are online, and since when, or when they were last seen.
    /// Users that never connected are left out. On PostgreSQL, reports of stopped nodes are
    /// ignored.
    pub async fn presences(&self, users: &[UserKey]) -> Read<Vec<(UserKey, bool, Timestamp)>> {
        let keys = ids_as_text(users.iter().map(|user| user.0));
        let ask = match self {
            Self::Sqlite(_) => Ask::new(&SQLITE_PRESENCES, values![keys]),
            Self::Postgres(_) => {
                let lease_s = limits::NODE_LEASE_S as i64;
                Ask::new(&POSTGRES_PRESENCES, values![keys, lease_s])
            }
        };
        self.query_now(ask, row).await
    }
}
