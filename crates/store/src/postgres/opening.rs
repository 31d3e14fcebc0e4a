//! Opens the engine: schema, writer thread and readers.

use std::sync::Arc;

use confab_domain::decision::stamp::Stamps;
use confab_domain::limits;

use super::connections::endpoint::DatabaseEndpoint;
use super::connections::readers::Readers;
use super::nodes::node::OwnNumber;
use super::reading::first_pages::{FirstPages, PageCache};
use super::writing::writer;
use super::{Engine, migrations, sharding};
use crate::error::StoreError;
use crate::reading::read_queues::ReadQueues;
use crate::reading::room_names::RoomNames;
use crate::secrets::sealer::Sealer;
use crate::writing::readiness::Readiness;
use crate::writing::waiting::CommitListeners;

impl Engine {
    /// Migrates the database, and starts the writer thread and the readers.
    pub(crate) async fn open(
        endpoint: &DatabaseEndpoint,
        stamps: Arc<dyn Stamps>,
        sealer: Arc<Sealer>,
    ) -> Result<Self, StoreError> {
        let db = migrations::migrate(endpoint).await?;
        if sharding::is_undistributed(&db).await? {
            tracing::warn!(
                data = %endpoint.shown(),
                "Citus is installed, but the tables are not distributed: to shard them, create \
                 them with citus.sql in a new database"
            );
        }
        drop(db);
        let room_names = Arc::new(RoomNames::default());
        let listeners = CommitListeners::default();
        let names = room_names.clone();
        let readiness = Arc::new(Readiness::default());
        let node = OwnNumber::default();
        let told = (listeners.clone(), readiness.clone(), node.clone());
        let kept_pages = Arc::new(PageCache::default());
        let kept = (names, kept_pages.clone());
        let writer = writer::start(endpoint.clone(), stamps, sealer.clone(), kept, told)?;
        let readers = Arc::new(Readers::of_keys(endpoint.clone()));
        let first_pages = FirstPages::start(readers.clone(), kept_pages);
        let listers = Arc::new(Readers::of_lists(endpoint.clone()));
        let queues = ReadQueues::new(limits::POSTGRES_LISTERS_MAX);
        let endpoint = endpoint.clone();
        let engine = Self {
            writer,
            listeners,
            sealer,
            node,
            readers,
            first_pages,
            listers,
            queues,
            room_names,
            endpoint,
            readiness,
        };
        engine.check().await?;
        Ok(engine)
    }
}
