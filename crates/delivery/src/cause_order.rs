//! The order of one cause's deliveries to different endpoints (design/webhooks).
//!
//! Lanes of different endpoints are independent. Therefore first attempts of one room's deliveries
//! that were read together are ordered here: each attempt waits until the one before it has
//! finished, but at most for `WEBHOOK_TURN_MAX_MS`, so that an unresponsive receiver delays the
//! others only briefly.

use std::collections::HashMap;
use std::time::Duration;

use confab_domain::limits;
use confab_domain::webhooks::delivery::Delivery;
use tokio::sync::oneshot;

use crate::task::Task;

const WAIT_MAX: Duration = Duration::from_millis(limits::WEBHOOK_TURN_MAX_MS);

/// The turn of one delivery among those of its room. Dropping it lets the next delivery start.
#[derive(Default)]
pub(super) struct CauseTurn {
    /// Closes when the previous turn is dropped.
    before: Option<oneshot::Receiver<()>>,
    _next: Option<oneshot::Sender<()>>,
}

impl CauseTurn {
    /// Waits until the previous delivery has finished, at most for `WAIT_MAX`.
    pub(super) async fn comes(&mut self) {
        if let Some(before) = self.before.take() {
            // An error means that the previous turn was dropped; a timeout, that it took too long.
            let _ = tokio::time::timeout(WAIT_MAX, before).await;
        }
    }
}

/// Orders first attempts of the same room by delivery id. Retries do not wait.
pub(super) fn line_up(mut read: Vec<(Task, Delivery)>) -> Vec<(Task, Delivery, CauseTurn)> {
    read.sort_by_key(|(_, delivery)| delivery.id);
    let mut last = HashMap::new();
    let in_line = |(task, delivery): (Task, Delivery)| {
        if task.waiting.attempts > 0 {
            return (task, delivery, CauseTurn::default());
        }
        let (next, ends) = oneshot::channel();
        let before = last.insert(delivery.lane, ends);
        (task, delivery, CauseTurn { before, _next: Some(next) })
    };
    read.into_iter().map(in_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (CauseTurn, CauseTurn) {
        let (next, ends) = oneshot::channel();
        (
            CauseTurn { before: None, _next: Some(next) },
            CauseTurn { before: Some(ends), _next: None },
        )
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_waits_for_the_previous_one_for_a_limited_time() {
        let begun = tokio::time::Instant::now();
        let (mut first, mut second) = pair();
        first.comes().await;
        drop(first);
        second.comes().await;
        assert_eq!(begun.elapsed(), Duration::ZERO);
        let (_hangs, mut second) = pair();
        second.comes().await;
        assert!(begun.elapsed() >= WAIT_MAX, "the previous turn never ends");
    }
}
