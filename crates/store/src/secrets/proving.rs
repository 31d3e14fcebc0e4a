//! Proves that the keys of a file are those that seal the secrets of a database.

use std::sync::Arc;

use super::statements as sql;
use crate::commands::command_database::CommandDatabase;
use crate::error::StoreError;
use crate::secrets::keys::{KeyFile, SecretKey};
use crate::secrets::sealer::{Sealer, SecretLocation};
use crate::sql::Row;

/// Id of a key that may have sealed secrets, and a sealed text that only this key opens.
pub(crate) type VerifiableKey = (String, String);

/// Returns the registered keys: all that may have sealed secrets in the database.
pub(crate) async fn known_keys(
    database: &CommandDatabase,
) -> Result<Vec<VerifiableKey>, StoreError> {
    let rows = database.query("reading the ids of the keys", &sql::KEYS, Vec::new()).await?;
    rows.iter().map(|row| Ok((row.text(0)?, row.text(1)?))).collect()
}

/// Creates a sealer with the keys of the file, after proving them. `None` if there is no file and
/// no key is registered. Creates neither a file nor a key.
pub(crate) fn sealer_of(
    known: &[VerifiableKey],
    file: Box<dyn KeyFile>,
) -> Result<Option<Arc<Sealer>>, StoreError> {
    let keys = file.read().map_err(failed)?.filter(|keys| !keys.is_empty());
    match keys {
        None if known.is_empty() => Ok(None),
        None => Err(failed(no_file(known, &*file))),
        Some(keys) => {
            let sealer = Sealer::new(file, keys);
            prove(&sealer, known)?;
            Ok(Some(Arc::new(sealer)))
        }
    }
}

/// Fails unless the file contains every registered key.
pub(super) fn prove(sealer: &Sealer, known: &[VerifiableKey]) -> Result<(), StoreError> {
    let keys = sealer.reread();
    for (id, proof) in known {
        if !keys.iter().any(|key| key.id() == id) {
            let there: Vec<_> = keys.iter().map(SecretKey::id).collect();
            return Err(failed(wrong_file(id, &there.join(" and "), &sealer.file.shown())));
        }
        sealer.open_text(SecretLocation::Proof, proof)?;
    }
    Ok(())
}

pub(super) fn failed(reason: impl Into<String>) -> StoreError {
    StoreError::while_doing("decrypting the secrets")(reason.into())
}

pub(super) fn no_file(known: &[VerifiableKey], file: &dyn KeyFile) -> String {
    let known: Vec<_> = known.iter().map(|(id, _)| id.as_str()).collect();
    format!(
        "the secrets of this database are encrypted with the key {}, but {} is missing or empty; \
         restore the previous key file there; every node needs the same one (if it is lost, see \
         `confab secrets start-over --help`)",
        known.join(" and "),
        file.shown()
    )
}

fn wrong_file(wanted: &str, there: &str, file: &str) -> String {
    format!(
        "the secrets of this database are encrypted with the key {wanted}, but {file} has only \
         {there}; restore the previous key file there; every node needs the same one (if it is \
         lost, see `confab secrets start-over --help`)"
    )
}
