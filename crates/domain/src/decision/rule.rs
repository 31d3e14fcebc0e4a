//! A rule as a value, and what it decides.

use crate::agents::right::Right;
use crate::app::App;
use crate::audit::entry::Actor;
use crate::decision::change::Change;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::stamp::Stamp;
use crate::refusal::Refusal;
use crate::webhooks::delivery::Delivery;
use crate::webhooks::event::MessageSource;
use crate::webhooks::fan_out::FanOut;

/// A verb: what it wants to know, and what it decides. Pure, because a failed commit of several
/// decisions runs each of them again.
pub trait Rule: Send + Sized + 'static {
    /// What the caller is told once the decision is on disk.
    type Outcome: Send + 'static;

    /// What must be known. The store locks what it names until the decision is written.
    fn question(&self, app: &App) -> Question;

    /// Decides upon what was found.
    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal>;

    /// How what is said by it came in. What nobody says in earnest, as that somebody joined, counts
    /// as said by a client.
    fn message_source(&self) -> MessageSource {
        MessageSource::Client
    }

    /// The same, decided only if this right is still good; nobody's if the app itself decides
    /// (D-0067).
    fn on_right(self, by: Option<Right>) -> OnRight<Self> {
        OnRight { rule: self, by }
    }
}

/// A rule that rests on the right of somebody who signed in.
pub struct OnRight<R> {
    rule: R,
    by: Option<Right>,
}

impl<R: Rule> Rule for OnRight<R> {
    type Outcome = R::Outcome;

    fn question(&self, app: &App) -> Question {
        self.rule.question(app).on_right(self.by.clone())
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<R::Outcome>, Refusal> {
        let actor = self.by.as_ref().map_or(Actor::SecretKey, |by| Actor::Person(by.user));
        self.rule.decide(&Context { actor, ..context.clone() }, facts, stamp)
    }

    fn message_source(&self) -> MessageSource {
        self.rule.message_source()
    }
}

/// What a rule wants done, and what the caller is told once it is durable. No `Debug`: changes may
/// hold tokens and must not reach a log.
pub struct Decision<Outcome> {
    /// To be written as one transaction, in this order.
    pub changes: Vec<Change>,
    /// For the caller.
    pub outcome: Outcome,
    /// What those hear who listen to the app's webhooks.
    pub heard: Vec<Delivery>,
    /// Somebody waits for an agent, or an agent is free.
    pub is_allocating: bool,
}

impl<Outcome> Decision<Outcome> {
    /// Something to write.
    pub fn new(changes: Vec<Change>, outcome: Outcome) -> Self {
        Self { changes, outcome, heard: Vec::new(), is_allocating: false }
    }

    /// Nothing to write.
    pub fn nothing(outcome: Outcome) -> Self {
        Self::new(Vec::new(), outcome)
    }

    /// Something more to write.
    pub fn also(mut self, changes: impl IntoIterator<Item = Change>) -> Self {
        self.changes.extend(changes);
        self
    }

    /// Outsiders are told, too.
    pub fn telling(mut self, told: FanOut) -> Self {
        self.changes.extend(told.changes());
        self.heard.extend(told.heard);
        self
    }

    /// Whether somebody waits or is free is to be looked at.
    pub fn allocating(mut self, is_allocating: bool) -> Self {
        self.is_allocating |= is_allocating;
        self
    }

    /// The same with another outcome.
    pub fn map<Other>(self, outcome: impl FnOnce(Outcome) -> Other) -> Decision<Other> {
        let Self { changes, outcome: its, heard, is_allocating } = self;
        Decision { changes, outcome: outcome(its), heard, is_allocating }
    }
}
