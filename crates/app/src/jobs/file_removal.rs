//! Deletes files to which only erased messages referred (design/support).
//!
//! There is no index of references to files. The task therefore scans all messages in batches and
//! stores its position. A file with another reference is not deleted.

use std::time::Duration;

use confab_domain::files::removing::FileReferences;
use confab_domain::limits;
use confab_runtime::failures::chain;
use confab_store::{StoreError, UnreferencedFile, WriteError};

use crate::services::Services;

/// Interval of polling for files that may have lost their last reference.
const CHECK_EVERY: Duration = Duration::from_secs(1);

/// Reason why a file could not be checked or deleted.
#[derive(Debug, thiserror::Error)]
enum KeepReason {
    #[error(transparent)]
    Unread(#[from] StoreError),
    #[error(transparent)]
    Unwritten(#[from] WriteError),
    #[error("the file cannot be removed")]
    Undeleted(#[from] std::io::Error),
}

/// Checks and deletes files until the task is aborted.
pub(crate) async fn keep_removing_files(services: Services) {
    let mut every = tokio::time::interval(CHECK_EVERY);
    every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        every.tick().await;
        loop {
            match step(&services).await {
                Ok(false) => break,
                Ok(true) => tokio::task::yield_now().await,
                Err(error) => {
                    tracing::warn!(
                        error = %chain(&error),
                        "failed to delete files of erased messages"
                    );
                    break;
                }
            }
        }
    }
}

/// Scans one batch of messages for references to the first file to check, and deletes the file if
/// all messages are scanned. Returns whether there may be more to do.
async fn step(services: &Services) -> Result<bool, KeepReason> {
    let store = services.store();
    let Some(file) = store.first_doubted_file().await? else { return Ok(false) };
    let Some(app) = store.app_by_id(file.app).await? else { return Ok(false) };
    let name = format!("{}/{}", app.code.as_str(), file.hash);
    let size = limits::INDEX_STEP;
    let some = store.contents_after(file.looked_up_to, size).await?;
    let is_named = some.iter().any(|it| it.content.replace("\\/", "/").contains(&name));
    let found = match some.last() {
        _ if is_named => FileReferences::Named,
        Some(last) if some.len() == size => FileReferences::NotNamedUpTo(last.id),
        _ => removed(services, &file, &name).await?,
    };
    store.settle(file, found).await?;
    Ok(true)
}

/// Deletes a file to which no message refers, unless an avatar, reply or setting does. The bytes
/// are deleted before the record, so that an interrupted deletion is repeated.
async fn removed(
    services: &Services,
    file: &UnreferencedFile,
    name: &str,
) -> Result<FileReferences, KeepReason> {
    let (store, app, hash) = (services.store(), file.app, file.hash.as_str());
    if store.is_file_named_elsewhere(app, name).await? {
        return Ok(FileReferences::Named);
    }
    let size = store.file(app, hash).await?.map_or(0, |it| it.size);
    services.files().remove(app, hash).await?;
    Ok(FileReferences::Gone(size))
}
