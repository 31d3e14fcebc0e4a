//! Where a world's store lives. All that differs between engines in this suite is here.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use confab_domain::decision::Stamps;
use confab_store::{Registry, Store, StoreError};
use tempfile::TempDir;

/// A place for one store, gone with its last clone.
#[derive(Clone)]
pub enum Engine {
    /// A data folder with a real file.
    Sqlite(Arc<TempDir>),
}

impl Engine {
    pub fn sqlite() -> Self {
        Self::Sqlite(Arc::new(tempfile::tempdir().expect("a folder for the test")))
    }

    /// An empty place of the same engine.
    pub fn another(&self) -> Self {
        match self {
            Self::Sqlite(_) => Self::sqlite(),
        }
    }

    pub fn open(&self, stamps: Arc<dyn Stamps>) -> Result<Store, StoreError> {
        match self {
            Self::Sqlite(folder) => Store::open(folder.path(), stamps),
        }
    }

    pub fn registry(&self, stamps: Arc<dyn Stamps>) -> Registry {
        match self {
            Self::Sqlite(folder) => {
                Registry::open(folder.path(), stamps).expect("the registry opens")
            }
        }
    }

    /// The place as it would be found if the machine stopped now. Nothing may be writing: two files
    /// cannot be copied at one moment.
    pub fn after_crash(&self) -> Self {
        let Self::Sqlite(folder) = self;
        let after = Self::sqlite();
        for name in ["confab.db", "confab.db-wal"] {
            let copied = fs::copy(folder.path().join(name), after.folder().join(name));
            copied.expect("a store in use has this file");
        }
        after
    }

    pub fn folder(&self) -> &Path {
        let Self::Sqlite(folder) = self;
        folder.path()
    }
}
