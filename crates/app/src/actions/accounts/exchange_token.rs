//! Exchanges the SDK token and key of an agent app for a sign-in.

use confab_domain::agents::signing_in::ExchangeKey;
use confab_domain::decision::principal::Principal;
use confab_domain::ids::AgentId;
use confab_domain::people::user::User;
use confab_domain::refusal::Refusal;
use confab_runtime::{ids, origin};
use confab_store::WriteError;

use crate::actions::accounts::sign_in::SignedIn;
use crate::credentials::token_exchange;
use crate::decide::Decisions;

/// Creates a sign-in for the agent who posts as this user, if `key` is the agent's key.
pub async fn exchange_token(
    decisions: &Decisions,
    by: &Principal,
    user: &User,
    key: &str,
) -> Result<SignedIn, WriteError> {
    // An agent and their speaker have the same integer id.
    let found = decisions.store().agent(by.app.id, AgentId(user.key.0)).await?;
    let profile = found.map(|it| it.profile).filter(|it| it.sdk_user == user.user_id);
    let profile = profile.filter(|it| token_exchange::is_key(&by.app, it, key));
    let profile = profile.ok_or(Refusal::WrongSignIn)?;
    let token = ids::secret();
    let rule = ExchangeKey {
        user: profile.user.id,
        seen_sdk_key: profile.sdk_key,
        token_hash: ids::token_hash(&token),
        browser: origin::browser(),
    };
    let agent = decisions.decide(by, rule).await?;
    Ok(SignedIn { app: by.app.clone(), agent, token })
}
