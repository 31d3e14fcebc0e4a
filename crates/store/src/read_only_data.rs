//! Data that are looked at and never changed: no folder and no table is made, no schema brought up
//! to date, no key made known (D-0194).
//!
//! Called by `confab doctor` and `confab check`, which may meet data of any version, of somebody
//! else, or none at all.

use std::path::Path;
use std::sync::Arc;

use confab_domain::app::App;

use crate::command_database::CommandDatabase;
use crate::error::StoreError;
use crate::location::Location;
use crate::schema_versions::SchemaVersions;
use crate::secrets::keys::KeyFile;
use crate::secrets::proving;
use crate::secrets::sealer::Sealer;
use crate::sql::values;
use crate::sqlite;
use crate::tables::apps;

/// Data that are only looked at.
pub struct ReadOnlyData {
    database: CommandDatabase,
    schema: SchemaVersions,
}

impl ReadOnlyData {
    /// Nothing where nobody made a schema yet.
    pub async fn open(location: &Location) -> Result<Option<Self>, StoreError> {
        let opened = CommandDatabase::open_to_look(location).await?;
        let opened = opened.map(|(database, schema)| Self { database, schema });
        Ok(opened.filter(|data| data.schema.found > 0))
    }

    /// Everything else here is sure only of data that have the schema of this version.
    pub fn schema(&self) -> SchemaVersions {
        self.schema
    }

    /// Proves, as a start does, that the keys of the file are those of the data. Nothing if nobody
    /// made a file yet, and nothing is sealed.
    pub async fn prove_keys(
        &self,
        file: Box<dyn KeyFile>,
    ) -> Result<Option<Arc<Sealer>>, StoreError> {
        let known = match proving::known_keys(&self.database).await {
            // An older version may have no table of keys.
            Err(_) if self.schema.found < self.schema.known => Vec::new(),
            known => known?,
        };
        proving::sealer_of(&known, file)
    }

    /// All apps, the oldest first.
    pub async fn apps(&self, sealer: &Sealer) -> Result<Vec<App>, StoreError> {
        let rows = self.database.query("listing apps", &apps::APPS, values![]).await?;
        rows.iter().map(|row| apps::row(row, sealer)).collect()
    }
}

/// Whether a process serves from a data folder now.
pub fn is_served(data_folder: &Path) -> Result<bool, StoreError> {
    sqlite::folder::is_served(data_folder)
}
