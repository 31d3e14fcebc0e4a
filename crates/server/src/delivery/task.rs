//! A delivery that is to be tried now.

use std::sync::Arc;

use crate::delivery::addresses::Addressee;
use crate::delivery::lanes::{Allowed, PendingDelivery};

/// A delivery that is to be tried now.
pub(super) struct Task {
    pub(super) waiting: PendingDelivery,
    /// Where it goes; nothing if that is not known, or was switched off.
    pub(super) addressee: Option<Addressee>,
    pub(super) allowed: Arc<Allowed>,
    pub(super) is_after_gap: bool,
}
