//! The embedded engine: one SQLite file, one writer thread, many readers.
//!
//! [`Engine`] is called by `Store` and puts writes into a bounded queue. The [`writing`] thread
//! drains the queue, runs every decision on the facts that it loads, commits all of them with one
//! fsync (group commit), and then answers their callers. Readers never wait for it: each has a
//! connection of its own, and SQLite's write-ahead log shows them the last commit.
//!
//! [`message_index`] maps the numbers of a room's messages to their ids. Its newest entries are in
//! memory and are written with a delay, because an SQL index on (room, id) would dirty a page for
//! each message (D-0016). The rows of messages are authoritative: after a crash, missing entries
//! are rebuilt from the messages after the last written entry.
//!
//! Only the process that holds the folder's lock writes messages, so the writer's caches are never
//! stale.

mod connections;
pub(crate) mod data_folder;
pub(crate) mod maintenance;
mod message_index;
mod migrations;
mod opening;
mod reading;
mod writing;

use std::sync::Arc;

use confab_domain::ids::{DeliveryId, RoomId, UserKey};
use confab_domain::limits;

use self::connections::read_abort::ReadAbort;
use self::connections::readers::Readers;
use self::reading::readers_memory::ReadersMemory;
use self::reading::reads::Reads;
use crate::error::StoreError;
use crate::reading::listing::{ScanMark, ScannedDeliveries};
use crate::reading::read_queues::ReadQueues;
use crate::secrets::sealer::Sealer;
use crate::writing::readiness::Readiness;
use crate::writing::waiting::{CommitListeners, WriterThread};

/// The open SQLite store.
pub struct Engine {
    pub(crate) writer: WriterThread,
    pub(crate) listeners: CommitListeners,
    pub(crate) sealer: Arc<Sealer>,
    readers: Arc<Readers>,
    pub(crate) queues: ReadQueues,
    memory: Arc<ReadersMemory>,
    readiness: Arc<Readiness>,
}

impl Engine {
    /// Runs a read of bounded cost on the calling thread (D-0024).
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Reads<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.readers.with(|connection| {
            read(&Reads { connection, memory: &self.memory, sealer: &self.sealer })
        })
    }

    /// Runs a read whose cost grows with the stored data on the blocking pool, after waiting for a
    /// permit (D-0024, D-0207). It is aborted when its caller no longer waits.
    pub(crate) async fn read_long<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Reads<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let permit = self.queues.list().await?;
        let (readers, memory) = (self.readers.clone(), self.memory.clone());
        let sealer = self.sealer.clone();
        let abort = Arc::new(ReadAbort::default());
        let _aborts = abort.clone().on_drop();
        let on_pool = move || {
            let _permit = permit;
            readers.with(|connection| {
                let reads = Reads { connection, memory: &memory, sealer: &sealer };
                abort.run(connection, || read(&reads))
            })
        };
        let joined = tokio::task::spawn_blocking(on_pool).await;
        joined.map_err(StoreError::while_doing("reading on the blocking pool"))?
    }

    /// Returns the number of the last message that a user posted in a room, if it is not on disk
    /// yet; otherwise 0. A user's own messages count as read.
    pub(crate) fn own_post(&self, room: RoomId, user: UserKey) -> u64 {
        self.memory.places.own_post(room, user)
    }

    /// Implements [`crate::Store::check`].
    pub(crate) async fn check(&self) -> Result<(), StoreError> {
        self.readiness.check(async || self.writer.check().await).await?;
        self.read(|reads| reads.check())
    }

    /// Implements [`crate::Store::waiting_deliveries`].
    pub(crate) async fn waiting_deliveries(
        &self,
        after: ScanMark,
    ) -> Result<ScannedDeliveries, StoreError> {
        let (whole, size) = (limits::WHOLE_PER_READ, limits::DELIVERIES_PER_READ);
        // All rows of a mark are committed together, so that scan saw all of this one's.
        let after = (after, DeliveryId(i64::MAX));
        let (mut found, last) = self.read(|reads| reads.waiting_whole(after, whole))?;
        let (mut is_all, mut last) = (found.deliveries.len() < whole, (found.mark, last));
        while !is_all {
            // More pages may take long: read them on the blocking pool.
            let next = self.read_long(move |reads| reads.waiting_page(last, size)).await?;
            is_all = next.0.len() < size;
            found.deliveries.extend(next.0);
            last = next.1;
        }
        found.mark = last.0;
        Ok(found)
    }

    /// Implements [`crate::Store::close`].
    pub(crate) async fn close(&self) -> Result<(), StoreError> {
        self.readers.close();
        self.readiness.closed();
        self.writer.close().await
    }
}
