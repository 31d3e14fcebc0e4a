//! Leases of node numbers, and proof of commits by the leased rows (D-0025).
//!
//! Several processes serve from one database. Each leases a number, which its ids contain. Every
//! commit writes its own number to the row of the node, which stays locked until the commit ends: a
//! new connection that locks the row after a lost one learns whether the commit took place.
//!
//! The row also has the location of the node's uploaded files. A node gets no number if its
//! location differs from that of the nodes that have one (design/files).

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use confab_domain::limits;
use tokio_postgres::Error;

use crate::error::StoreError;
use crate::postgres::connections::connection::{Connection, plain};
use crate::postgres::connections::pipeline::{Pipeline, Slots, params};
use crate::sql::{Row, prepared, statements};

prepared! {
    KEEP_NODE = "UPDATE nodes SET seen_at = now(), newest_id = greatest(newest_id, $3) \
        WHERE node = $1 AND holder = $2 RETURNING batch";
    // Nodes of older versions raise only `batch`, so the difference counts their commits (D-0165).
    MARK_NODE = "UPDATE nodes SET seen_at = now(), batch = $3, \
        versioned = versioned + $3 - batch WHERE node = $1 AND holder = $2";
    MARK_AND_NOTE = "UPDATE nodes SET seen_at = now(), batch = $3, \
        versioned = versioned + $3 - batch, newest_id = greatest(newest_id, $4) \
        WHERE node = $1 AND holder = $2";
    NOTE_NEWEST_ID = "UPDATE nodes SET newest_id = greatest(newest_id, $2) \
        WHERE node = $1";
    // Number of commits by nodes that raise no versions (D-0165).
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
    // Nodes of older versions, which record no location, are not counted.
    NODES_ELSEWHERE = "SELECT count(*), min(files_place) FROM nodes \
        WHERE seen_at >= now() - make_interval(secs => $1) AND files_place <> $2";
    NODES_SERVING = "SELECT count(*) FROM nodes \
        WHERE seen_at >= now() - make_interval(secs => $1)";
    // No stored id is greater.
    NEWEST_ID = "SELECT greatest((SELECT max(id) FROM users), \
        (SELECT max(id) FROM rooms), (SELECT max(newest_id) FROM nodes))";
}

/// Takes an advisory lock, so that only one node at a time compares its location of uploaded files
/// with that of other nodes and leases a number.
const LOCK: &str =
    "BEGIN; SELECT pg_advisory_xact_lock(x'636f6e666164'::bigint + hashtext(current_schema()))";

const CLAIMING: &str = "leasing a node number";
pub(crate) const LEASE_S: f64 = limits::NODE_LEASE_S as f64;

/// A leased node number.
pub(crate) struct Node {
    pub(crate) number: i64,
    holder: String,
    /// Number of the last commit that this node started.
    batch: i64,
}

/// This node's number, for threads other than the writer.
#[derive(Clone, Default)]
pub(crate) struct OwnNumber(
    /// The number plus one; 0 before the first lease.
    Arc<AtomicI64>,
);

impl OwnNumber {
    pub(crate) fn set(&self, number: i64) {
        self.0.store(number + 1, Ordering::Relaxed);
    }

    /// Returns the number that this node leased last; `None` before the first lease.
    pub(crate) fn get(&self) -> Option<i64> {
        self.0.load(Ordering::Relaxed).checked_sub(1).filter(|number| *number >= 0)
    }
}

/// Whether a node still holds the lease of its number.
pub(crate) enum NumberLease {
    /// The lease is valid. `batch` is the number of the node's last commit that took place.
    Ours { batch: i64 },
    /// The lease expired and another node took the number.
    Lost,
}

impl Node {
    /// Leases the lowest free number for a node that stores uploaded files in `files_place`. After
    /// an error the connection must not be used again.
    pub(crate) async fn claim(
        db: &Connection,
        files_place: Option<&str>,
    ) -> Result<Self, StoreError> {
        let failed = |error: Error| StoreError::while_doing(CLAIMING)(plain(&error));
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
        // A node of an older version takes no lock, and may get the same number first.
        for _ in 0..limits::NODES_MAX {
            let statement = CLAIM_NODE.postgres();
            let rows = db.query(statement, &[&highest, &LEASE_S, &files_place]).await;
            let rows = rows.map_err(|error| StoreError::while_doing(CLAIMING)(plain(&error)))?;
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

    /// Renews the lease. Waits until a running commit of this node ends, because it locks the row.
    pub(crate) async fn keep(&self, db: &Connection, newest_id: i64) -> Result<NumberLease, Error> {
        let statement = KEEP_NODE.postgres();
        let rows = db.query(statement, &[&self.number, &self.holder, &newest_id]).await?;
        Ok(match rows.first() {
            Some(row) => NumberLease::Ours { batch: row.try_get(0)? },
            None => NumberLease::Lost,
        })
    }

    /// Starts the next commit: writes its number to the node's row, which stays locked. Changes no
    /// row if the lease is lost.
    pub(crate) fn mark(&mut self, sent: &mut Pipeline<'_>) -> Slots {
        self.batch += 1;
        sent.execute(&MARK_NODE, params![self.number, self.holder.clone(), self.batch])
    }

    /// Starts a commit like [`Self::mark`], and records the newest id that it will write.
    pub(crate) fn mark_and_note(&mut self, sent: &mut Pipeline<'_>, newest_id: i64) -> Slots {
        self.batch += 1;
        let holder = self.holder.clone();
        sent.execute(&MARK_AND_NOTE, params![self.number, holder, self.batch, newest_id])
    }

    /// Records the newest id that the running commit writes, so that nodes that start later create
    /// greater ids.
    pub(crate) fn note(&self, sent: &mut Pipeline<'_>, newest_id: i64) {
        sent.execute(&NOTE_NEWEST_ID, params![self.number, newest_id]);
    }

    /// Whether this node's last started commit took place, given the commit number in the node's
    /// row.
    pub(crate) fn has_written(&self, batch: i64) -> bool {
        self.batch == batch
    }

    /// Releases the number, so that other nodes can lease it at once.
    pub(crate) async fn release(&self, db: &Connection, newest_id: i64) -> Result<(), Error> {
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
