//! Attempts that the delivery engine starts.

use std::sync::Arc;

use crate::addresses::Destination;
use crate::lanes::{EndpointLimits, PendingDelivery};

/// A delivery whose attempt is starting.
pub(super) struct Task {
    pub(super) waiting: PendingDelivery,
    /// The destination, or `None` if the endpoint is not cached or is disabled.
    pub(super) addressee: Option<Destination>,
    pub(super) allowed: Arc<EndpointLimits>,
    pub(super) is_after_gap: bool,
}

/// Lets an attempt that waits for a third party release its slot, so that another delivery of its
/// endpoint can start.
#[derive(Clone)]
pub struct YieldSlot(Arc<dyn Fn() + Send + Sync>);

impl YieldSlot {
    pub(super) fn new(notify: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(notify))
    }

    /// Releases the slot. The lane stays blocked until the attempt ends.
    pub fn now(&self) {
        (self.0)();
    }
}
