//! What a rule decides.

use crate::decision::change::Change;

/// What a rule wants done, and what the caller is told once it is durable. No `Debug`: changes may
/// hold tokens and must not reach a log.
pub struct Decision<Outcome> {
    /// To be written as one transaction, in this order.
    pub changes: Vec<Change>,
    /// For the caller.
    pub outcome: Outcome,
}

impl<Outcome> Decision<Outcome> {
    /// Nothing to write.
    pub fn nothing(outcome: Outcome) -> Self {
        Self { changes: Vec::new(), outcome }
    }
}
