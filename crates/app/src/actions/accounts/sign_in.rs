//! Signs an agent in to an app.

use std::sync::Arc;
use std::time::Instant;

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::signing_in::{SignInAgent, SignInProof};
use confab_domain::app::App;
use confab_domain::decision::principal::Principal;
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_runtime::admission::peer::Peer;
use confab_runtime::admission::sign_in_limits::{TooOften, TriedAccount, TriedFrom};
use confab_runtime::{clock, ids, origin};
use confab_store::{StoreError, WriteError};

use crate::credentials::known_devices;
use crate::credentials::passwords::{HashingFor, PasswordError};
use crate::decide::Decisions;
use crate::services::Services;

/// An agent who just signed in. No `Debug`: the token grants all rights of the agent.
pub struct SignedIn {
    pub app: Arc<App>,
    pub agent: AgentRecord,
    pub token: String,
}

/// Creates a token for an agent who sent the right password. Neither response nor timing reveals
/// whether address, password or app is wrong. `device_proofs` may show that the browser signed in
/// before (D-0069).
pub async fn sign_in(
    services: &Services,
    email: &EmailAddress,
    password: String,
    only_app: Option<&str>,
    peer: Peer,
    device_proofs: &[&str],
) -> Result<SignedIn, SignInError> {
    let account = TriedAccount::of_agent(email.as_str());
    let device = known_device(services.decisions(), email, device_proofs).await?;
    let from = device.map_or(TriedFrom::Address(peer), TriedFrom::KnownDevice);
    let begun = services.admission().sign_in_tries.begin(&account, from, Instant::now())?;
    let found = find(services.decisions(), email, only_app).await?;
    // An agent without a password takes as long as an unknown one.
    let hash = found.as_ref().map(|(_, _, hash)| hash.clone()).filter(|hash| !hash.is_empty());
    let is_right = services.hashing().verify(HashingFor::SignIn(peer), password, hash).await?;
    let Some((app, agent, seen_hash)) = found.filter(|_| is_right) else {
        begun.failed(Instant::now());
        return Err(Refusal::WrongSignIn.into());
    };
    begun.succeeded(Instant::now());
    signed_in(services.decisions(), app, &agent, SignInProof::Password { seen_hash }).await
}

/// Creates a token for an agent who sent a single-use sign-in code. Attempts are not counted,
/// because codes cannot be guessed.
pub async fn sign_in_by_code(decisions: &Decisions, code: &str) -> Result<SignedIn, SignInError> {
    let hash = ids::token_hash(code);
    let found = decisions.store().agent_of_code(&hash, clock::now()).await?;
    let agent = found.ok_or(Refusal::WrongSignInCode)?;
    let app =
        decisions.apps().of_id(agent.profile.user.app).await?.ok_or(Refusal::WrongSignInCode)?;
    signed_in(decisions, app.app, &agent, SignInProof::Code { hash }).await
}

async fn signed_in(
    decisions: &Decisions,
    app: Arc<App>,
    agent: &AgentRecord,
    proof: SignInProof,
) -> Result<SignedIn, SignInError> {
    let token = ids::secret();
    let rule = SignInAgent {
        user: agent.profile.user.id,
        proof,
        token_hash: ids::token_hash(&token),
        new_sdk_key: ids::secret(),
        browser: origin::browser(),
    };
    let agent = decisions.decide(&Principal::server(&app), rule).await?;
    Ok(SignedIn { app, agent, token })
}

/// Returns the first proof's device id, among the proofs that are valid for this account: the
/// device has signed in to it before.
async fn known_device(
    decisions: &Decisions,
    email: &EmailAddress,
    proofs: &[&str],
) -> Result<Option<String>, StoreError> {
    if proofs.is_empty() {
        return Ok(None);
    }
    let Some((app, agent, _)) = find(decisions, email, None).await? else { return Ok(None) };
    let (agent, now) = (agent.profile.user.id, clock::now());
    let mut proven = proofs.iter().filter_map(|it| known_devices::proven(it, &app, agent, now));
    Ok(proven.next().map(str::to_owned))
}

async fn find(
    decisions: &Decisions,
    email: &EmailAddress,
    only_app: Option<&str>,
) -> Result<Option<(Arc<App>, AgentRecord, String)>, StoreError> {
    let found = decisions.store().agent_by_email(email.as_str()).await?;
    let Some((agent, hash)) = found else { return Ok(None) };
    let app = decisions.apps().of_id(agent.profile.user.app).await?;
    let app = app.filter(|known| only_app.is_none_or(|code| code == known.app.code.as_str()));
    Ok(app.map(|known| (known.app, agent, hash)))
}

/// Reason why an agent or user was not signed in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Password(#[from] PasswordError),
    #[error("too many failed attempts")]
    TooOften { retry_after_s: u64 },
}

impl From<TooOften> for SignInError {
    fn from(TooOften { retry_after_s }: TooOften) -> Self {
        Self::TooOften { retry_after_s }
    }
}

impl From<Refusal> for SignInError {
    fn from(refusal: Refusal) -> Self {
        WriteError::from(refusal).into()
    }
}

impl From<StoreError> for SignInError {
    fn from(error: StoreError) -> Self {
        WriteError::from(error).into()
    }
}
