//! A node's number: what it is leased for, and what it proves (D-0025).
//!
//! Several processes serve from one database. Each leases a number, which its ids carry. Every
//! commit marks the number's row with the number of the commit and holds the row locked until it is
//! through: so whoever asks for the row after a lost connection learns, once the lock is free,
//! whether the commit took place.

use confab_domain::limits;
use tokio_postgres::Error;

use super::connection::Connection;
use super::rows;
use crate::error::StoreError;
use crate::statements as sql;

/// A number that is ours.
pub(super) struct Node {
    pub(super) number: i64,
    holder: String,
    /// The last commit that was begun.
    batch: i64,
}

/// What the row of a number says.
pub(super) enum Kept {
    /// It is ours still, and this was the last commit.
    Ours { batch: i64 },
    /// It was silent for too long and somebody else has it now.
    Lost,
}

impl Node {
    /// Leases the lowest free number.
    pub(super) async fn claim(db: &Connection) -> Result<Self, StoreError> {
        let doing = "leasing a node number";
        let highest = limits::NODES_MAX - 1;
        let lease_s = limits::NODE_LEASE_S as f64;
        // Nodes that start together want the same number: one gets it, the others ask again.
        for _ in 0..limits::NODES_MAX {
            let statement = sql::POSTGRES_CLAIM_NODE.postgres();
            let rows = db.query(statement, &[&highest, &lease_s]).await;
            let rows =
                rows.map_err(|error| StoreError::while_doing(doing)(super::plain(&error)))?;
            if let Some(row) = rows.first() {
                let (number, holder) = (rows::get(row, 0)?, rows::get(row, 1)?);
                return Ok(Self { number, holder, batch: rows::get(row, 2)? });
            }
        }
        Err(StoreError::while_doing(doing)(format!(
            "no number is free: {} nodes serve from this database, or were ended without a word \
             less than {} seconds ago",
            limits::NODES_MAX,
            limits::NODE_LEASE_S
        )))
    }

    /// Says that we are here. Waits for a commit of ours that is still under way.
    pub(super) async fn keep(&self, db: &Connection, newest_id: i64) -> Result<Kept, Error> {
        let statement = sql::POSTGRES_KEEP_NODE.postgres();
        let rows = db.query(statement, &[&self.number, &self.holder, &newest_id]).await?;
        Ok(match rows.first() {
            Some(row) => Kept::Ours { batch: row.try_get(0)? },
            None => Kept::Lost,
        })
    }

    /// Begins the next commit: marks and locks the number. False if it is not ours any more.
    pub(super) async fn mark(&mut self, db: &Connection) -> Result<bool, Error> {
        self.batch += 1;
        let statement = sql::POSTGRES_MARK_NODE.postgres();
        let marked = db.execute(statement, &[&self.number, &self.holder, &self.batch]).await?;
        Ok(marked == 1)
    }

    /// Notes the newest id that the commit under way writes.
    pub(super) async fn note(&self, db: &Connection, newest_id: i64) -> Result<u64, Error> {
        db.execute(sql::POSTGRES_NOTE_NEWEST_ID.postgres(), &[&self.number, &newest_id]).await
    }

    /// Whether the last commit that was begun took place.
    pub(super) fn has_written(&self, batch: i64) -> bool {
        self.batch == batch
    }

    /// Lets others have the number at once.
    pub(super) async fn release(&self, db: &Connection, newest_id: i64) -> Result<(), Error> {
        let statement = sql::POSTGRES_RELEASE_NODE.postgres();
        db.execute(statement, &[&self.number, &self.holder, &newest_id]).await.map(drop)
    }
}
