//! Rate limit of the frames that a client sends.

use confab_domain::limits;
use tokio::time::Instant;

/// Rate limit of the frames that one client sends: a token bucket that refills in a second.
pub(super) struct FrameAllowance {
    left: f64,
    at: Option<Instant>,
}

impl Default for FrameAllowance {
    fn default() -> Self {
        Self { left: f64::from(limits::REALTIME_FRAMES_PER_SECOND), at: None }
    }
}

impl FrameAllowance {
    pub(super) fn allows_one_more(&mut self, now: Instant) -> bool {
        let most = f64::from(limits::REALTIME_FRAMES_PER_SECOND);
        let passed = self.at.map_or(0.0, |at| now.duration_since(at).as_secs_f64());
        self.at = Some(now);
        self.left = (self.left + passed * most).min(most);
        let is_allowed = self.left >= 1.0;
        self.left -= if is_allowed { 1.0 } else { 0.0 };
        is_allowed
    }
}
