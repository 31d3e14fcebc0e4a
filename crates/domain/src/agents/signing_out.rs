//! Rules that end sign-ins in other browsers or of other agents, and that record the use of a
//! sign-in (design/sign-in-and-limits).

use crate::agents::account::SignIn;
use crate::agents::signing_in::{left, question};
use crate::agents::staffing::known;
use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::decision::change::{AgentChange, Change};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{AgentId, SignInId};
use crate::refusal::Refusal;

/// Ends sign-ins of an agent and notifies the app's endpoints. No `Debug`: it holds a key.
pub struct EndSignIns {
    pub user: AgentId,
    pub which: WhichSignIns,
    /// New `sdk_key` of the agent, used only if no valid sign-in is left.
    pub new_sdk_key: String,
}

/// The sign-ins to end. No `Debug`: hashes must not reach a log.
pub enum WhichSignIns {
    One(SignInId),
    /// All sign-ins and sign-in codes, except the sign-in whose token has this hash.
    AllBut(Option<String>),
}

impl Rule for EndSignIns {
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
        let account = known(facts, self.user)?;
        let is_ending = |it: &SignIn| match &self.which {
            WhichSignIns::One(id) => it.id == *id,
            WhichSignIns::AllBut(kept) => kept.as_ref() != Some(&it.hash),
        };
        let ending = account.valid_sign_ins(stamp.now).filter(|it| is_ending(it)).count();
        let mut decision = match (&self.which, ending) {
            (WhichSignIns::One(_), 0) => return Err(Refusal::SignInNotFound),
            (WhichSignIns::AllBut(_), 0) => Decision::nothing(()),
            _ => left((context, facts, stamp), account, is_ending, &self.new_sdk_key)?,
        };
        let codes = match self.which {
            WhichSignIns::AllBut(_) => account.codes.as_slice(),
            WhichSignIns::One(_) => &[],
        };
        let end = |hash: &String| AgentChange::EndSignInCode { hash: hash.clone() };
        decision.changes.extend(codes.iter().map(|it| Change::from(end(&it.hash))));
        let links = codes.iter().filter(|it| it.until > stamp.now).count();
        if ending + links == 0 {
            return Ok(decision);
        }
        let ended = Differences::default().now("sign_ins_ended", ending as i64);
        let ended = if links > 0 { ended.now("links_ended", links as i64) } else { ended };
        let target = AuditTarget::agent(&account.agent.profile.user);
        let entry = context.audited(stamp, AuditAction::AgentSignedOut, target, ended);
        Ok(decision.also([entry]))
    }
}

/// Records the use of a sign-in. The caller checks with `is_seen_worth_noting` whether that is due.
/// No `Debug`.
pub struct RecordSignInUse {
    /// Hash of the sign-in's token.
    pub hash: String,
}

impl Rule for RecordSignInUse {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        Question::default()
    }

    fn decide(&self, _: &Context, _: &Facts, stamp: &Stamp<'_>) -> Result<Decision<()>, Refusal> {
        let change = AgentChange::RecordSignInUse { hash: self.hash.clone(), at: stamp.now };
        Ok(Decision::new(vec![change.into()], ()))
    }
}
