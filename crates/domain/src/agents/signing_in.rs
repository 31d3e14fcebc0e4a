//! Signing in and out: tokens for those who work in an app (wire facts 5.1, D-0033).
//!
//! Each has one `sdk_key`, the token of the user that speaks for them, and it is of use while they
//! are signed in somewhere: it changes with the password and with the end of the last sign-in
//! (D-0067). Whoever is connected with the old one is cut off.

use crate::agents::account::Account;
use crate::decision::change::{AgentChange, Change, UserChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmniQuestion, Question};
use crate::decision::rule::Decision;
use crate::decision::stamp::Stamp;
use crate::ids::AgentId;
use crate::limits;
use crate::refusal::Refusal;
use crate::service::customer_room::AgentRecord;
use crate::time::Timestamp;
use crate::webhooks::delivery::Lane;
use crate::webhooks::fan_out;
use crate::webhooks::notice::{LoggedOut, Notice};
use crate::webhooks::notice_kind::NoticeKind;

/// What the rules here want to know. The lane of the logout webhook is the dashboard user's own.
pub fn question(user: AgentId) -> Question {
    Question {
        endpoints: Some((Lane(user.0), vec![NoticeKind::LoggedOut])),
        omni: Some(OmniQuestion { accounts: vec![user], ..OmniQuestion::default() }),
        ..Question::default()
    }
}

/// A token is good from now on, and who signs in takes customers unless an admin forbade it.
/// `seen_hash` is what the password was found to be right for: if the password changed meanwhile,
/// it is not right any more. The key changes if the last sign-in ended by itself, or by the
/// operator, and nobody took note of it yet.
pub fn sign_in(
    facts: &Facts,
    user: AgentId,
    seen_hash: &str,
    token_hash: &str,
    new_sdk_key: &str,
    stamp: &Stamp<'_>,
) -> Result<Decision<AgentRecord>, Refusal> {
    let account = proven(facts, user, seen_hash)?;
    let mut worker = account.worker.clone();
    worker.profile.last_login_at = Some(stamp.now);
    if !worker.profile.is_forced_offline {
        be_available(&mut worker, true, stamp.now);
    }
    let mut changes: Vec<Change> = vec![AgentChange::Put(worker.clone()).into()];
    let is_nowhere = account.good_sign_ins(stamp.now).next().is_none();
    if is_nowhere && !account.sign_ins.is_empty() {
        changes.push(with_key(&mut worker, new_sdk_key));
    }
    changes.extend(no_longer_kept(account, stamp.now));
    let until = stamp.now.days_later(limits::SIGN_IN_DAYS);
    let hash = token_hash.to_owned();
    changes.push(AgentChange::AddSignIn { hash, user, until }.into());
    Ok(Decision::new(changes, worker))
}

/// Sign-ins that go when a new one comes: those past their end, and the oldest if there are many.
fn no_longer_kept(account: &Account, now: Timestamp) -> Vec<Change> {
    let mut good: Vec<_> = account.good_sign_ins(now).collect();
    good.sort_by_key(|it| it.until);
    let too_many = (good.len() + 1).saturating_sub(limits::SIGN_INS_MAX);
    let ended = account.sign_ins.iter().filter(|it| it.until <= now);
    let gone = ended.chain(good.into_iter().take(too_many));
    gone.map(|it| AgentChange::EndSignIn { hash: it.hash.clone() }.into()).collect()
}

