//! What is done otherwise where the database shards: whether it does is asked when the store is
//! opened, and how rows are inserted follows from where they lie.

use super::connection::{Connection, plain};
use crate::error::StoreError;
use crate::sql::statements;

statements! {
    KNOWS_SHARDS = "SELECT to_regclass('pg_dist_partition') IS NOT NULL";
    ROOMS_ARE_DISTRIBUTED = "SELECT EXISTS (SELECT 1 FROM pg_dist_partition \
        WHERE logicalrelid = 'rooms'::regclass)";
}

/// How many rows of one shard are inserted one by one.
const ONE_BY_ONE_MAX: usize = 8;

/// Whether rows of these rooms or buckets are inserted one by one: a few of one shard, where there
/// are shards. Citus commits in two phases what comes from a query, and these in one (D-0190).
pub(super) fn inserts_one_by_one(
    db: &Connection,
    mut places: impl ExactSizeIterator<Item = i64>,
) -> bool {
    let is_few = (1..=ONE_BY_ONE_MAX).contains(&places.len());
    let first = places.next();
    db.is_sharding() && is_few && places.all(|place| Some(place) == first)
}

/// The database has Citus, and nobody told it to distribute the tables.
pub(super) async fn is_undistributed(db: &Connection) -> Result<bool, StoreError> {
    if !db.is_sharding() {
        return Ok(false);
    }
    for question in [&KNOWS_SHARDS, &ROOMS_ARE_DISTRIBUTED] {
        let failed = |error| StoreError::while_doing("asking for shards")(plain(&error));
        let rows = db.query(question.postgres(), &[]).await.map_err(failed)?;
        if !rows[0].try_get::<_, bool>(0).map_err(failed)? {
            return Ok(true);
        }
    }
    Ok(false)
}
