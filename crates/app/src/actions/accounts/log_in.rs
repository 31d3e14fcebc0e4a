//! Logs a client in as a user of its app (design/message-api).

use std::sync::Arc;
use std::time::Instant;

use confab_domain::app::App;
use confab_domain::decision::principal::Principal;
use confab_domain::people::registering::{EditProfile, Profile, ProfileEdit, RegisterNewcomer};
use confab_domain::people::user::{Realm, User, UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_runtime::admission::peer::Peer;
use confab_runtime::admission::sign_in_limits::{TriedAccount, TriedFrom};
use confab_runtime::ids;
use confab_store::{Store, StoreError, WriteError};

use crate::actions::accounts::sign_in::SignInError;
use crate::credentials::passwords::HashingFor;
use crate::decide::Decisions;
use crate::services::Services;

/// Registers a new user, or checks the password of an existing one. The password of the user that
/// speaks for an agent is the agent's `sdk_key`; other users without a password cannot log in. If
/// self-registration is disabled, an unknown user gets the error of a wrong password, after equal
/// work (D-0071).
pub async fn log_in(
    services: &Services,
    by: &Principal,
    user: &UserId,
    password: String,
    edit: ProfileEdit,
    peer: Peer,
) -> Result<Arc<User>, SignInError> {
    let account = TriedAccount::of_user(by.app.id, user.as_str());
    let begun = services.admission().log_in_tries.begin(
        &account,
        TriedFrom::Address(peer),
        Instant::now(),
    )?;
    if is_sdk_key(services.store(), &by.app, user, &password).await? {
        begun.succeeded(Instant::now());
        // An agent's name comes from their account, so ignore the name that the client sends.
        let (user, edit) = (UserRef::own(user.clone()), ProfileEdit::default());
        return Ok(services.decisions().decide(by, EditProfile { user, edit }).await?);
    }
    let (hashing, wanted) = (services.hashing(), HashingFor::LogIn(by.app.id, peer));
    let mut known = services.store().user_password(by.app.id, user).await?;
    if known.is_none() && services.store().settings(by.app.id).await?.registers_strangers() {
        let hash = hashing.hash(wanted, password.clone()).await?;
        let registered = register(services.decisions(), by, user, &edit, Some(hash)).await?;
        if let Some(registered) = registered {
            begun.succeeded(Instant::now());
            return Ok(registered);
        }
        // A concurrent request registered the user first.
        known = services.store().user_password(by.app.id, user).await?;
    }
    if !hashing.verify(wanted, password, known.flatten()).await? {
        begun.failed(Instant::now());
        return Err(Refusal::WrongSignIn.into());
    }
    begun.succeeded(Instant::now());
    let user = UserRef::own(user.clone());
    Ok(services.decisions().decide(by, EditProfile { user, edit }).await?)
}

/// Whether the password is the `sdk_key` of the agent for whom this user speaks.
async fn is_sdk_key(
    store: &Store,
    app: &App,
    user: &UserId,
    password: &str,
) -> Result<bool, StoreError> {
    if !user.is_reserved() {
        return Ok(false);
    }
    let owner = store.user_of_token(password).await?;
    Ok(owner.is_some_and(|it| {
        it.app == app.id && it.works_as().is_some() && UserRef::own(user.clone()).is(&it)
    }))
}

/// Returns the user of an identity token: one of the app's own, who is registered if new, or an
/// existing customer of the widget's channel.
pub async fn become_user(
    decisions: &Decisions,
    by: &Principal,
    user: &UserRef,
    edit: ProfileEdit,
) -> Result<Arc<User>, WriteError> {
    if user.realm() != Realm::App {
        return decisions.decide(by, EditProfile { user: user.clone(), edit }).await;
    }
    let user = user.user_id();
    match register(decisions, by, user, &edit, None).await? {
        Some(registered) => Ok(registered),
        None => {
            let user = UserRef::own(user.clone());
            decisions.decide(by, EditProfile { user, edit }).await
        }
    }
}

async fn register(
    decisions: &Decisions,
    by: &Principal,
    user: &UserId,
    edit: &ProfileEdit,
    password_hash: Option<String>,
) -> Result<Option<Arc<User>>, WriteError> {
    let profile = Profile {
        app: by.app.id,
        realm: Realm::App,
        user_id: user.clone(),
        username: edit.username.clone().unwrap_or_else(|| user.as_str().to_owned()),
        avatar_url: edit.avatar_url.clone(),
        extras: edit.extras.clone(),
        password_hash,
        new_token: ids::secret(),
    };
    decisions.decide(by, RegisterNewcomer { profile }).await
}
