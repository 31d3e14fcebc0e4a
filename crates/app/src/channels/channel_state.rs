//! The state of the channels of all apps on this node.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

use super::mail::turns::MailTurns;
use super::template_cache::TemplateCache;

/// The state that channel tasks, webhook handlers and calls about channels share.
#[derive(Default)]
pub struct ChannelState {
    changed: Notify,
    unwell: AtomicU64,
    /// The memory budget for parsing mails.
    pub(crate) mail_turns: MailTurns,
    /// The message templates that providers offer.
    pub(crate) templates: TemplateCache,
}

impl ChannelState {
    /// Wakes the channel tasks, because a channel was created or changed.
    pub fn wake(&self) {
        self.changed.notify_one();
    }

    /// Waits until a channel was created or changed.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Sets the number of channels that need an operator's action.
    pub(crate) fn set_unwell(&self, count: u64) {
        self.unwell.store(count, Ordering::Relaxed);
        metrics::gauge!("confab_channels_unhealthy").set(count as f64);
    }

    /// Returns a problem for `/ready` if a channel does not work.
    pub fn problem(&self) -> Option<&'static str> {
        let count = self.unwell.load(Ordering::Relaxed);
        (count > 0).then_some("a channel does not work; see `confab channels list`")
    }
}
