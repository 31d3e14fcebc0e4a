//! The deadline of an upload (design/files).

use std::time::Duration;

use confab_domain::limits;
use tokio::time::Instant;

use crate::requests::request::RequestContext;

/// Extends a request's deadline while enough bytes arrive. For an anonymous sender the extensions
/// end after a while, because the slots for such uploads are limited.
pub(super) struct UploadProgress {
    running: RequestContext,
    arrived: usize,
    /// Time at which the extensions end for an anonymous sender; `None` once the sender is
    /// authenticated.
    unproven_until: Option<Instant>,
}

impl UploadProgress {
    pub(super) fn new(running: RequestContext, is_proven: bool) -> Self {
        let unproven_for = Duration::from_millis(limits::UNPROVEN_UPLOAD_MAX_MS);
        let unproven_until = (!is_proven).then(|| Instant::now() + unproven_for);
        Self { running, arrived: 0, unproven_until }
    }

    pub(super) fn prove(&mut self) {
        self.unproven_until = None;
    }

    /// Counts received bytes, and extends the deadline when there are enough of them.
    pub(super) fn arrived(&mut self, bytes: usize) {
        self.arrived += bytes;
        if self.arrived < limits::UPLOAD_PROGRESS_BYTES {
            return;
        }
        self.arrived = 0;
        if self.unproven_until.is_none_or(|until| Instant::now() < until) {
            self.running.gain_time();
        }
    }
}
