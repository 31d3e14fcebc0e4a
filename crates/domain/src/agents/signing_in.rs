//! Rules that sign agents in and out, and their tokens (wire facts 5.1).
//!
//! Each agent has one `sdk_key`: the token of the user that posts for the agent, valid while the
//! agent has a valid sign-in. The key is replaced when the password changes and when the last
//! sign-in ends (D-0067). Clients that are connected with the replaced key are disconnected.

use crate::agents::account::{Account, SignIn};
use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::decision::change::{AgentChange, Change, UserChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{AgentId, SignInId};
use crate::limits;
use crate::refusal::Refusal;
use crate::support::conversations::customer_room::AgentRecord;
use crate::time::Timestamp;
use crate::webhooks::delivery::Lane;
use crate::webhooks::event::{Event, LoggedOut};
use crate::webhooks::event_kind::EventKind;
use crate::webhooks::fan_out;

/// Signs an agent in with a password or a code, and makes them available unless an admin forced
/// them offline. Replaces the `sdk_key` if all earlier sign-ins have expired and [`ExpireSignIns`]
/// has not run yet. No `Debug`: it holds a key.
pub struct SignInAgent {
    pub user: AgentId,
    pub proof: SignInProof,
    pub token_hash: String,
    /// New `sdk_key`, used only if the key must be replaced.
    pub new_sdk_key: String,
    /// Name of the browser or client, for display.
    pub browser: Option<String>,
}

impl Rule for SignInAgent {
    type Outcome = AgentRecord;

    fn question(&self, _: &App) -> Question {
        question(self.user)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<AgentRecord>, Refusal> {
        let account = match &self.proof {
            SignInProof::Password { seen_hash } => proven(facts, self.user, seen_hash)?,
            SignInProof::Code { hash } => proven_by_code(facts, self.user, hash, stamp.now)?,
        };
        let (token_hash, browser) = (&self.token_hash, self.browser.as_deref());
        let (mut agent, mut changes) = arrived(context, account, token_hash, browser, stamp);
        let is_nowhere = account.valid_sign_ins(stamp.now).next().is_none();
        if is_nowhere && !account.sign_ins.is_empty() {
            changes.push(with_key(&mut agent, &self.new_sdk_key));
        }
        if let SignInProof::Code { hash } = &self.proof {
            changes.push(AgentChange::EndSignInCode { hash: hash.clone() }.into());
        }
        Ok(Decision::new(changes, agent).allocating(true))
    }
}

/// Evidence of a successful check of the agent's password or sign-in code. No `Debug`: hashes must
/// not reach a log.
pub enum SignInProof {
    /// The password was verified against this hash. The sign-in fails if the password was changed
    /// since.
    Password { seen_hash: String },
    /// Hash of one of the agent's sign-in codes, which is used up by the sign-in.
    Code { hash: String },
}

/// Signs an agent in with the `sdk_key` of their agent app, which the caller has verified. Fails if
/// the agent has no valid sign-in, because the key is then invalid too. No `Debug`: it holds a key.
pub struct ExchangeKey {
    pub user: AgentId,
    /// The `sdk_key` that the caller verified.
    pub seen_sdk_key: String,
    pub token_hash: String,
    /// Name of the browser or client, for display.
    pub browser: Option<String>,
}

impl Rule for ExchangeKey {
    type Outcome = AgentRecord;

    fn question(&self, _: &App) -> Question {
        question(self.user)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<AgentRecord>, Refusal> {
        let account = account(facts, self.user).ok_or(Refusal::WrongSignIn)?;
        let is_good = account.agent.profile.sdk_key == self.seen_sdk_key
            && account.valid_sign_ins(stamp.now).next().is_some();
        if !is_good {
            return Err(Refusal::WrongSignIn);
        }
        let (token_hash, browser) = (&self.token_hash, self.browser.as_deref());
        let (agent, changes) = arrived(context, account, token_hash, browser, stamp);
        Ok(Decision::new(changes, agent).allocating(true))
    }
}

/// Returns the agent after a new sign-in, and the changes that store it. Makes the agent available
/// unless an admin forced them offline.
fn arrived(
    context: &Context,
    account: &Account,
    token_hash: &str,
    browser: Option<&str>,
    stamp: &Stamp<'_>,
) -> (AgentRecord, Vec<Change>) {
    let now = stamp.now;
    let mut agent = account.agent.clone();
    agent.profile.last_login_at = Some(now);
    if !agent.profile.is_forced_offline {
        be_available(&mut agent, true, now);
    }
    let mut changes: Vec<Change> = vec![AgentChange::Put(Box::new(agent.clone())).into()];
    changes.extend(ended_by_a_new_sign_in(account, now));
    let sign_in = AgentChange::AddSignIn {
        hash: token_hash.to_owned(),
        user: agent.profile.user.id,
        until: now.days_later(limits::SIGN_IN_DAYS),
        id: SignInId(stamp.next_id()),
        at: now,
        browser: browser.map(str::to_owned),
        address: context.address.clone(),
    };
    changes.push(sign_in.into());
    (agent, changes)
}

/// Ends one sign-in and notifies the app's endpoints. If it was the last valid one, the agent
/// becomes unavailable and their `sdk_key` is replaced. No `Debug`: it holds a key.
pub struct SignOutAgent {
    pub user: AgentId,
    pub token_hash: String,
    /// New `sdk_key`, used only if the key must be replaced.
    pub new_sdk_key: String,
}

impl Rule for SignOutAgent {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        question(self.user)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let account = account(facts, self.user).ok_or(Refusal::SignedOut)?;
        if !account.valid_sign_ins(stamp.now).any(|it| it.hash == self.token_hash) {
            return Err(Refusal::SignedOut);
        }
        let is_ending = |it: &SignIn| it.hash == self.token_hash;
        left((context, facts, stamp), account, is_ending, &self.new_sdk_key)
    }
}

/// Ends the selected sign-ins of an agent and notifies the app's endpoints. If no valid sign-in is
/// left, makes the agent unavailable and replaces their `sdk_key`. `facts` must answer
/// [`question`].
pub(crate) fn left(
    (context, facts, stamp): (&Context, &Facts, &Stamp<'_>),
    account: &Account,
    is_ending: impl Fn(&SignIn) -> bool,
    new_sdk_key: &str,
) -> Result<Decision<()>, Refusal> {
    let user = account.agent.profile.user.id;
    let good: Vec<_> = account.valid_sign_ins(stamp.now).collect();
    let ending = good.iter().filter(|it| is_ending(it));
    let end = |it: &&SignIn| AgentChange::EndSignIn { user, hash: it.hash.clone() }.into();
    let mut changes: Vec<Change> = ending.map(end).collect();
    let mut agent = account.agent.clone();
    if good.iter().all(|it| is_ending(it)) {
        be_available(&mut agent, false, stamp.now);
        changes.push(AgentChange::Put(Box::new(agent.clone())).into());
        // The webhook contains the key that has just ended, never the new one.
        changes.push(with_key(&mut agent.clone(), new_sdk_key));
    }
    let event = Event::LoggedOut(LoggedOut { user: agent.profile, at: stamp.now });
    let (app, lane) = (context.app.id, Lane(user.0));
    let place = fan_out::EventContext { app, lane, depth_before: context.depth_before };
    let told = fan_out::fan_out(facts, stamp, place, &[event], context.renderers.webhook_body)?;
    Ok(Decision::new(changes, ()).with_deliveries(told))
}

/// Replaces an agent's password on their own request and ends all their sign-ins. No `Debug`: it
/// holds a key.
pub struct ReplacePassword {
    pub user: AgentId,
    /// Hash of the old password that the caller verified. The rule fails if it is no longer the
    /// stored one.
    pub seen_hash: String,
    pub new: NewSecrets,
}

impl Rule for ReplacePassword {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        question(self.user)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let mut agent = proven(facts, self.user, &self.seen_hash)?.agent.clone();
        agent.profile.updated_at = stamp.now;
        let changes = with_password(&mut agent, &self.new, stamp.now);
        let differences = Differences::default().secret("password", true);
        let target = AuditTarget::agent(&agent.profile.user);
        let entry = context.audited(stamp, AuditAction::AgentChanged, target, differences);
        Ok(Decision::new(changes, ()).also([entry]))
    }
}

/// Makes an agent without a valid sign-in unavailable and replaces their `sdk_key`. Their sign-ins
/// expired, or the operator ended them. No `Debug`: it holds a key.
pub struct ExpireSignIns {
    pub user: AgentId,
    pub new_sdk_key: String,
}

impl Rule for ExpireSignIns {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        question(self.user)
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let user = self.user;
        let gone = account(facts, user).filter(|it| it.valid_sign_ins(stamp.now).next().is_none());
        let Some(mut agent) = gone.map(|it| it.agent.clone()) else {
            return Ok(Decision::nothing(()));
        };
        be_available(&mut agent, false, stamp.now);
        let changes = vec![
            AgentChange::Put(Box::new(agent.clone())).into(),
            AgentChange::EndSignIns { user }.into(),
            with_key(&mut agent, &self.new_sdk_key),
        ];
        Ok(Decision::new(changes, ()))
    }
}

/// The secrets of an agent that change with their password. No `Debug`.
pub struct NewSecrets {
    /// Hash of the password.
    pub password_hash: String,
    /// New token of the user that posts for the agent.
    pub sdk_key: String,
}

/// Changes an agent's password, ends all their sign-ins and replaces their `sdk_key`.
pub(crate) fn with_password(
    agent: &mut AgentRecord,
    new: &NewSecrets,
    now: Timestamp,
) -> Vec<Change> {
    let user = agent.profile.user.id;
    be_available(agent, false, now);
    vec![
        AgentChange::Put(Box::new(agent.clone())).into(),
        AgentChange::SetPassword { user, hash: new.password_hash.clone() }.into(),
        AgentChange::EndSignIns { user }.into(),
        with_key(agent, &new.sdk_key),
    ]
}

/// Replaces the agent's `sdk_key`, and returns the change that stores it as the token of the user
/// that posts for the agent.
pub(crate) fn with_key(agent: &mut AgentRecord, sdk_key: &str) -> Change {
    agent.profile.sdk_key = sdk_key.to_owned();
    Change::User(UserChange::SetToken { user: agent.speaker, token: sdk_key.to_owned() })
}

/// Sets the agent's availability. `away_since` of an agent who was already unavailable is
/// unchanged.
pub(crate) fn be_available(agent: &mut AgentRecord, is_available: bool, now: Timestamp) {
    agent.profile.is_available = is_available;
    agent.away_since = if is_available { None } else { agent.away_since.or(Some(now)) };
}

pub(crate) fn account(facts: &Facts, user: AgentId) -> Option<&Account> {
    facts.omni.accounts.iter().find(|it| it.agent.profile.user.id == user)
}

/// Returns the facts that sign-in rules need: the account, and the endpoints for logouts. The
/// logout webhook is sent in the agent's own lane.
pub(crate) fn question(user: AgentId) -> Question {
    Question {
        endpoints: Some((Lane(user.0), vec![EventKind::LoggedOut])),
        omni: Some(OmnichannelQuestion { accounts: vec![user], ..OmnichannelQuestion::default() }),
        ..Question::default()
    }
}

fn proven<'a>(facts: &'a Facts, user: AgentId, seen_hash: &str) -> Result<&'a Account, Refusal> {
    let found = account(facts, user).filter(|it| it.password_hash == seen_hash);
    found.ok_or(Refusal::WrongSignIn)
}

fn proven_by_code<'a>(
    facts: &'a Facts,
    user: AgentId,
    hash: &str,
    now: Timestamp,
) -> Result<&'a Account, Refusal> {
    let is_good = |it: &Account| it.codes.iter().any(|code| code.hash == hash && code.until > now);
    account(facts, user).filter(|it| is_good(it)).ok_or(Refusal::WrongSignInCode)
}

/// Returns the changes that end an agent's expired sign-ins before a new one is added. If the agent
/// then had more than [`limits::SIGN_INS_MAX`] valid sign-ins, the oldest end too.
fn ended_by_a_new_sign_in(account: &Account, now: Timestamp) -> Vec<Change> {
    let mut good: Vec<_> = account.valid_sign_ins(now).collect();
    good.sort_by_key(|it| it.until);
    let too_many = (good.len() + 1).saturating_sub(limits::SIGN_INS_MAX);
    let ended = account.sign_ins.iter().filter(|it| it.until <= now);
    let gone = ended.chain(good.into_iter().take(too_many));
    let user = account.agent.profile.user.id;
    gone.map(|it| AgentChange::EndSignIn { user, hash: it.hash.clone() }.into()).collect()
}

#[cfg(test)]
mod tests;
