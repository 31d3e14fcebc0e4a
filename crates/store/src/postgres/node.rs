//! A node's number: what it is leased for, and what it proves (D-0025).
//!
//! Several processes serve from one database. Each leases a number, which its ids carry. Every
//! commit marks the number's row with the number of the commit and holds the row locked until it is
//! through: so whoever asks for the row after a lost connection learns, once the lock is free,
//! whether the commit took place.
//!
//! The row also says where the node keeps uploaded files, and nobody gets a number whose place is
//! another than that of those who have one (D-0187).

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use confab_domain::limits;
use tokio_postgres::Error;

use super::connection::Connection;
use super::pipeline::{Pipeline, Slots, params};
use crate::error::StoreError;
use crate::sql::{Row, prepared, statements};

prepared! {
    KEEP_NODE = "UPDATE nodes SET seen_at = now(), newest_id = greatest(newest_id, $3) \
        WHERE node = $1 AND holder = $2 RETURNING batch";
    // Older nodes raise the batch only, so the difference counts their commits (D-0165).
    MARK_NODE = "UPDATE nodes SET seen_at = now(), batch = $3, \
        versioned = versioned + $3 - batch WHERE node = $1 AND holder = $2";
    MARK_AND_NOTE = "UPDATE nodes SET seen_at = now(), batch = $3, \
        versioned = versioned + $3 - batch, newest_id = greatest(newest_id, $4) \
        WHERE node = $1 AND holder = $2";
    NOTE_NEWEST_ID = "UPDATE nodes SET newest_id = greatest(newest_id, $2) \
        WHERE node = $1";
    // What nodes wrote that raise no versions (D-0165).
    UNVERSIONED_COMMITS = "SELECT coalesce(sum(batch - versioned), 0)::bigint FROM nodes";
    RELEASE_NODE = "UPDATE nodes \
        SET seen_at = '-infinity', newest_id = greatest(newest_id, $3) \
        WHERE node = $1 AND holder = $2";
}

statements! {
    CLAIM_NODE = "WITH free AS ( \
        SELECT number FROM generate_series(0, $1::bigint) number \
        LEFT JOIN nodes ON nodes.node = number \
        WHERE nodes.node IS NULL OR nodes.seen_at < now() - make_interval(secs => $2) \
        ORDER BY number LIMIT 1) \
        INSERT INTO nodes (node, holder, batch, newest_id, seen_at, files_place) \
        SELECT number, gen_random_uuid()::text, 0, 0, now(), $3::text FROM free \
        ON CONFLICT (node) DO UPDATE SET holder = excluded.holder, seen_at = excluded.seen_at, \
        files_place = excluded.files_place \
        WHERE nodes.seen_at < now() - make_interval(secs => $2) \
        RETURNING node, holder, batch";
    // Who does not say where, as older versions do not, is beside nobody.
    NODES_ELSEWHERE = "SELECT count(*), min(files_place) FROM nodes \
        WHERE seen_at >= now() - make_interval(secs => $1) AND files_place <> $2";
    NODES_SERVING = "SELECT count(*) FROM nodes \
        WHERE seen_at >= now() - make_interval(secs => $1)";
    // What is stored has no greater one.
    NEWEST_ID = "SELECT greatest((SELECT max(id) FROM users), \
        (SELECT max(id) FROM rooms), (SELECT max(newest_id) FROM nodes))";
}

/// Of an advisory lock: one node at a time looks where the others keep files, and joins them.
const LOCK: &str =
    "BEGIN; SELECT pg_advisory_xact_lock(x'636f6e666164'::bigint + hashtext(current_schema()))";

const CLAIMING: &str = "leasing a node number";
pub(super) const LEASE_S: f64 = limits::NODE_LEASE_S as f64;

/// A number that is ours.
pub(super) struct Node {
    pub(super) number: i64,
    holder: String,
    /// The last commit that was begun.
    batch: i64,
}

/// The number of this node, for those who are not the writer.
#[derive(Clone, Default)]
pub(crate) struct OwnNumber(
    /// One more than the number; 0 until one is leased.
    Arc<AtomicI64>,
);

impl OwnNumber {
    pub(super) fn set(&self, number: i64) {
        self.0.store(number + 1, Ordering::Relaxed);
    }

    /// The number that was leased last.
    pub(crate) fn get(&self) -> Option<i64> {
        self.0.load(Ordering::Relaxed).checked_sub(1).filter(|number| *number >= 0)
    }
}

