//! Access to the apps and their keys, for commands that work on the data.

use std::sync::Arc;

use confab_runtime::clock::{COMMAND_NODE, SystemStamps};
use confab_runtime::config::{Effective, location, secrets_file};
use confab_store::{Location, Registry};

use crate::command_error::CommandError;
use crate::data::archive::DATABASE;

/// Returns the location of the data. Fails for a folder without a database, so that a mistyped
/// folder is not filled with new data.
pub(crate) fn existing_data(settings: &Effective) -> Result<Location, CommandError> {
    let location = location(settings)?;
    match &location {
        Location::Folder(folder) if !folder.join(DATABASE).exists() => {
            let folder = folder.display();
            Err(format!("there is no data in {folder}; name the data folder with --data").into())
        }
        _ => Ok(location),
    }
}

/// Runs work on the registry of existing data, next to servers that may be running.
pub(crate) fn with_registry<T>(
    settings: &Effective,
    work: impl AsyncFnOnce(Registry) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    existing_data(settings)?;
    with_new_registry(settings, work)
}

/// Runs work on the registry, and creates the database if there is none.
pub(crate) fn with_new_registry<T>(
    settings: &Effective,
    work: impl AsyncFnOnce(Registry) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let stamps = Arc::new(SystemStamps::new(COMMAND_NODE));
    runtime.block_on(async {
        let location = location(settings)?;
        let sealer = secrets_file(settings).sealer(&location).await?;
        let registry = Registry::open(&location, stamps, sealer).await?;
        work(registry).await
    })
}
