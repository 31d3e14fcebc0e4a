//! Type-erased rules. The code that commits a rule is large and there are about 150 rules, so it
//! takes a type-erased rule and is compiled only once. Only the type of the outcome differs between
//! rules; the outcome is stored in a slot from which the caller takes it.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::decision::context::Context;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::{Decision, Rule};
use confab_domain::decision::stamp::Stamp;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::event::MessageSource;
use confab_store::{StoreError, StoreProblem, WriteError};
use parking_lot::Mutex;

/// A type-erased [`Rule`].
pub(super) trait AnyRule: Send {
    fn question(&self, app: &App) -> Question;

    /// Decides, and stores the outcome in its slot. If the rule runs again, the new outcome
    /// replaces the old one.
    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal>;

    fn message_source(&self) -> MessageSource;

    /// Type name of the rule, for traces.
    fn name(&self) -> &'static str;
}

/// The slot in which a type-erased rule stores its outcome.
pub(super) struct OutcomeSlot<Outcome>(Arc<Mutex<Option<Outcome>>>);

/// Erases the type of a rule. Also returns the slot of its outcome.
pub(super) fn any_rule<R: Rule>(rule: R) -> (Box<dyn AnyRule>, OutcomeSlot<R::Outcome>) {
    let outcome = Arc::new(Mutex::new(None));
    (Box::new(RuleWithSlot { rule, outcome: outcome.clone() }), OutcomeSlot(outcome))
}

impl<Outcome> OutcomeSlot<Outcome> {
    /// Takes the outcome, after the decision was committed.
    pub(super) fn taken(self) -> Result<Outcome, WriteError> {
        let (doing, trouble) = ("running a rule", StoreProblem::Unavailable);
        let missing = || StoreError { doing, trouble, source: "the rule has no outcome".into() };
        Ok(self.0.lock().take().ok_or_else(missing)?)
    }
}

struct RuleWithSlot<R: Rule> {
    rule: R,
    outcome: Arc<Mutex<Option<R::Outcome>>>,
}

impl<R: Rule> AnyRule for RuleWithSlot<R> {
    fn question(&self, app: &App) -> Question {
        self.rule.question(app)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let decision = self.rule.decide(context, facts, stamp)?;
        Ok(decision.map(|outcome| *self.outcome.lock() = Some(outcome)))
    }

    fn message_source(&self) -> MessageSource {
        self.rule.message_source()
    }

    fn name(&self) -> &'static str {
        std::any::type_name::<R>()
    }
}
