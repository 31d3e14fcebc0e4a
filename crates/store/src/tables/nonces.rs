//! Nonces that client SDKs request for signed identity tokens. Each can be used once.

use confab_domain::ids::AppId;
use confab_domain::time::Timestamp;

use crate::sql::{Ask, prepared, values};

prepared! {
    NONCE = "SELECT good_until FROM nonces WHERE app = $1 AND nonce = $2";
    ADD_NONCE = "INSERT INTO nonces (app, nonce, good_until) VALUES ($1, $2, $3)";
    USE_NONCE = "DELETE FROM nonces WHERE app = $1 AND nonce = $2";
    FORGET_NONCES = "DELETE FROM nonces WHERE good_until < $1";
}

pub(crate) fn add(app: AppId, nonce: &str, until: Timestamp) -> Vec<Ask> {
    vec![Ask::new(&ADD_NONCE, values![app.0, nonce, until])]
}

/// Deletes a used nonce.
pub(crate) fn remove(app: AppId, nonce: &str) -> Vec<Ask> {
    vec![Ask::new(&USE_NONCE, values![app.0, nonce])]
}

/// Deletes nonces of all apps that expired before this time.
pub(crate) fn purge(before: Timestamp) -> Vec<Ask> {
    vec![Ask::new(&FORGET_NONCES, values![before])]
}
