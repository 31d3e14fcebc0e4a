//! Whether the keys of a file are those that the secrets of a database are sealed with.

use std::sync::Arc;

use super::statements as sql;
use crate::command_database::CommandDatabase;
use crate::error::StoreError;
use crate::secrets::keys::{KeyFile, SecretKey};
use crate::secrets::sealer::{Sealer, SecretLocation};
use crate::sql::Row;

/// A key that something may be sealed with: its name, and what only this key opens.
pub(crate) type VerifiableKey = (String, String);

/// The keys that something in the database may be sealed with.
pub(crate) async fn known_keys(
    database: &CommandDatabase,
) -> Result<Vec<VerifiableKey>, StoreError> {
    let rows = database.query("reading the names of keys", &sql::KEYS, Vec::new()).await?;
    rows.iter().map(|row| Ok((row.text(0)?, row.text(1)?))).collect()
}

/// A sealer with the keys of the file, once they are proven. Nothing without a file where nothing
/// is sealed. Makes nothing, neither a file nor a key.
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

/// Every key that something may be sealed with must be in the file, and be the same.
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
    StoreError::while_doing("opening the sealed secrets")(reason.into())
}

pub(super) fn no_file(known: &[VerifiableKey], file: &dyn KeyFile) -> String {
    let known: Vec<_> = known.iter().map(|(id, _)| id.as_str()).collect();
    format!(
        "the secrets of this database are sealed with the key {}, and {} is not there or empty; \
         put the key file of before there, of which every node needs the same (if it is lost, \
         see `confab secrets start-over --help`)",
        known.join(" and "),
        file.shown()
    )
}

fn wrong_file(wanted: &str, there: &str, file: &str) -> String {
    format!(
        "the secrets of this database are sealed with the key {wanted}, and {file} has {there} \
         only; put the key file of before there, of which every node needs the same (if it is \
         lost, see `confab secrets start-over --help`)"
    )
}
