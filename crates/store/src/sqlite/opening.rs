//! Opens the engine: database file, writer thread and readers.

use std::path::Path;
use std::sync::Arc;
use std::thread;

use confab_domain::decision::stamp::Stamps;
use confab_domain::limits;

use super::connections::readers::Readers;
use super::data_folder::folder;
use super::data_folder::mark::NewestMark;
use super::reading::readers_memory::ReadersMemory;
use super::writing::writer::{self, Writer};
use super::{Engine, migrations};
use crate::error::StoreError;
use crate::reading::read_queues::ReadQueues;
use crate::secrets::sealer::Sealer;
use crate::writing::readiness::Readiness;
use crate::writing::waiting::CommitListeners;

impl Engine {
    /// Opens or creates the database in the folder.
    pub(crate) fn open(
        folder: &Path,
        stamps: Arc<dyn Stamps>,
        sealer: Arc<Sealer>,
    ) -> Result<Self, StoreError> {
        folder::prepare(folder)?;
        let lock = folder::lock(folder)?;
        let path = folder::database(folder);
        let connection = migrations::open_with_checksums(&path)?;
        let memory = Arc::new(ReadersMemory::default());
        let listeners = CommitListeners::default();
        let (places, first_pages) = (memory.places.clone(), memory.first_pages.clone());
        let readiness = Arc::new(Readiness::default());
        let told = (listeners.clone(), readiness.clone());
        let file = (connection, NewestMark::open(folder)?, path.as_path());
        let writer = Writer::new(file, places, first_pages, stamps, sealer.clone(), told)?;
        let readers = Arc::new(Readers::new(path, readiness.clone()));
        Ok(Self {
            writer: writer::start(writer, lock)?,
            listeners,
            sealer,
            readers,
            queues: ReadQueues::new(lists_at_once()),
            memory,
            readiness,
        })
    }
}

/// Returns the maximum number of lists that run concurrently, since each keeps one processor busy.
fn lists_at_once() -> usize {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    processors.clamp(limits::LISTS_AT_ONCE_MIN, limits::READERS_MAX)
}
