//! Rules that record attempts and replay deliveries.

use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::decision::change::{Change, WebhookChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::DeliveryId;
use crate::refusal::Refusal;
use crate::time::Timestamp;
use crate::webhooks::delivery::{Attempt, Lane, Progress};

/// Records an attempt of a delivery. No `Debug`: the additional changes may hold tokens.
#[derive(Clone)]
pub struct RecordAttempt {
    pub delivery: DeliveryId,
    pub lane: Lane,
    pub attempt: Attempt,
    /// State of the delivery after the attempt.
    pub progress: Progress,
    /// Additional changes to be written with the attempt.
    pub also: Vec<Change>,
}

impl Rule for RecordAttempt {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        Question::default()
    }

    fn decide(&self, _: &Context, _: &Facts, _: &Stamp<'_>) -> Result<Decision<()>, Refusal> {
        Ok(Decision::new(self.changes(), ()))
    }
}

impl RecordAttempt {
    /// Returns the changes that record the attempt, for rules that add them to their own decision.
    pub fn changes(&self) -> Vec<Change> {
        let Self { delivery, lane, attempt, progress, also } = self.clone();
        let change = WebhookChange::RecordAttempt { delivery, lane, attempt, progress };
        std::iter::once(change.into()).chain(also).collect()
    }
}

/// Replays deliveries in this order, all of them or none. Each restarts its retry schedule and is
/// due at once, even if it is unfinished.
pub struct ReplayDeliveries {
    pub deliveries: Vec<(DeliveryId, Lane)>,
}

impl Rule for ReplayDeliveries {
    /// Time at which the replayed deliveries are due, which is the current time.
    type Outcome = Timestamp;

    fn question(&self, _: &App) -> Question {
        Question::default()
    }

    fn decide(
        &self,
        context: &Context,
        _: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Timestamp>, Refusal> {
        let at = stamp.now;
        let again = |&(delivery, lane): &(DeliveryId, Lane)| {
            WebhookChange::Replay { delivery, lane, at, mark: stamp.next_id() }.into()
        };
        let target = match self.deliveries.as_slice() {
            [(delivery, _)] => AuditTarget::nameless("delivery", delivery),
            _ => AuditTarget::nameless("delivery", ""),
        };
        let count = Differences::default().now("count", self.deliveries.len() as i64);
        let is_any = !self.deliveries.is_empty();
        let entry =
            is_any.then(|| context.audited(stamp, AuditAction::DeliveryReplayed, target, count));
        Ok(Decision::new(self.deliveries.iter().map(again).collect(), at).also(entry))
    }
}
