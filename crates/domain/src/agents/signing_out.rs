//! Ending sign-ins from elsewhere: one's own on another machine, or somebody else's as an admin;
//! and noting that one is used (D-0132).

use crate::agents::account::SignIn;
use crate::agents::signing_in::{left, question};
use crate::agents::staffing::known;
use crate::app::App;
use crate::audit::deed::Deed;
use crate::audit::differences::Differences;
use crate::audit::entry::Target;
use crate::decision::change::{AgentChange, Change};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{AgentId, SignInId};
use crate::refusal::Refusal;

/// Some of somebody's tokens are good no more, and outsiders are told. No `Debug`: it holds a key.
pub struct EndSignIns {
    pub user: AgentId,
    pub which: WhichSignIns,
    /// What the user that speaks for them connects with, if that changes.
    pub new_sdk_key: String,
}

/// Which sign-ins end. No `Debug`: hashes must not reach a log.
pub enum WhichSignIns {
    One(SignInId),
    /// All, or all but the one whose token has this hash; links that sign in once end, too.
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
        let ending = account.good_sign_ins(stamp.now).filter(|it| is_ending(it)).count();
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
        let target = Target::agent(&account.agent.profile.user);
        let entry = context.audited(stamp, Deed::AgentSignedOut, target, ended);
        Ok(decision.also([entry]))
    }
}

/// A sign-in is used. Whether that is worth noting, who asks has looked at. No `Debug`.
pub struct RecordSignInUse {
    /// The hash of its token.
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
