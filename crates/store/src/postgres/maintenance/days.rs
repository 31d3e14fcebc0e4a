//! Daily partitions of deliveries and attempts, created in advance and dropped as a whole (D-0031).
//!
//! Several nodes may create and drop partitions concurrently. A partition is created or dropped
//! only if other statements need not wait long for it; otherwise the next call tries again.
//! Deliveries of days without a partition are stored in the default partition, `deliveries_other`.

use std::collections::BTreeSet;

use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use confab_domain::time::Timestamp;
use tokio_postgres::Error;

use crate::error::{Fault, StoreError};
use crate::postgres::Engine;
use crate::postgres::connections::connection::{Connection, ErrorMeaning, meaning, plain};
use crate::sql::Row;

const DAY_US: i64 = 24 * 3600 * 1_000_000;
/// Number of days after today for which partitions are created in advance.
const DAYS_AHEAD: i64 = 7;
/// Limits how long reads and writes wait for the creation or removal of a partition.
const SETTINGS: &str = "SET client_min_messages = warning; SET lock_timeout = '300ms'; \
    SET statement_timeout = '2s'";
const DOING: &str = "maintaining daily partitions";
const DAYS: &str = "SELECT c.relname::text FROM pg_inherits i \
    JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'deliveries'::regclass";

impl Engine {
    /// Implements [`crate::Store::purge_deliveries`].
    pub(crate) async fn purge_deliveries(
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
            // A whole day stays while it has an unfinished delivery.
            if !has_waiting(&db, *day).await {
                statements.push(dropped(*day));
            }
        }
        for statements in statements {
            if attempted(&db, &statements).await == PartitionOutcome::Locked {
                break;
            }
        }
        purge_some_others(&db, before).await
    }
}

/// Returns the days that have a partition.
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

/// Whether a day has unfinished deliveries. Also true if the query fails: the partition then stays
/// until the next call.
async fn has_waiting(db: &Connection, day: i64) -> bool {
    let some = format!("SELECT 1 FROM deliveries_{day} WHERE standing < 2 LIMIT 1");
    db.query(&some, &[]).await.map_or(true, |rows| !rows.is_empty())
}

#[derive(PartialEq, Eq)]
enum PartitionOutcome {
    Ended,
    /// Another transaction holds a lock on the table: further attempts would only block others.
    Locked,
}

/// Runs the statements that create or drop a partition. A failure is harmless: another node was
/// first, or the day gets no partition because the default partition already has rows of that day.
async fn attempted(db: &Connection, statements: &str) -> PartitionOutcome {
    let Err(error) = db.run(statements).await else { return PartitionOutcome::Ended };
    let _ = db.run("ROLLBACK").await;
    match meaning(&error) {
        ErrorMeaning::Locked => PartitionOutcome::Locked,
        _ => PartitionOutcome::Ended,
    }
}

/// Deletes some old finished deliveries from the default partition, oldest first.
async fn purge_some_others(db: &Connection, before: Timestamp) -> Result<usize, StoreError> {
    match purged_of_others(db, DeliveryId::first_at(before)).await {
        Ok(forgotten) => Ok(forgotten as usize),
        // Another node deletes the same rows.
        Err(error) if matches!(meaning(&error), ErrorMeaning::Locked | ErrorMeaning::Conflict) => {
            Ok(0)
        }
        Err(error) => Err(StoreError::while_doing(DOING)(plain(&error))),
    }
}

/// Deletes deliveries by plain statements, which Citus can run on shards.
async fn purged_of_others(db: &Connection, before: DeliveryId) -> Result<u64, Error> {
    let some = format!(
        "SELECT id FROM deliveries_other WHERE id < {before} AND standing >= 2 \
         ORDER BY id LIMIT {}",
        limits::PURGED_PER_COMMIT
    );
    let rows = db.query(&some, &[]).await?;
    let ids = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<i64>, _>>()?;
    if ids.is_empty() {
        return Ok(0);
    }
    db.execute("DELETE FROM attempts_other WHERE delivery = ANY ($1)", &[&ids]).await?;
    db.execute("DELETE FROM deliveries_other WHERE id = ANY ($1)", &[&ids]).await
}
