//! Somebody changes their own password.

use std::time::Instant;

use confab_domain::app::DashboardUser;
use confab_domain::refusal::Refusal;
use confab_domain::signing_in;

use super::sign_in::SignInError;
use crate::services::Services;
use crate::{ids, passwords};

/// All tokens end. A wrong password counts as a try to sign in: a stolen token must not be a way to
/// guess it.
pub(crate) async fn change_password(
    services: &Services,
    user: &DashboardUser,
    current: String,
    new: String,
) -> Result<(), SignInError> {
    let account = ids::token_hash(&user.email);
    services.sign_in_tries().begin(&account, Instant::now())?;
    let found = services.store().worker_by_email(&user.email).await?;
    let found = found.filter(|(worker, _)| worker.profile.user.id == user.id);
    let seen_hash = found.map(|(_, hash)| hash);
    if !passwords::verify(current, seen_hash.clone()).await? {
        return Err(Refusal::WrongSignIn.into());
    }
    services.sign_in_tries().forget(&account);
    let (id, seen_hash) = (user.id, seen_hash.unwrap_or_default());
    let new_hash = passwords::hash(new).await?;
    services
        .store()
        .decide(user.app, signing_in::question(id), move |facts, stamp| {
            signing_in::change_password(facts, id, &seen_hash, &new_hash, stamp)
        })
        .await?;
    Ok(())
}
