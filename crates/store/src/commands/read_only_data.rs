//! Read-only access to data: creates no folder, table or key, and does not migrate the schema
//! (design/operations).
//!
//! Called by `confab doctor` and `confab check`, which may find data of any version, foreign data,
//! or none at all.

use std::path::Path;
use std::sync::Arc;

use confab_domain::app::App;

use super::command_database::CommandDatabase;
use crate::error::StoreError;
use crate::location::Location;
use crate::schema_versions::SchemaVersions;
use crate::secrets::keys::KeyFile;
use crate::secrets::proving;
use crate::secrets::sealer::Sealer;
use crate::sql::values;
use crate::sqlite;
use crate::tables::apps;

/// A read-only connection to the database of an installation, and its schema versions.
pub struct ReadOnlyData {
    database: CommandDatabase,
    schema: SchemaVersions,
}

impl ReadOnlyData {
    /// Opens the database read-only; `None` if it has no schema yet.
    pub async fn open(location: &Location) -> Result<Option<Self>, StoreError> {
        let opened = CommandDatabase::open_to_examine(location).await?;
        let opened = opened.map(|(database, schema)| Self { database, schema });
        Ok(opened.filter(|data| data.schema.found > 0))
    }

    /// Returns the schema versions. The other methods are reliable only if the database has the
    /// current version.
    pub fn schema(&self) -> SchemaVersions {
        self.schema
    }

    /// Proves that the keys of the file belong to the database, as the server does when it starts.
    /// `None` if there is no file and no secret is sealed.
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

    /// Returns all apps, oldest first.
    pub async fn apps(&self, sealer: &Sealer) -> Result<Vec<App>, StoreError> {
        let rows = self.database.query("listing apps", &apps::APPS, values![]).await?;
        rows.iter().map(|row| apps::row(row, sealer)).collect()
    }
}

/// Whether a process currently serves a data folder.
pub fn is_served(data_folder: &Path) -> Result<bool, StoreError> {
    sqlite::data_folder::folder::is_served(data_folder)
}
