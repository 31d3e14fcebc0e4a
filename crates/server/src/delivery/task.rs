//! A delivery that is to be tried now.

use std::sync::Arc;

use crate::delivery::addresses::Destination;
use crate::delivery::lanes::{Allowed, PendingDelivery};

/// A delivery that is to be tried now.
pub(super) struct Task {
    pub(super) waiting: PendingDelivery,
    /// Where it goes; nothing if that is not known, or was switched off.
    pub(super) addressee: Option<Destination>,
    pub(super) allowed: Arc<Allowed>,
    pub(super) is_after_gap: bool,
}

/// How an attempt says that it waits for somebody else, so that others have its place (D-0171).
#[derive(Clone)]
pub(crate) struct YieldSlot(Arc<dyn Fn() + Send + Sync>);

impl YieldSlot {
    pub(super) fn telling(tell: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Its lane still waits for its end.
    pub(crate) fn now(&self) {
        (self.0)();
    }
}
