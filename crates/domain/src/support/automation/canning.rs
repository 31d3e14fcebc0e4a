//! Creating, changing and deleting canned replies (design/support).
//!
//! A personal reply is visible to its owner only. Shared replies are managed by admins, supervisors
//! and the app itself.

use crate::agents::agent::Agent;
use crate::agents::role::Role;
use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::decision::change::SupportChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{BeforeQuestion, OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::ids::CannedReplyId;
use crate::limits;
use crate::refusal::Refusal;
use crate::support::automation::canned_reply::{CannedReply, CannedReplyKey};

/// Roles that may change shared replies.
const CHIEFS: &[Role] = &[Role::Admin, Role::Supervisor];

/// The values that a canned reply is created or changed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CannedReplyInput {
    pub shortcut: String,
    pub text: String,
    pub language: String,
    pub is_shared: bool,
}

/// Creates or changes a canned reply. `by` is `None` for the app.
pub struct PutCannedReply {
    /// Reply to change; `None` to create one.
    pub reply: Option<CannedReplyId>,
    pub wanted: CannedReplyInput,
    pub by: Option<Agent>,
}

impl Rule for PutCannedReply {
    type Outcome = CannedReply;

    fn question(&self, _: &App) -> Question {
        question(self.by.as_ref(), self.reply)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<CannedReply>, Refusal> {
        let Self { reply, ref wanted, ref by } = *self;
        let before = reply.map(|reply| own(facts, reply, by.as_ref())).transpose()?;
        let owner = match (wanted.is_shared, by) {
            (true, by) => must_be_chief(by.as_ref()).map(|()| None)?,
            (false, Some(by)) => Some(by.id),
            (false, None) => {
                let problem = "must be true: the app itself has no personal replies";
                return Err(FieldProblem::new("is_shared", problem).into());
            }
        };
        let mut others = facts.omni.canned_replies.iter().filter(|it| Some(it.id) != reply);
        let shortcut = wanted.shortcut.to_lowercase();
        if others.clone().any(|it| it.shortcut.to_lowercase() == shortcut) {
            return Err(FieldProblem::new("shortcut", "is already used by another reply").into());
        }
        let is_added = before.is_none_or(|before| before.owner != owner);
        let max = limits::CANNED_REPLIES_MAX;
        if is_added && others.by_ref().filter(|it| it.owner == owner).count() >= max {
            return Err(Refusal::TooMany { what: "canned replies of one owner", max });
        }
        let put = CannedReply {
            id: reply.unwrap_or_else(|| CannedReplyId(stamp.next_id())),
            owner,
            shortcut: wanted.shortcut.clone(),
            text: wanted.text.clone(),
            language: wanted.language.clone(),
            created_at: before.map_or(stamp.now, |before| before.created_at),
            updated_at: stamp.now,
        };
        let change = SupportChange::PutCannedReply(Box::new(put.clone()));
        let deed = if before.is_none() {
            AuditAction::CannedReplyCreated
        } else {
            AuditAction::CannedReplyChanged
        };
        let was = facts.omni.before.canned_reply.as_ref();
        let differences = differences((before, was), &put);
        let entry = context.audited_change(stamp, deed, target(&put), differences);
        Ok(Decision::new(vec![change.into()], put).also(entry))
    }
}

/// Deletes a canned reply. `by` is `None` for the app.
pub struct RemoveCannedReply {
    pub reply: CannedReplyId,
    pub by: Option<Agent>,
}

impl Rule for RemoveCannedReply {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        question(self.by.as_ref(), None)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let gone = own(facts, self.reply, self.by.as_ref())?;
        let (target, was) = match gone.owner {
            None => {
                let was = Differences::default().was("shortcut", &*gone.shortcut);
                (AuditTarget::new(KIND, gone.id, &gone.shortcut), was.was("is_shared", true))
            }
            Some(_) => (AuditTarget::nameless(KIND, gone.id), Differences::default()),
        };
        let entry = context.audited(stamp, AuditAction::CannedReplyDeleted, target, was);
        let change = SupportChange::RemoveCannedReply { reply: gone.id };
        Ok(Decision::new(vec![change.into()], ()).also([entry]))
    }
}

const KIND: &str = "canned_reply";

/// Returns the audit log's reference to a reply. It omits the shortcut of a personal reply.
fn target(put: &CannedReply) -> AuditTarget {
    match put.is_shared() {
        true => AuditTarget::new(KIND, put.id, &put.shortcut),
        false => AuditTarget::nameless(KIND, put.id),
    }
}

/// Returns the changes for the audit log. For a personal reply, they show only whether its content
/// changed.
fn differences(
    (before, was): (Option<&CannedReplyKey>, Option<&(String, String)>),
    put: &CannedReply,
) -> Differences {
    let was_shared = before.map(|it| it.owner.is_none());
    let differences = Differences::default().of("is_shared", was_shared, Some(put.is_shared()));
    if !put.is_shared() {
        let shortcut = before.map(|it| it.shortcut.as_str());
        let text = was.map(|(text, language)| (text.as_str(), language.as_str()));
        let is_same = (shortcut, text) == (Some(&put.shortcut), Some((&put.text, &put.language)));
        return differences.secret("text", before.is_some() && !is_same);
    }
    // The content of a reply that was personal is not shown to others.
    let shared = before.filter(|it| it.owner.is_none());
    let was = was.filter(|_| shared.is_some());
    differences
        .text("shortcut", shared.map(|it| it.shortcut.as_str()), Some(&put.shortcut))
        .text("text", was.map(|it| it.0.as_str()), Some(&put.text))
        .of("language", was.map_or("", |it| &it.1), &put.language)
}