/// A token is good no more, and outsiders are told. Without another one the dashboard user takes no
/// customers, and their key is good no more.
pub fn sign_out(
    facts: &Facts,
    context: &Context,
    user: AgentId,
    token_hash: &str,
    new_sdk_key: &str,
    stamp: &Stamp<'_>,
) -> Result<Decision<()>, Refusal> {
    let account = account(facts, user).ok_or(Refusal::SignedOut)?;
    let mut others = account.good_sign_ins(stamp.now).filter(|it| it.hash != token_hash);
    if !account.good_sign_ins(stamp.now).any(|it| it.hash == token_hash) {
        return Err(Refusal::SignedOut);
    }
    let mut changes: Vec<Change> =
        vec![AgentChange::EndSignIn { hash: token_hash.to_owned() }.into()];
    let mut worker = account.worker.clone();
    if others.next().is_none() {
        be_available(&mut worker, false, stamp.now);
        changes.push(AgentChange::Put(worker.clone()).into());
        // Outsiders are told the key that just ended, never the next one.
        changes.push(with_key(&mut worker.clone(), new_sdk_key));
    }
    let notice = Notice::LoggedOut(LoggedOut { user: worker.profile, at: stamp.now });
    let lane = Lane(user.0);
    let place = fan_out::Place { app: context.app.id, lane, depth_before: context.depth_before };
    let told = fan_out::tell(facts, stamp, place, &[notice], context.renderers.webhook_body)?;
    Ok(Decision::new(changes, ()).telling(told))
}

/// Somebody changes their own password: all their tokens end.
pub fn change_password(
    facts: &Facts,
    user: AgentId,
    seen_hash: &str,
    new: &NewSecrets,
    stamp: &Stamp<'_>,
) -> Result<Decision<()>, Refusal> {
    let mut worker = proven(facts, user, seen_hash)?.worker.clone();
    worker.profile.updated_at = stamp.now;
    let changes = with_password(&mut worker, new, stamp.now);
    Ok(Decision::new(changes, ()))
}

/// Who is signed in nowhere takes no customers, and their key is good no more: their tokens ended,
/// or the operator ended them.
pub fn lapse(facts: &Facts, user: AgentId, new_sdk_key: &str, stamp: &Stamp<'_>) -> Decision<()> {
    let gone = account(facts, user).filter(|it| it.good_sign_ins(stamp.now).next().is_none());
    let Some(mut worker) = gone.map(|it| it.worker.clone()) else { return Decision::nothing(()) };
    be_available(&mut worker, false, stamp.now);
    let changes = vec![
        AgentChange::Put(worker.clone()).into(),
        AgentChange::EndSignIns { user }.into(),
        with_key(&mut worker, new_sdk_key),
    ];
    Decision::new(changes, ())
}

/// What a new password brings with it. No `Debug`.
pub struct NewSecrets {
    /// The hash of the password.
    pub password_hash: String,
    /// What the user that speaks for them connects with.
    pub sdk_key: String,
}

/// What a new password leads to: nobody is signed in or connected with the old one any more.
pub(crate) fn with_password(
    worker: &mut AgentRecord,
    new: &NewSecrets,
    now: Timestamp,
) -> Vec<Change> {
    let user = worker.profile.user.id;
    be_available(worker, false, now);
    vec![
        AgentChange::Put(worker.clone()).into(),
        AgentChange::SetPassword { user, hash: new.password_hash.clone() }.into(),
        AgentChange::EndSignIns { user }.into(),
        with_key(worker, &new.sdk_key),
    ]
}

/// From now on the user that speaks for them connects with this.
pub(crate) fn with_key(worker: &mut AgentRecord, sdk_key: &str) -> Change {
    worker.profile.sdk_key = sdk_key.to_owned();
    Change::User(UserChange::SetToken { user: worker.speaker, token: sdk_key.to_owned() })
}

/// From now on they take customers, or do not.
pub(crate) fn be_available(worker: &mut AgentRecord, is_available: bool, now: Timestamp) {
    worker.profile.is_available = is_available;
    worker.away_since = if is_available { None } else { worker.away_since.or(Some(now)) };
}

pub(crate) fn account(facts: &Facts, user: AgentId) -> Option<&Account> {
    facts.omni.accounts.iter().find(|it| it.worker.profile.user.id == user)
}

fn proven<'a>(facts: &'a Facts, user: AgentId, seen_hash: &str) -> Result<&'a Account, Refusal> {
    let found = account(facts, user).filter(|it| it.password_hash == seen_hash);
    found.ok_or(Refusal::WrongSignIn)
}

#[cfg(test)]
mod tests;
