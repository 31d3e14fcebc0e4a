//! Changes of an app's keys: revealing them, and changing them in steps or at once
//! (design/sign-in-and-limits).

use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::decision::change::AppChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::key_step::{KeyStep, keys};
use crate::refusal::Refusal;

/// Takes one step of a key change. Fails if the current state of the keys does not allow the step.
pub struct ChangeKeys {
    pub step: KeyStep,
}

impl Rule for ChangeKeys {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        question()
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let app = facts.omni.app.as_ref().unwrap_or(&context.app);
        if !self.step.may_be_taken(app, stamp.now) {
            return Err(Refusal::KeysChanged);
        }
        let (code, step) = (app.code.clone(), self.step.clone());
        let entry = context.audited(stamp, step.deed(), keys(), Differences::default());
        let change = AppChange::TakeKeyStep { code, step, now: stamp.now };
        Ok(Decision::new(vec![change.into(), entry], ()))
    }
}

/// Returns the app's keys, and records the access in the audit log.
pub struct RevealKeys;

impl Rule for RevealKeys {
    type Outcome = App;

    fn question(&self, _: &App) -> Question {
        question()
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<App>, Refusal> {
        let app = facts.omni.app.clone().unwrap_or_else(|| (*context.app).clone());
        let entry =
            context.audited(stamp, AuditAction::KeysRevealed, keys(), Differences::default());
        Ok(Decision::new(vec![entry], app))
    }
}

fn question() -> Question {
    let omni = OmnichannelQuestion { finds_app: true, ..OmnichannelQuestion::default() };
    Question { omni: Some(omni), ..Question::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{KeyState, OtherKey};
    use crate::example::{decided, facts};
    use crate::time::Timestamp;

    fn is_accepted(state: Option<KeyState>, step: KeyStep) -> bool {
        let mut facts = facts();
        let mut app = crate::example::app();
        app.other_key = state.map(|standing| OtherKey { key: "other".to_owned(), standing });
        facts.omni.app = Some(app);
        match decided(&facts, &ChangeKeys { step }) {
            Ok(decision) => decision.changes.len() == 2,
            Err(refusal) => {
                assert_eq!(refusal, Refusal::KeysChanged);
                false
            }
        }
    }

    #[test]
    fn a_key_step_is_refused_in_the_wrong_state() {
        let ended = Some(KeyState::Old { until: Timestamp(1) });
        let old = Some(KeyState::Old { until: Timestamp(i64::MAX) });
        let staged = Some(KeyState::Staged);
        let stage = || KeyStep::Stage { new_key: "new".to_owned() };
        let promote = || KeyStep::Promote { until: Timestamp(5) };
        let rotate = || KeyStep::Rotate { sdk_secret: "a".to_owned(), secret_key: "b".to_owned() };
        let states = [None, staged, old, ended];
        let each = |step: &dyn Fn() -> KeyStep| states.map(|it| is_accepted(it, step()));
        assert_eq!(each(&stage), [true, false, false, true]);
        assert_eq!(each(&|| KeyStep::Unstage), [false, true, false, false]);
        assert_eq!(each(&promote), [false, true, false, false]);
        assert_eq!(each(&|| KeyStep::Retire), [false, false, true, true]);
        assert_eq!(each(&rotate), [true; 4]);
    }
}
