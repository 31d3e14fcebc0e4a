//! The apps and their keys, for commands that work on the data.

use std::sync::Arc;

use confab_store::Registry;

use super::command_error::CommandError;
use crate::clock::{COMMAND_NODE, SystemStamps};
use crate::config::{Effective, location, secrets_file};

/// Works with the registry, beside servers that may be running.
pub(super) fn with_registry<T>(
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
