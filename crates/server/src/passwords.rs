//! Passwords: argon2id, off the request threads, few at a time.

use std::sync::OnceLock;

use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use confab_domain::limits;
use tokio::sync::Semaphore;

static HASHING: Semaphore = Semaphore::const_new(limits::HASHING_MAX);

/// The hash of a password. Waits for its turn: hashing is meant to be slow, serving is not.
pub(crate) async fn hash(password: String) -> Result<String, PasswordError> {
    let _turn = HASHING.acquire().await.map_err(|_| PasswordError)?;
    tokio::task::spawn_blocking(move || hash_now(&password)).await.map_err(|_| PasswordError)?
}

/// Whether a password is the one of this hash. Where there is no hash it is not, and finding that
/// out costs the same: time must not tell which accounts exist.
pub(crate) async fn verify(password: String, hash: Option<String>) -> Result<bool, PasswordError> {
    let _turn = HASHING.acquire().await.map_err(|_| PasswordError)?;
    let verified = move || {
        let nobodys = nobodys_hash()?;
        let shown = hash.as_deref().unwrap_or(nobodys);
        let is_same = Argon2::default().verify_password(password.as_bytes(), shown).is_ok();
        Ok(is_same && hash.is_some())
    };
    tokio::task::spawn_blocking(verified).await.map_err(|_| PasswordError)?
}

/// A hash as expensive as any other.
fn nobodys_hash() -> Result<&'static str, PasswordError> {
    static HASH: OnceLock<String> = OnceLock::new();
    if let Some(hash) = HASH.get() {
        return Ok(hash);
    }
    let hash = hash_now("nobody's")?;
    Ok(HASH.get_or_init(|| hash))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_fits_its_own_hash_and_nobodys_fits_none() {
        let made = hash("right".to_owned()).await.expect("hashed");
        let fits = |password: &str, hash: Option<&str>| {
            verify(password.to_owned(), hash.map(str::to_owned))
        };
        assert!(fits("right", Some(&made)).await.expect("verified"));
        assert!(!fits("wrong", Some(&made)).await.expect("verified"));
        assert!(!fits("right", None).await.expect("verified"));
        assert!(!fits("nobody's", None).await.expect("verified"));
        assert!(!fits("", Some("")).await.expect("verified"), "a deleted account has no hash");
    }
}
