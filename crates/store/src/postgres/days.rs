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
use tokio_postgres::Error;

use super::Engine;
use super::connection::{Connection, Meaning, meaning, plain};
use crate::error::{Fault, StoreError};
use crate::sql::Row;

const DAY_US: i64 = 24 * 3600 * 1_000_000;
/// How many days are made ahead.
const DAYS_AHEAD: i64 = 7;
/// Nobody who reads or writes waits longer than this because of a part.
const SETTINGS: &str = "SET client_min_messages = warning; SET lock_timeout = '300ms'; \
    SET statement_timeout = '2s'";
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
        let failed = |reason: Fault| StoreError::while_doing(DOING)(reason);
        let db = Connection::open(&self.endpoint, SETTINGS).await.map_err(failed)?;
        let days = days_there(&db).await?;
        let today = now.0.div_euclid(DAY_US);
        let missing = (today..=today + DAYS_AHEAD).filter(|day| !days.contains(day));
        let mut statements: Vec<_> = missing.map(made).collect();
        for day in days.range(..before.0.div_euclid(DAY_US)) {
            // A whole day stays while something of it waits.
            if !has_waiting(&db, *day).await {
                statements.push(dropped(*day));
            }
        }
        for statements in statements {
            if attempted(&db, &statements).await == PartitionOutcome::Locked {
                break;
            }
        }
        forget_some_others(&db, before).await
    }
}

/// The days that have a part of their own.
async fn days_there(db: &Connection) -> Result<BTreeSet<i64>, StoreError> {
    let rows = db.query(DAYS, &[]).await;
    let rows = rows.map_err(|error| StoreError::while_doing(DOING)(plain(&error)))?;
    let names: Result<Vec<String>, _> = rows.iter().map(|row| row.text(0)).collect();
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

/// Whether something of the day waits. If that cannot be told, it is left to the next time.
async fn has_waiting(db: &Connection, day: i64) -> bool {
    let some = format!("SELECT 1 FROM deliveries_{day} WHERE standing < 2 LIMIT 1");
    db.query(&some, &[]).await.map_or(true, |rows| !rows.is_empty())
}

#[derive(PartialEq, Eq)]
enum PartitionOutcome {
    Ended,
    /// Somebody holds a lock: every further try would only make others wait for it again.
    Locked,
}

/// It is as well if it fails: another node has done it, or the day has no part of its own because
/// some of it lies in the part for all other days.
async fn attempted(db: &Connection, statements: &str) -> PartitionOutcome {
    let Err(error) = db.run(statements).await else { return PartitionOutcome::Ended };
    let _ = db.run("ROLLBACK").await;
    match meaning(&error) {
        Meaning::Locked => PartitionOutcome::Locked,
        _ => PartitionOutcome::Ended,
    }
}

/// Of what lies in the part for all other days, a little at a time, from the old end.
async fn forget_some_others(db: &Connection, before: Timestamp) -> Result<usize, StoreError> {
    match forgotten_of_others(db, DeliveryId::first_at(before)).await {
        Ok(forgotten) => Ok(forgotten as usize),
        // Another node forgets the same ones.
        Err(error) if matches!(meaning(&error), Meaning::Locked | Meaning::Conflict) => Ok(0),
        Err(error) => Err(StoreError::while_doing(DOING)(plain(&error))),
    }
}

/// Plain statements that a sharding PostgreSQL can run in parts.
async fn forgotten_of_others(db: &Connection, before: DeliveryId) -> Result<u64, Error> {
    let some = format!(
        "SELECT id FROM deliveries_other WHERE id < {before} AND standing >= 2 \
         ORDER BY id LIMIT {}",
        limits::FORGOTTEN_PER_COMMIT
    );
    let rows = db.query(&some, &[]).await?;
    let ids = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<i64>, _>>()?;
    if ids.is_empty() {
        return Ok(0);
    }
    db.execute("DELETE FROM attempts_other WHERE delivery = ANY ($1)", &[&ids]).await?;
    db.execute("DELETE FROM deliveries_other WHERE id = ANY ($1)", &[&ids]).await
}
