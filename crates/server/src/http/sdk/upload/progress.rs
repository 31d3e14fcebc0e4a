//! Deadline of uploads (design/files).

use std::time::Duration;

use confab_domain::limits;
use tokio::time::Instant;

use crate::http::request::RequestContext;

/// Extends the request's deadline while enough bytes arrive. An anonymous sender gains no time
/// after a while, because the slot is needed for others.
pub(super) struct UploadProgress {
    running: RequestContext,
    arrived: usize,
    /// Time after which an anonymous sender gains no time. `None` once authenticated.
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

    /// Counts received bytes.
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
