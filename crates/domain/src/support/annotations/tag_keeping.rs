//! Managing of an app's tags: renaming, coloring, merging and deleting (design/support).

use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::decision::change::SupportChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::ids::TagId;
use crate::refusal::Refusal;
use crate::support::annotations::tag::{StoredTag, TagQuestion};

/// Changes a tag, or merges it into another. Fields that are `None` keep their value. The outcome
/// is the changed tag or, after a merge, the other one.
#[derive(Debug)]
pub struct ChangeTag {
    pub tag: TagId,
    pub name: Option<String>,
    /// New color; `Some(None)` removes it.
    pub colour: Option<Option<String>>,
    /// Tag that replaces the changed one on all rooms. The changed one is deleted.
    pub merge_into: Option<TagId>,
}

impl Rule for ChangeTag {
    type Outcome = StoredTag;

    fn question(&self, _: &App) -> Question {
        question(self.tag, self.merge_into, self.name.clone())
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<StoredTag>, Refusal> {
        let Self { tag, ref name, ref colour, merge_into } = *self;
        let before = found(facts, tag)?;
        let mut now = before.clone();
        if let Some(into) = merge_into {
            let decision = merge(facts, tag, into)?;
            let into = Differences::default().now("into", &*decision.outcome.tag.name);
            let entry = context.audited(stamp, AuditAction::TagMerged, target(before), into);
            return Ok(decision.also([entry]));
        }
        if let Some(name) = name {
            let taken = |it: &StoredTag| it.tag.id != tag && it.tag.name == *name;
            if facts.omni.tags.iter().any(taken) {
                return Err(FieldProblem::new("name", "is already used by another tag").into());
            }
            now.tag.name.clone_from(name);
        }
        if let Some(colour) = colour {
            now.colour.clone_from(colour);
        }
        let differences = Differences::default().of("name", &*before.tag.name, &*now.tag.name).of(
            "colour",
            before.colour.as_deref(),
            now.colour.as_deref(),
        );
        let entry =
            context.audited_change(stamp, AuditAction::TagChanged, target(before), differences);
        Ok(Decision::new(vec![SupportChange::ChangeTag(now.clone()).into()], now).also(entry))
    }
}

fn merge(facts: &Facts, tag: TagId, into: TagId) -> Result<Decision<StoredTag>, Refusal> {
    if tag == into {
        return Err(FieldProblem::new("merge_into", "must be another tag").into());
    }
    let into = found(facts, into)
        .map_err(|_| Refusal::from(FieldProblem::new("merge_into", "must be a tag of the app")))?;
    let change = SupportChange::RemoveTagOfApp { tag, into: Some(into.tag.id) };
    Ok(Decision::new(vec![change.into()], into.clone()))
}

/// Deletes a tag and removes it from all rooms.
#[derive(Debug)]
pub struct DeleteTag {
    pub tag: TagId,
}

impl Rule for DeleteTag {
    type Outcome = StoredTag;

    fn question(&self, _: &App) -> Question {
        question(self.tag, None, None)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<StoredTag>, Refusal> {
        let gone = found(facts, self.tag)?.clone();
        let change = SupportChange::RemoveTagOfApp { tag: self.tag, into: None };
        let was = Differences::default().was("name", &*gone.tag.name);
        let entry = context.audited(stamp, AuditAction::TagDeleted, target(&gone), was);
        Ok(Decision::new(vec![change.into()], gone).also([entry]))
    }
}

fn target(tag: &StoredTag) -> AuditTarget {
    AuditTarget::new("tag", tag.tag.id, &tag.tag.name)
}

fn question(tag: TagId, into: Option<TagId>, name: Option<String>) -> Question {
    let tags = Some(TagQuestion { tag, into, name });
    Question {
        omni: Some(OmnichannelQuestion { tags, ..OmnichannelQuestion::default() }),
        ..Question::default()
    }
}

fn found(facts: &Facts, tag: TagId) -> Result<&StoredTag, Refusal> {
    let found = facts.omni.tags.iter().find(|it| it.tag.id == tag);
    found.ok_or(Refusal::TagOfAppNotFound(tag.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::decided;
    use crate::webhooks::event::Tag;

    fn facts() -> Facts {
        let mut facts = Facts::default();
        let tag = |id, name: &str| StoredTag {
            tag: Tag { id: TagId(id), name: name.to_owned() },
            colour: Some("#00ff00".to_owned()),
        };
        facts.omni.tags = vec![tag(1, "vip"), tag(2, "urgent")];
        facts
    }

    fn change(tag: i64) -> ChangeTag {
        ChangeTag { tag: TagId(tag), name: None, colour: None, merge_into: None }
    }

    #[test]
    fn tag_names_are_unique_and_missing_fields_keep_their_value() {
        let decide = |rule: ChangeTag| decided(&facts(), &rule).map(|it| it.outcome);
        let renamed = decide(ChangeTag { name: Some("VIP".to_owned()), ..change(1) });
        let renamed = renamed.expect("renamed");
        assert_eq!((renamed.tag.name.as_str(), renamed.colour.is_some()), ("VIP", true));
        let bare = decide(ChangeTag { colour: Some(None), ..change(1) }).expect("changed");
        assert_eq!((bare.tag.name.as_str(), bare.colour), ("vip", None));
        let taken = decide(ChangeTag { name: Some("urgent".to_owned()), ..change(1) });
        assert!(matches!(taken, Err(Refusal::Invalid(_))));
        assert_eq!(decide(change(3)).err(), Some(Refusal::TagOfAppNotFound(3)));
    }

    #[test]
    fn a_tag_is_merged_only_into_another_tag_of_the_app() {
        let into = |into| ChangeTag { merge_into: Some(TagId(into)), ..change(1) };
        let merged = decided(&facts(), &into(2)).map(|it| it.outcome.tag.id);
        assert_eq!(merged, Ok(TagId(2)));
        for wrong in [1, 3] {
            assert!(matches!(decided(&facts(), &into(wrong)).err(), Some(Refusal::Invalid(_))));
        }
    }
}
