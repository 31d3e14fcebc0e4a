//! The effects of a decision after its commit.

use crate::decision::rule::Decision;
use crate::webhooks::delivery::Delivery;

/// The effects that the caller of a decision performs after its commit.
pub struct CommitEffects {
    pub wakes_delivery: bool,
    /// Whether cached copies of the app are outdated.
    pub changes_app: bool,
    pub is_allocating: bool,
    pub for_listeners: Vec<Delivery>,
}

impl<Outcome> Decision<Outcome> {
    /// Adds the effects of the decision to its outcome.
    pub fn with_effects(self) -> Decision<(Outcome, CommitEffects)> {
        let Self { changes, outcome, for_listeners, is_allocating } = self;
        let wakes_delivery = changes.iter().any(|change| change.wakes_delivery());
        let changes_app = changes.iter().any(|change| change.changes_app());
        let effects = CommitEffects { wakes_delivery, changes_app, is_allocating, for_listeners };
        Decision::new(changes, (outcome, effects))
    }
}