fn question(by: Option<&Agent>, changed: Option<CannedReplyId>) -> Question {
    let canned_replies_of = Some(by.map(|by| by.id));
    let before = changed.map(BeforeQuestion::CannedReply);
    let omni = OmnichannelQuestion { canned_replies_of, before, ..OmnichannelQuestion::default() };
    Question { omni: Some(omni), ..Question::default() }
}

/// Returns the reply with this id if `by` may change it. The facts contain only replies that `by`
/// sees.
fn own<'a>(
    facts: &'a Facts,
    reply: CannedReplyId,
    by: Option<&Agent>,
) -> Result<&'a CannedReplyKey, Refusal> {
    let found = facts.omni.canned_replies.iter().find(|it| it.id == reply);
    let found = found.ok_or(Refusal::CannedReplyNotFound(reply.0))?;
    if found.owner.is_none() {
        must_be_chief(by)?;
    }
    Ok(found)
}

fn must_be_chief(by: Option<&Agent>) -> Result<(), Refusal> {
    let is_chief = by.is_none_or(|by| CHIEFS.contains(&by.role));
    if is_chief { Ok(()) } else { Err(Refusal::WrongRole(CHIEFS)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{candidate, decided};
    use crate::ids::AgentId;
    use crate::time::Timestamp;

    fn wanted(shortcut: &str, is_shared: bool) -> CannedReplyInput {
        let (text, language) = ("Hello!".to_owned(), "en".to_owned());
        CannedReplyInput { shortcut: shortcut.to_owned(), text, language, is_shared }
    }

    fn with(replies: &[(i64, Option<AgentId>, &str)]) -> Facts {
        let mut facts = Facts::default();
        let key = |(id, owner, shortcut): &(i64, Option<AgentId>, &str)| CannedReplyKey {
            id: CannedReplyId(*id),
            owner: *owner,
            shortcut: (*shortcut).to_owned(),
            created_at: Timestamp(5),
        };
        facts.omni.canned_replies = replies.iter().map(key).collect();
        facts
    }

    fn put(
        facts: &Facts,
        reply: Option<i64>,
        wanted: CannedReplyInput,
        by: Option<Role>,
    ) -> Result<CannedReply, Refusal> {
        let by = by.map(|role| candidate(role).profile.user);
        let rule = PutCannedReply { reply: reply.map(CannedReplyId), wanted, by };
        decided(facts, &rule).map(|it| it.outcome)
    }

    #[test]
    fn agents_create_personal_replies_and_admins_shared_ones() {
        let facts = with(&[]);
        let agent = candidate(Role::Agent).profile.user.id;
        let own = put(&facts, None, wanted("hi", false), Some(Role::Agent))
            .expect("the agent's own reply");
        assert_eq!(own.owner, Some(agent));
        let refused = put(&facts, None, wanted("hi", true), Some(Role::Agent)).err();
        assert_eq!(refused, Some(Refusal::WrongRole(CHIEFS)));
        for by in [Some(Role::Admin), Some(Role::Supervisor), None] {
            let shared = put(&facts, None, wanted("hi", true), by).expect("shared");
            assert!(shared.is_shared());
        }
        let refused = put(&facts, None, wanted("hi", false), None).err();
        assert!(matches!(refused, Some(Refusal::Invalid(_))), "the app has no personal replies");
    }

    #[test]
    fn replies_are_changed_with_the_right_only_and_shortcuts_are_unique() {
        let agent = candidate(Role::Agent).profile.user.id;
        let facts = with(&[(1, None, "hi"), (2, Some(agent), "bye")]);
        let refused = put(&facts, Some(1), wanted("hi", false), Some(Role::Agent)).err();
        assert_eq!(refused, Some(Refusal::WrongRole(CHIEFS)), "other agents would lose the reply");
        let missing = put(&facts, Some(3), wanted("x", false), Some(Role::Agent)).err();
        assert_eq!(missing, Some(Refusal::CannedReplyNotFound(3)));
        let taken = FieldProblem::new("shortcut", "is already used by another reply");
        let refused = put(&facts, Some(2), wanted("HI", false), Some(Role::Agent)).err();
        assert_eq!(refused, Some(taken.into()));
        let changed = put(&facts, Some(2), wanted("Bye", false), Some(Role::Agent));
        assert_eq!(changed.expect("changed").created_at, Timestamp(5));
        let remove = |reply: i64, role| {
            let by = Some(candidate(role).profile.user);
            decided(&facts, &RemoveCannedReply { reply: CannedReplyId(reply), by }).err()
        };
        assert_eq!(remove(1, Role::Agent), Some(Refusal::WrongRole(CHIEFS)));
        assert_eq!((remove(1, Role::Supervisor), remove(2, Role::Agent)), (None, None));
    }
}
