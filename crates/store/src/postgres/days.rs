//! Deliveries and attempts by day: a part of the tables for each, made before it is needed and
//! dropped whole (D-0031).
//!
//! Several nodes may do this at the same time; what one has done, the others find done. A part is
//! made or dropped only if nobody has to wait long for it: else it is left to the next time. What
//! has no part of its own lies in the part for all other days.

use std::collections::BTreeSet;

use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use confab_domain::time::Timestamp;

use super::connection::{Connection, plain};
use super::{Engine, rows};
use crate::error::StoreError;

const DAY_US: i64 = 24 * 3600 * 1_000_000;
/// How many days are made ahead.
const DAYS_AHEAD: i64 = 7;
/// Nobody who reads or writes waits longer than this because of a part.
const SETTINGS: &str = "SET client_min_messages = warning; SET lock_timeout = '300ms'; \
    SET statement_timeout = '10s'";
const DOING: &str = "keeping deliveries by day";
const DAYS: &str = "SELECT c.relname::text FROM pg_inherits i \
    JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'deliveries'::regclass";

impl Engine {
    /// See [`crate::Store::forget_deliveries`].
    pub(crate) async fn forget_deliveries(
        &self,
        before: Timestamp,
        now: Timestamp,
    ) -> Result<usize, StoreError> {
        let failed = |reason: String| StoreError::while_doing(DOING)(reason);
        let db = Connection::open(&self.endpoint, SETTINGS).await.map_err(failed)?;
        let days = days_there(&db).await?;
        let today = now.0.div_euclid(DAY_US);
        for day in (today..=today + DAYS_AHEAD).filter(|day| !days.contains(day)) {
            attempted(&db, &made(day)).await;
        }
        let first_kept = before.0.div_euclid(DAY_US);
        for day in days.range(..first_kept) {
            attempted(&db, &dropped(*day)).await;
        }
        forget_some_others(&db, before).await
    }
}

/// The days that have a part of their own.
async fn days_there(db: &Connection) -> Result<BTreeSet<i64>, StoreError> {
    let rows = db.query(DAYS, &[]).await;
    let rows = rows.map_err(|error| StoreError::while_doing(DOING)(plain(&error)))?;
    let names: Result<Vec<String>, _> = rows.iter().map(|row| rows::get(row, 0)).collect();
    let day = |name: &String| name.strip_prefix("deliveries_")?.parse().ok();
    Ok(names?.iter().filter_map(day).collect())
}

fn made(day: i64) -> String {
    let from = DeliveryId::first_at(Timestamp(day * DAY_US));
    let to = DeliveryId::first_at(Timestamp((day + 1) * DAY_US));
    format!(
        "BEGIN; CREATE TABLE deliveries_{day} PARTITION OF deliveries \
         FOR VALUES FROM ({from}) TO ({to}) WITH (fillfactor = 90); \
         CREATE TABLE attempts_{day} PARTITION OF attempts FOR VALUES FROM ({from}) TO ({to}); \
         COMMIT"
    )
}

fn dropped(day: i64) -> String {
    format!("BEGIN; DROP TABLE deliveries_{day}; DROP TABLE attempts_{day}; COMMIT")
}

/// Another node may have done it, or somebody holds a lock: both are as well.
async fn attempted(db: &Connection, statements: &str) {
    if db.run(statements).await.is_err() {
        let _ = db.run("ROLLBACK").await;
    }
}

/// Of what lies in the part for all other days, a little at a time.
async fn forget_some_others(db: &Connection, before: Timestamp) -> Result<usize, StoreError> {
    let (end, size) = (DeliveryId::first_at(before), limits::FORGOTTEN_PER_COMMIT);
    let some = format!(
        "WITH some AS (SELECT bucket, id FROM deliveries_other WHERE id < {end} LIMIT {size}), \
         attempted AS (DELETE FROM attempts_other a USING some \
         WHERE a.bucket = some.bucket AND a.delivery = some.id) \
         DELETE FROM deliveries_other d USING some WHERE d.bucket = some.bucket AND d.id = some.id"
    );
    let forgotten = db.execute(&some, &[]).await;
    let forgotten = forgotten.map_err(|error| StoreError::while_doing(DOING)(plain(&error)))?;
    Ok(forgotten as usize)
}
