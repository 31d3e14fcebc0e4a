//! How long an upload may go on (D-0059).

use std::time::Duration;

use confab_domain::limits;
use tokio::time::Instant;

use crate::http::request::RequestContext;

/// While enough of it arrives, its request has its whole time again. Who has not shown who they are
/// gains no time after a while: what they hold is wanted by others (D-0078).
pub(super) struct UploadProgress {
    running: RequestContext,
    arrived: usize,
    /// Nothing once the sender is proven.
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

    /// So many bytes came.
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
