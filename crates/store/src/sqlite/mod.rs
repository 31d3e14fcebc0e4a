//! The embedded engine: one SQLite file, one writer thread, many readers.
//!
//! Cast: [`Engine`] is what `Store` calls. It puts writes into a bounded queue. The one [`writer`]
//! thread drains the queue, runs every decision upon the facts it loads, and commits all of them
//! with one fsync (group commit); only then are the callers answered. Readers never wait for it:
//! they have connections of their own, and SQLite's write-ahead log gives them the last commit.
//!
//! [`places`] knows where a room's messages are. The newest places live in memory and are written
//! behind, because an index on (room, id) would dirty a page for each message (D-0016). The message
//! rows are the truth: after a crash, places are rebuilt from the rows that came after the last
//! written place.
//!
//! Only the process that holds the folder's lock writes messages, so what the writer remembers of
//! rooms, users and places is never out of date.

pub(crate) mod backup;
mod batch;
mod catching_up;
mod changes;
pub(crate) mod check;
mod checkpoints;
mod checksums;
pub(crate) mod commands;
mod deliveries;
mod emptying;
mod facts;
mod first_pages;
pub(crate) mod folder;
mod looking;
mod lookups;
pub(crate) mod loss;
mod mark;
mod memory;
mod migrations;
mod native;
mod not_opened;
mod opening;
mod pages;
mod participants;
mod places;
mod places_on_disk;
mod read_abort;
mod readers;
mod readers_memory;
mod reads;
mod rooms;
mod tallied;
mod values;
mod wal_file;
mod writer;

#[cfg(test)]
mod plans;

use std::sync::Arc;

use confab_domain::ids::{DeliveryId, RoomId, UserKey};
use confab_domain::limits;
use read_abort::ReadAbort;
use readers::Readers;
use reads::Reads;

use crate::error::StoreError;
use crate::listing::{ScanMark, ScannedDeliveries};
use crate::read_queues::ReadQueues;
use crate::readiness::Readiness;
use crate::secrets::sealer::Sealer;
use crate::sqlite::readers_memory::ReadersMemory;
use crate::waiting::{CommitListeners, WriterThread};

/// The open store.
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
    /// A read whose cost is bounded: it runs where it is called (D-0024).
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Reads<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.readers.with(|connection| {
            read(&Reads { connection, memory: &self.memory, sealer: &self.sealer })
        })
    }

    /// A read whose cost grows with what is stored: it waits for a permit and runs on the blocking
    /// pool (D-0024, D-0207). It is aborted when its caller no longer waits.
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

    /// The number up to which a user has read by posting, as far as it is not on disk.
    pub(crate) fn own_post(&self, room: RoomId, user: UserKey) -> u64 {
        self.memory.places.own_post(room, user)
    }

    /// See [`crate::Store::check`].
    pub(crate) async fn check(&self) -> Result<(), StoreError> {
        self.readiness.check(async || self.writer.check().await).await?;
        self.read(|reads| reads.check())
    }

    /// See [`crate::Store::waiting_deliveries`].
    pub(crate) async fn waiting_deliveries(
        &self,
        after: ScanMark,
    ) -> Result<ScannedDeliveries, StoreError> {
        let (whole, size) = (limits::WHOLE_PER_LOOK, limits::DELIVERIES_PER_LOOK);
        // All of a mark is committed together, so all of this one was there at that look.
        let after = (after, DeliveryId(i64::MAX));
        let (mut found, last) = self.read(|reads| reads.waiting_whole(after, whole))?;
        let (mut is_all, mut last) = (found.deliveries.len() < whole, (found.mark, last));
        while !is_all {
            // There is much: nobody should wait behind it.
            let next = self.read_long(move |reads| reads.waiting_page(last, size)).await?;
            is_all = next.0.len() < size;
            found.deliveries.extend(next.0);
            last = next.1;
        }
        found.mark = last.0;
        Ok(found)
    }

    /// See [`crate::Store::close`].
    pub(crate) async fn close(&self) -> Result<(), StoreError> {
        self.readers.close();
        self.readiness.closed();
        self.writer.close().await
    }
}
