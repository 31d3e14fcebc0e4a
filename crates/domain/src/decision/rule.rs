//! Rules as values, and their decisions.

use crate::app::App;
use crate::decision::change::Change;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::stamp::Stamp;
use crate::refusal::Refusal;
use crate::webhooks::delivery::Delivery;
use crate::webhooks::event::MessageSource;
use crate::webhooks::fan_out::FanOut;

/// A write as a value: the facts it needs, and its decision. A rule is pure, because the store runs
/// it again if the commit of its batch fails.
pub trait Rule: Send + Sized + 'static {
    /// Result for the caller once the decision is on disk.
    type Outcome: Send + 'static;

    /// Returns the facts that the rule needs. The store locks them until the decision is written.
    fn question(&self, app: &App) -> Question;

    /// Returns the decision on these facts, or a refusal.
    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal>;

    /// Returns the source of the messages that this rule posts. System messages, such as that a
    /// user joined, count as posted by a client.
    fn message_source(&self) -> MessageSource {
        MessageSource::Client
    }
}

/// The result of a rule. No `Debug`: changes may hold tokens and must not reach a log.
pub struct Decision<Outcome> {
    /// The writes, which are applied in one transaction and in this order.
    pub changes: Vec<Change>,
    /// Result for the caller, once the changes are durable.
    pub outcome: Outcome,
    /// Deliveries for `confab listen` clients that receive the app's webhooks.
    pub for_listeners: Vec<Delivery>,
    /// Whether the changes may let a waiting customer be assigned to an agent.
    pub is_allocating: bool,
}

impl<Outcome> Decision<Outcome> {
    pub fn new(changes: Vec<Change>, outcome: Outcome) -> Self {
        Self { changes, outcome, for_listeners: Vec::new(), is_allocating: false }
    }

    /// Creates a decision without changes.
    pub fn nothing(outcome: Outcome) -> Self {
        Self::new(Vec::new(), outcome)
    }

    /// Adds changes.
    pub fn also(mut self, changes: impl IntoIterator<Item = Change>) -> Self {
        self.changes.extend(changes);
        self
    }

    /// Adds the deliveries of a fan-out.
    pub fn with_deliveries(mut self, told: FanOut) -> Self {
        self.changes.extend(told.changes());
        self.for_listeners.extend(told.for_listeners);
        self
    }

    /// Requests the assignment of waiting customers to available agents, if `is_allocating` is
    /// `true`.
    pub fn allocating(mut self, is_allocating: bool) -> Self {
        self.is_allocating |= is_allocating;
        self
    }

    /// Converts the outcome.
    pub fn map<Other>(self, outcome: impl FnOnce(Outcome) -> Other) -> Decision<Other> {
        let Self { changes, outcome: its, for_listeners, is_allocating } = self;
        Decision { changes, outcome: outcome(its), for_listeners, is_allocating }
    }
}
