//! Registers users and updates their profiles.

use std::sync::Arc;

use confab_domain::decision::principal::Principal;
use confab_domain::people::registering::{Profile, RegisterUser, UserInput};
use confab_domain::people::user::{Realm, User};
use confab_runtime::ids;
use confab_store::WriteError;

use crate::credentials::passwords::{HashingFor, PasswordError};
use crate::services::Services;

/// Creates or updates a user. A given password replaces the old one and is hashed before the
/// decision.
pub async fn register_user(
    services: &Services,
    by: &Principal,
    wanted: UserInput,
) -> Result<Arc<User>, RegisterError> {
    let command = HashingFor::Command(by.app.id);
    let password_hash = match wanted.password {
        Some(password) => Some(services.hashing().hash(command, password).await?),
        None => None,
    };
    let profile = Profile {
        app: by.app.id,
        realm: Realm::App,
        user_id: wanted.user_id,
        username: wanted.username,
        avatar_url: wanted.avatar_url,
        extras: wanted.extras,
        password_hash,
        new_token: ids::secret(),
    };
    Ok(services.decisions().decide(by, RegisterUser { profile }).await?)
}

/// Reason why a user was not registered.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Password(#[from] PasswordError),
}
