//! Detects Citus without distributed tables, and decides how rows are inserted on Citus.

use super::connections::connection::{Connection, plain};
use crate::error::StoreError;
use crate::sql::statements;

statements! {
    KNOWS_SHARDS = "SELECT to_regclass('pg_dist_partition') IS NOT NULL";
    ROOMS_ARE_DISTRIBUTED = "SELECT EXISTS (SELECT 1 FROM pg_dist_partition \
        WHERE logicalrelid = 'rooms'::regclass)";
}

/// Maximum number of rows of one commit that are inserted one by one.
const ONE_BY_ONE_MAX: usize = 8;

/// Whether the rows of these rooms or buckets are inserted one by one, which is so for a few rows
/// of a single shard on Citus: Citus commits an insert from a query in two phases, and single
/// inserts in one (D-0014).
pub(super) fn inserts_one_by_one(
    db: &Connection,
    mut places: impl ExactSizeIterator<Item = i64>,
) -> bool {
    let is_few = (1..=ONE_BY_ONE_MAX).contains(&places.len());
    let first = places.next();
    db.is_sharding() && is_few && places.all(|place| Some(place) == first)
}

/// Whether the database has Citus but its tables are not distributed.
pub(super) async fn is_undistributed(db: &Connection) -> Result<bool, StoreError> {
    if !db.is_sharding() {
        return Ok(false);
    }
    for question in [&KNOWS_SHARDS, &ROOMS_ARE_DISTRIBUTED] {
        let failed = |error| StoreError::while_doing("querying the shards")(plain(&error));
        let rows = db.query(question.postgres(), &[]).await.map_err(failed)?;
        if !rows[0].try_get::<_, bool>(0).map_err(failed)? {
            return Ok(true);
        }
    }
    Ok(false)
}
