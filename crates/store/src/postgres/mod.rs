//! The PostgreSQL engine, for many nodes: each has one writing connection and a few reading ones.
//!
//! [`Engine`] is called by `Store`. Writes go through a bounded queue to the [`writer`] thread,
//! which commits everything queued at once: [`facts`] loads what the questions in [`asked`] name,
//! [`batch_facts`] answers them, [`changes`] writes, and [`pipeline`] sends statements in order.
//! [`node`] distinguishes this node from others; [`commit_proof`] finds out whether a commit took
//! place if the node's row does not show it. [`readers`] are the reading connections.
//!
//! Other nodes write too, so no cached value that can change is trusted from one commit to the
//! next: decisions lock and read their rooms, or prove that they match the cache (D-0165);
//! [`first_pages`] are cached with versions that prove that they are current (D-0165). Only the
//! mapping of unique ids to rooms is cached without a proof: it never changes.

mod asked;
mod batch_facts;
mod catching_up;
mod changes;
pub(crate) mod check;
pub(crate) mod commands;
mod commit_proof;
mod connection;
mod days;
mod deliveries;
pub(crate) mod endpoint;
pub(crate) mod examining;
mod facts;
mod failure;
mod first_pages;
mod in_order;
mod lists;
mod migrations;
mod node;
pub(crate) mod notifications;
mod opening;
mod pages;
mod participants;
mod pipeline;
mod pooling;
mod readers;
mod rooms;
mod senders;
mod sharding;
mod values;
mod writer;

#[cfg(test)]
mod plans;
#[cfg(test)]
mod shard_shapes;

use std::sync::Arc;

use first_pages::FirstPages;
use node::OwnNumber;
use notifications::Notifications;

use crate::error::StoreError;
use crate::read_queues::ReadQueues;
use crate::readiness::Readiness;
use crate::room_names::RoomNames;
use crate::secrets::sealer::Sealer;
use crate::waiting::{CommitListeners, WriterThread};

pub use endpoint::DatabaseEndpoint;
use readers::Readers;

/// The open PostgreSQL store.
pub struct Engine {
    pub(crate) writer: WriterThread,
    pub(crate) listeners: CommitListeners,
    pub(crate) sealer: Arc<Sealer>,
    pub(crate) node: OwnNumber,
    readers: Arc<Readers>,
    first_pages: FirstPages,
    listers: Arc<Readers>,
    pub(crate) queues: ReadQueues,
    room_names: Arc<RoomNames>,
    endpoint: DatabaseEndpoint,
    readiness: Arc<Readiness>,
}

impl Engine {
    /// Implements [`crate::Store::check`].
    pub(crate) async fn check(&self) -> Result<(), StoreError> {
        self.readiness.check(async || self.writer.check().await).await?;
        self.readers.query("checking the database", "SELECT 1", &[]).await.map(drop)
    }

    /// Implements [`crate::Store::close`].
    pub(crate) async fn close(&self) -> Result<(), StoreError> {
        self.readers.close().await;
        self.listers.close().await;
        self.readiness.closed();
        self.writer.close().await
    }

    /// Implements [`crate::Store::notices`].
    pub(crate) fn notices(&self) -> Notifications {
        Notifications { endpoint: self.endpoint.clone() }
    }
}
