//! Changes an agent's own password.

use confab_domain::agents::agent::Agent;
use confab_domain::agents::password::NewPassword;
use confab_domain::agents::signing_in::{NewSecrets, ReplacePassword};
use confab_domain::decision::principal::Principal;
use confab_domain::field_problem::FieldProblem;
use confab_domain::refusal::Refusal;
use confab_runtime::admission::peer::Peer;
use confab_runtime::ids;

use crate::actions::accounts::prove_password::{Proof, hash_of, prove_password};
use crate::actions::accounts::sign_in::SignInError;
use crate::credentials::passwords::HashingFor;
use crate::services::Services;

/// Changes the password. All tokens of the agent and their key are revoked. The current password is
/// required, except from agents who were invited by a link and have none yet.
pub async fn change_password(
    services: &Services,
    by: &Principal,
    user: &Agent,
    (current, new): (Option<String>, NewPassword),
    peer: Peer,
) -> Result<(), SignInError> {
    let seen_hash = match hash_of(services.store(), user).await? {
        Some(none) if none.is_empty() => none,
        _ => {
            let missing = || Refusal::from(FieldProblem::new("current_password", "is required"));
            let current = current.ok_or_else(missing)?;
            match prove_password(services, user, current, peer).await? {
                Proof::Right { seen_hash } => seen_hash,
                Proof::Wrong => return Err(Refusal::WrongSignIn.into()),
            }
        }
    };
    let (hashing, wanted) = (services.hashing(), HashingFor::SignIn(peer));
    let password_hash = hashing.hash(wanted, new.into_text()).await?;
    let new = NewSecrets { password_hash, sdk_key: ids::secret() };
    let rule = ReplacePassword { user: user.id, seen_hash, new };
    services.decisions().decide(by, rule).await?;
    Ok(())
}
