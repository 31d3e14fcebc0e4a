//! Links that sign an agent in once, created by an admin (design/sign-in-and-limits).

use crate::agents::agent::Agent;
use crate::agents::signing_in::{account, question};
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
use crate::ids::AgentId;
use crate::limits;
use crate::refusal::Refusal;
use crate::time::Timestamp;

/// Creates a code that signs an agent in once. If the agent then had more than
/// [`limits::SIGN_IN_CODES_MAX`] valid codes, deletes the oldest. The outcome is the code's expiry
/// time. No `Debug`.
pub struct CreateSignInCode {
    pub user: AgentId,
    /// Hash of the code.
    pub hash: String,
}

impl Rule for CreateSignInCode {
    type Outcome = Timestamp;

    fn question(&self, _: &App) -> Question {
        question(self.user)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Timestamp>, Refusal> {
        let account = account(facts, self.user).ok_or(Refusal::AgentNotFound(self.user.0))?;
        let codes = account.codes.iter();
        let (mut good, over): (Vec<_>, Vec<_>) = codes.partition(|it| it.until > stamp.now);
        good.sort_by_key(|it| it.until);
        let too_many = (good.len() + 1).saturating_sub(limits::SIGN_IN_CODES_MAX);
        let end = |hash: &String| Change::from(AgentChange::EndSignInCode { hash: hash.clone() });
        let ended = over.iter().chain(&good[..too_many]);
        let mut changes: Vec<_> = ended.map(|it| end(&it.hash)).collect();
        let (code, until) = new_code(self.user, &self.hash, stamp.now);
        changes.push(code);
        changes.push(link_made(context, stamp, &account.agent.profile.user));
        Ok(Decision::new(changes, until))
    }
}

pub(crate) fn link_made(context: &Context, stamp: &Stamp<'_>, agent: &Agent) -> Change {
    context.audited(
        stamp,
        AuditAction::AgentLinkMade,
        AuditTarget::agent(agent),
        Differences::default(),
    )
}

/// Returns the change that stores a sign-in code, and the code's expiry time.
pub(crate) fn new_code(user: AgentId, hash: &str, now: Timestamp) -> (Change, Timestamp) {
    let until = now.days_later(limits::SIGN_IN_CODE_DAYS);
    let code = AgentChange::AddSignInCode { hash: hash.to_owned(), user, until };
    (code.into(), until)
}
