//! Passwords: argon2id, off the request threads, few at a time.

use argon2::{Argon2, PasswordHasher};
use confab_domain::limits;
use tokio::sync::Semaphore;

static HASHING: Semaphore = Semaphore::const_new(limits::HASHING_MAX);

/// The hash of a password. Waits for its turn: hashing is meant to be slow, serving is not.
pub(crate) async fn hash(password: String) -> Result<String, PasswordError> {
    let _turn = HASHING.acquire().await.map_err(|_| PasswordError)?;
    tokio::task::spawn_blocking(move || hash_now(&password)).await.map_err(|_| PasswordError)?
}

/// The hash of a password, on this thread: for commands and the first start.
pub(crate) fn hash_now(password: &str) -> Result<String, PasswordError> {
    let hash = Argon2::default().hash_password(password.as_bytes());
    hash.map(|hash| hash.to_string()).map_err(|_| PasswordError)
}

/// Hashing failed, which only a machine without memory or random bytes brings about.
#[derive(Debug, thiserror::Error)]
#[error("a password could not be hashed")]
pub struct PasswordError;