/// What the row of a number says.
pub(super) enum NumberLease {
    /// It is ours still, and this was the last commit.
    Ours { batch: i64 },
    /// It was silent for too long and somebody else has it now.
    Lost,
}

impl Node {
    /// Leases the lowest free number, for a node that keeps uploaded files in this place. After an
    /// error the connection is of no use.
    pub(super) async fn claim(
        db: &Connection,
        files_place: Option<&str>,
    ) -> Result<Self, StoreError> {
        let failed = |error: Error| StoreError::while_doing(CLAIMING)(super::plain(&error));
        db.run(LOCK).await.map_err(failed)?;
        if let Some(place) = files_place {
            let rows = db.query(NODES_ELSEWHERE.postgres(), &[&LEASE_S, &place]).await;
            if let Some(elsewhere) = rows.map_err(failed)?[0].maybe_text(1)? {
                return Err(StoreError::while_doing(CLAIMING)(files_apart(place, &elsewhere)));
            }
        }
        let node = Self::claim_free(db, files_place).await?;
        db.run("COMMIT").await.map_err(failed)?;
        Ok(node)
    }

    async fn claim_free(db: &Connection, files_place: Option<&str>) -> Result<Self, StoreError> {
        let highest = limits::NODES_MAX - 1;
        // A node of an older version takes no lock and may get the same number first.
        for _ in 0..limits::NODES_MAX {
            let statement = CLAIM_NODE.postgres();
            let rows = db.query(statement, &[&highest, &LEASE_S, &files_place]).await;
            let rows =
                rows.map_err(|error| StoreError::while_doing(CLAIMING)(super::plain(&error)))?;
            if let Some(row) = rows.first() {
                let (number, holder) = (row.number(0)?, row.text(1)?);
                return Ok(Self { number, holder, batch: row.number(2)? });
            }
        }
        Err(StoreError::while_doing(CLAIMING)(format!(
            "no node number is free: {} nodes use this database, or were killed less than {} \
             seconds ago",
            limits::NODES_MAX,
            limits::NODE_LEASE_S
        )))
    }

    /// Says that we are here. Waits for a commit of ours that is still under way.
    pub(super) async fn keep(&self, db: &Connection, newest_id: i64) -> Result<NumberLease, Error> {
        let statement = KEEP_NODE.postgres();
        let rows = db.query(statement, &[&self.number, &self.holder, &newest_id]).await?;
        Ok(match rows.first() {
            Some(row) => NumberLease::Ours { batch: row.try_get(0)? },
            None => NumberLease::Lost,
        })
    }

    /// Begins the next commit: marks and locks the number. Changes no row if it is not ours any
    /// more.
    pub(super) fn mark(&mut self, sent: &mut Pipeline<'_>) -> Slots {
        self.batch += 1;
        sent.execute(&MARK_NODE, params![self.number, self.holder.clone(), self.batch])
    }

    /// The same of a commit of which it is known already which newest id it writes.
    pub(super) fn mark_and_note(&mut self, sent: &mut Pipeline<'_>, newest_id: i64) -> Slots {
        self.batch += 1;
        let holder = self.holder.clone();
        sent.execute(&MARK_AND_NOTE, params![self.number, holder, self.batch, newest_id])
    }

    /// Notes the newest id that the commit under way writes.
    pub(super) fn note(&self, sent: &mut Pipeline<'_>, newest_id: i64) {
        sent.execute(&NOTE_NEWEST_ID, params![self.number, newest_id]);
    }

    /// Whether the last commit that was begun took place.
    pub(super) fn has_written(&self, batch: i64) -> bool {
        self.batch == batch
    }

    /// Lets others have the number at once.
    pub(super) async fn release(&self, db: &Connection, newest_id: i64) -> Result<(), Error> {
        let statement = RELEASE_NODE.postgres();
        db.execute(statement, &[&self.number, &self.holder, &newest_id]).await.map(drop)
    }
}

fn files_apart(here: &str, there: &str) -> String {
    format!(
        "another node of this database stores uploaded files in another place ({there}; here: \
         {here}), so the nodes would miss each other's uploads; use one bucket (the same \
         s3_endpoint and other s3 settings on every node), or mount one folder as `files` in the \
         data folder of every node; a killed node counts for {} seconds",
        limits::NODE_LEASE_S
    )
}
