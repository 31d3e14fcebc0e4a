//! The engine for many nodes: PostgreSQL, one writing connection a node, a few that read.
//!
//! Cast: [`Engine`] is what `Store` calls. Writes go through a bounded queue to the one [`writer`]
//! thread, which commits everything that waits at once: [`facts`] loads all that is [`asked`],
//! [`batch_facts`] answers the questions, [`changes`] writes all of it, [`pipeline`] keeps what is
//! sent in order. [`node`] is what sets this node apart from the others; [`commit_proof`] is asked
//! where that does not tell what became of a commit. [`readers`] hold the connections that read.
//!
//! Another node may have written meanwhile, so nothing that can change is believed from one commit
//! to the next: rooms are locked and read by every decision, or proven to be as they are remembered
//! (D-0166); [`first_pages`] are kept with what proves that they are of now (D-0165). Only which
//! room a name means is kept without that: it never changes.

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

use connection::{Params, plain};
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

/// The open store.
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
    /// See [`crate::Store::check`].
    pub(crate) async fn check(&self) -> Result<(), StoreError> {
        self.readiness.check(async || self.writer.check().await).await?;
        self.readers.query("checking the database", "SELECT 1", &[]).await.map(drop)
    }

    /// See [`crate::Store::close`].
    pub(crate) async fn close(&self) -> Result<(), StoreError> {
        self.readers.close().await;
        self.listers.close().await;
        self.readiness.closed();
        self.writer.close().await
    }

    /// See [`crate::Store::notices`].
    pub(crate) fn notices(&self) -> Notifications {
        Notifications { endpoint: self.endpoint.clone() }
    }
}
