//! The PostgreSQL engine, for many nodes: each has one writing connection and a few reading ones.
//!
//! [`Engine`] is called by `Store`. Writes go through a bounded queue to the thread of [`writing`],
//! which commits everything queued at once: `facts` loads what the questions in `asked` name,
//! `batch_facts` answers them, and `changes` writes. [`connections`] has the reading connections,
//! and `pipeline`, which sends statements in order. In [`nodes`], `node` distinguishes this node
//! from others; `commit_proof` finds out whether a commit took place if the node's row does not
//! show it.
//!
//! Other nodes write too, so no cached value that can change is trusted from one commit to the
//! next: decisions lock and read their rooms, or prove that they match the cache (D-0165);
//! first pages are cached with versions that prove that they are current (D-0165). Only the mapping
//! of unique ids to rooms is cached without a proof: it never changes.

pub(crate) mod connections;
pub(crate) mod maintenance;
mod migrations;
pub(crate) mod nodes;
mod opening;
mod reading;
#[cfg(test)]
mod shard_shapes;
mod sharding;
mod writing;

use std::sync::Arc;

pub use self::connections::endpoint::DatabaseEndpoint;
use self::connections::readers::Readers;
use self::nodes::node::OwnNumber;
use self::nodes::notifications::Notifications;
use self::reading::first_pages::FirstPages;
use crate::error::StoreError;
use crate::reading::read_queues::ReadQueues;
use crate::reading::room_names::RoomNames;
use crate::secrets::sealer::Sealer;
use crate::writing::readiness::Readiness;
use crate::writing::waiting::{CommitListeners, WriterThread};

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
