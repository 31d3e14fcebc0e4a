//! Registers a user, or brings the profile up to date.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::people::registering::{self, Profile, WantedUser};
use confab_domain::people::user::{Realm, User};
use confab_store::WriteError;

use crate::ids;
use crate::passwords::{HashingFor, PasswordError};
use crate::services::Services;

/// A given password replaces the old one; its hash is made before the store is asked.
pub(crate) async fn register_user(
    services: &Services,
    app: &App,
    wanted: WantedUser,
) -> Result<Arc<User>, RegisterError> {
    let command = HashingFor::Command(app.id);
    let password_hash = match wanted.password {
        Some(password) => Some(services.hashing().hash(command, password).await?),
        None => None,
    };
    let profile = Profile {
        app: app.id,
        realm: Realm::App,
        user_id: wanted.user_id,
        username: wanted.username,
        avatar_url: wanted.avatar_url,
        extras: wanted.extras,
        password_hash,
        new_token: ids::secret(),
    };
    let question = registering::question(std::slice::from_ref(&profile.user_id));
    let system_user = app.system_user;
    let registered = services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            registering::login_or_register(facts, &profile, system_user, stamp)
        })
        .await?;
    Ok(registered)
}

/// Why a user was not registered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RegisterError {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Password(#[from] PasswordError),
}
