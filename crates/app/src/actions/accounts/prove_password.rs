//! Checks that a signed-in agent knows their own password.

use std::time::Instant;

use confab_domain::agents::agent::Agent;
use confab_runtime::admission::peer::Peer;
use confab_runtime::admission::sign_in_limits::{TriedAccount, TriedFrom};
use confab_store::Store;

use crate::actions::accounts::sign_in::SignInError;
use crate::credentials::passwords::HashingFor;
use crate::services::Services;

/// The result of the check.
pub(crate) enum Proof {
    /// The password matches this hash.
    Right {
        seen_hash: String,
    },
    Wrong,
}

/// Checks an agent's password. A wrong one counts as a failed sign-in, so that a stolen token does
/// not allow guessing the password.
pub(crate) async fn prove_password(
    services: &Services,
    user: &Agent,
    password: String,
    peer: Peer,
) -> Result<Proof, SignInError> {
    let account = TriedAccount::of_agent(&user.email);
    let begun = services.admission().sign_in_tries.begin(
        &account,
        TriedFrom::Address(peer),
        Instant::now(),
    )?;
    let seen_hash = hash_of(services.store(), user).await?;
    let wanted = HashingFor::SignIn(peer);
    if !services.hashing().verify(wanted, password, seen_hash.clone()).await? {
        begun.failed(Instant::now());
        return Ok(Proof::Wrong);
    }
    begun.succeeded(Instant::now());
    Ok(Proof::Right { seen_hash: seen_hash.unwrap_or_default() })
}

/// Returns the stored password hash of an agent; empty if they have no password.
pub(crate) async fn hash_of(store: &Store, user: &Agent) -> Result<Option<String>, SignInError> {
    let found = store.agent_by_email(&user.email).await?;
    let found = found.filter(|(agent, _)| agent.profile.user.id == user.id);
    Ok(found.map(|(_, hash)| hash))
}
