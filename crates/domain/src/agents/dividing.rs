//! Rules that create, rename and delete divisions and choose the default one (design/support).

use crate::agents::division::Division;
use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::decision::change::{AgentChange, Change};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::ids::DivisionId;
use crate::limits;
use crate::refusal::Refusal;

/// Creates or renames a division. An app's first division becomes its default.
pub struct PutDivision {
    /// The division to rename; `None` creates one.
    pub division: Option<DivisionId>,
    pub name: String,
}

impl Rule for PutDivision {
    type Outcome = Division;

    fn question(&self, _: &App) -> Question {
        question()
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Division>, Refusal> {
        let (all, name) = (&facts.omni.divisions, self.name.clone());
        let before = self.division.map(|division| found(facts, division)).transpose()?;
        let is_taken = |it: &Division| {
            Some(it.id) != self.division && it.name.to_lowercase() == name.to_lowercase()
        };
        if all.iter().any(is_taken) {
            return Err(FieldProblem::new("name", "is already used by another division").into());
        }
        if before.is_none() && all.len() >= limits::DIVISIONS_MAX {
            return Err(Refusal::TooMany { what: "divisions", max: limits::DIVISIONS_MAX });
        }
        let now = stamp.now;
        let division = match before {
            Some(before) => Division { name, updated_at: now, ..before.clone() },
            None => Division {
                id: DivisionId(stamp.next_id()),
                name,
                is_default: all.is_empty(),
                created_at: now,
                updated_at: now,
            },
        };
        let change = AgentChange::PutDivision(division.clone());
        let target = target(&division);
        let (deed, differences) = match before {
            Some(before) => {
                let names = (before.name.as_str(), division.name.as_str());
                (AuditAction::DivisionChanged, Differences::default().of("name", names.0, names.1))
            }
            None => {
                (AuditAction::DivisionCreated, Differences::default().now("name", &*division.name))
            }
        };
        let entry = context.audited_change(stamp, deed, target, differences);
        Ok(Decision::new(vec![change.into()], division).also(entry))
    }
}

/// Makes a division the default for new agents.
pub struct SetDefaultDivision {
    pub division: DivisionId,
}

impl Rule for SetDefaultDivision {
    type Outcome = Division;

    fn question(&self, _: &App) -> Question {
        question()
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Division>, Refusal> {
        let updated_at = stamp.now;
        let chosen = found(facts, self.division)?;
        let others = facts.omni.divisions.iter().filter(|it| it.is_default && it.id != chosen.id);
        let put = |division: Division| Change::from(AgentChange::PutDivision(division));
        let mut changes: Vec<_> = others
            .map(|it| put(Division { is_default: false, updated_at, ..it.clone() }))
            .collect();
        let differences = Differences::default().of("is_default", chosen.is_default, true);
        let chosen = Division { is_default: true, updated_at, ..chosen.clone() };
        changes.push(put(chosen.clone()));
        let target = target(&chosen);
        let entry =
            context.audited_change(stamp, AuditAction::DivisionChanged, target, differences);
        Ok(Decision::new(changes, chosen).also(entry))
    }
}

/// Deletes a division. Its agents stay in their other divisions.
pub struct RemoveDivision {
    pub division: DivisionId,
}

impl Rule for RemoveDivision {
    type Outcome = Division;

    fn question(&self, _: &App) -> Question {
        question()
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Division>, Refusal> {
        let gone = found(facts, self.division)?.clone();
        let change = AgentChange::RemoveDivision { division: gone.id };
        let differences = Differences::default().was("name", &*gone.name);
        let entry =
            context.audited(stamp, AuditAction::DivisionDeleted, target(&gone), differences);
        Ok(Decision::new(vec![change.into()], gone).also([entry]))
    }
}

/// Returns the divisions for a new or changed agent: the requested ones, which must exist, or the
/// default one if none were requested.
pub(crate) fn wanted_or_default(
    facts: &Facts,
    wanted: Option<&[DivisionId]>,
) -> Result<Vec<DivisionId>, Refusal> {
    let Some(wanted) = wanted else {
        let default = facts.omni.divisions.iter().filter(|it| it.is_default);
        return Ok(default.map(|it| it.id).collect());
    };
    wanted.iter().map(|id| found(facts, *id).map(|it| it.id)).collect()
}

fn target(division: &Division) -> AuditTarget {
    AuditTarget::new("division", division.id, &division.name)
}

fn question() -> Question {
    let omni = OmnichannelQuestion { finds_divisions: true, ..OmnichannelQuestion::default() };
    Question { omni: Some(omni), ..Question::default() }
}

fn found(facts: &Facts, division: DivisionId) -> Result<&Division, Refusal> {
    let found = facts.omni.divisions.iter().find(|it| it.id == division);
    found.ok_or(Refusal::DivisionNotFound(division.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::decided;
    use crate::time::Timestamp;

    fn with(divisions: &[(i64, &str, bool)]) -> Facts {
        let mut facts = Facts::default();
        facts.omni.divisions = divisions
            .iter()
            .map(|(id, name, is_default)| Division {
                id: DivisionId(*id),
                name: (*name).to_owned(),
                is_default: *is_default,
                created_at: Timestamp(1),
                updated_at: Timestamp(1),
            })
            .collect();
        facts
    }

    fn put(facts: &Facts, division: Option<i64>, name: &str) -> Result<Division, Refusal> {
        let rule = PutDivision { division: division.map(DivisionId), name: name.to_owned() };
        decided(facts, &rule).map(|it| it.outcome)
    }

    #[test]
    fn division_names_are_unique_and_the_first_division_is_the_default() {
        assert!(put(&with(&[]), None, "Sales").expect("created").is_default);
        let facts = with(&[(1, "Sales", true), (2, "Care", false)]);
        assert!(!put(&facts, None, "Night").expect("created").is_default);
        let taken = FieldProblem::new("name", "is already used by another division");
        assert_eq!(put(&facts, None, "SALES").err(), Some(taken.clone().into()));
        assert_eq!(put(&facts, Some(2), "sales").err(), Some(taken.into()));
        let renamed = put(&facts, Some(1), "sales").expect("its own name");
        assert!(renamed.is_default && renamed.created_at == Timestamp(1));
        assert_eq!(put(&facts, Some(3), "x").err(), Some(Refusal::DivisionNotFound(3)));
    }

    #[test]
    fn only_one_division_is_the_default() {
        let facts = with(&[(1, "Sales", true), (2, "Care", false)]);
        let decision = decided(&facts, &SetDefaultDivision { division: DivisionId(2) });
        let decision = decision.expect("set");
        let puts = decision.changes.iter().filter_map(|it| match it {
            Change::Agent(AgentChange::PutDivision(it)) => Some((it.id.0, it.is_default)),
            _ => None,
        });
        assert_eq!(puts.collect::<Vec<_>>(), [(1, false), (2, true)]);
    }

    #[test]
    fn agents_without_a_division_get_the_default_one() {
        let facts = with(&[(1, "Sales", true), (2, "Care", false)]);
        assert_eq!(wanted_or_default(&facts, None), Ok(vec![DivisionId(1)]));
        let two = [DivisionId(2)];
        assert_eq!(wanted_or_default(&facts, Some(&two)), Ok(two.to_vec()));
        assert_eq!(wanted_or_default(&facts, Some(&[])), Ok(vec![]));
        let unknown = wanted_or_default(&facts, Some(&[DivisionId(9)])).err();
        assert_eq!(unknown, Some(Refusal::DivisionNotFound(9)));
        assert_eq!(wanted_or_default(&with(&[]), None), Ok(vec![]));
    }
}
