//! Somebody changes their own password.

use std::sync::Arc;
use std::time::Instant;

use confab_domain::agents::agent::Agent;
use confab_domain::agents::password::NewPassword;
use confab_domain::agents::right::Right;
use confab_domain::agents::signing_in::{NewSecrets, ReplacePassword};
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::field_problem::FieldProblem;
use confab_domain::refusal::Refusal;

use super::sign_in::SignInError;
use crate::ids;
use crate::passwords::HashingFor;
use crate::peer::Peer;
use crate::services::Services;
use crate::sign_in_tries::TriedAccount;

/// All tokens end, and the key. A wrong password counts as a try to sign in: a stolen token must
/// not be a way to guess it. Who was hired by a link and has no password yet shows none (D-0112).
pub(crate) async fn change_password(
    services: &Services,
    app: &Arc<App>,
    user: &Agent,
    by: Right,
    (current, new): (Option<String>, NewPassword),
    peer: Peer,
) -> Result<(), SignInError> {
    let (hashing, wanted) = (services.hashing(), HashingFor::SignIn(peer));
    let found = services.store().agent_by_email(&user.email).await?;
    let found = found.filter(|(agent, _)| agent.profile.user.id == user.id);
    let seen_hash = found.map(|(_, hash)| hash);
    if seen_hash.as_deref() != Some("") {
        let missing = || Refusal::from(FieldProblem::new("current_password", "is required"));
        let current = current.ok_or_else(missing)?;
        let account = TriedAccount::of_agent(&user.email);
        let begun = services.sign_in_tries().begin(&account, peer, Instant::now())?;
        if !hashing.verify(wanted, current, seen_hash.clone()).await? {
            begun.failed(Instant::now());
            return Err(Refusal::WrongSignIn.into());
        }
        begun.succeeded(Instant::now());
    }
    let seen_hash = seen_hash.unwrap_or_default();
    let password_hash = hashing.hash(wanted, new.into_text()).await?;
    let new = NewSecrets { password_hash, sdk_key: ids::secret() };
    let rule = ReplacePassword { user: user.id, seen_hash, new };
    services.decide(app, rule.on_right(Some(by))).await?;
    Ok(())
}
