//! Somebody who is signed in shows that they know their own password.

use std::time::Instant;

use confab_domain::agents::agent::Agent;

use super::sign_in::SignInError;
use crate::passwords::HashingFor;
use crate::peer::Peer;
use crate::services::Services;
use crate::sign_in_limits::{TriedAccount, TriedFrom};

/// What became of it.
pub(super) enum Proof {
    /// It is the password of this hash.
    Right {
        seen_hash: String,
    },
    Wrong,
}

/// A wrong password counts as a try to sign in: a stolen token must not be a way to guess it.
pub(super) async fn prove_password(
    services: &Services,
    user: &Agent,
    password: String,
    peer: Peer,
) -> Result<Proof, SignInError> {
    let account = TriedAccount::of_agent(&user.email);
    let begun =
        services.sign_in_tries().begin(&account, TriedFrom::Address(peer), Instant::now())?;
    let seen_hash = hash_of(services, user).await?;
    let wanted = HashingFor::SignIn(peer);
    if !services.hashing().verify(wanted, password, seen_hash.clone()).await? {
        begun.failed(Instant::now());
        return Ok(Proof::Wrong);
    }
    begun.succeeded(Instant::now());
    Ok(Proof::Right { seen_hash: seen_hash.unwrap_or_default() })
}

/// The hash of somebody's password as it is kept now; empty while they have none (D-0112).
pub(super) async fn hash_of(
    services: &Services,
    user: &Agent,
) -> Result<Option<String>, SignInError> {
    let found = services.store().agent_by_email(&user.email).await?;
    let found = found.filter(|(agent, _)| agent.profile.user.id == user.id);
    Ok(found.map(|(_, hash)| hash))
}
