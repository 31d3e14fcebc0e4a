//! Whose turn it is: what one cause tells several receivers goes out in the order it was told
//! (D-0057).
//!
//! Lanes of different endpoints know nothing of each other. So deliveries of one room that are
//! tried for the first time, and together, are lined up here: each waits for the answer to the one
//! before it, but only for so long that a receiver that hangs delays nobody.

use std::collections::HashMap;
use std::time::Duration;

use confab_domain::limits;
use confab_domain::webhooks::delivery::Delivery;
use tokio::sync::oneshot;

use crate::delivery::task::Task;

const WAIT_MAX: Duration = Duration::from_millis(limits::WEBHOOK_TURN_MAX_MS);

/// A place in a line. Who drops it lets the next one go.
#[derive(Default)]
pub(super) struct CauseTurn {
    /// Ends with the turn of the one before.
    before: Option<oneshot::Receiver<()>>,
    _next: Option<oneshot::Sender<()>>,
}

impl CauseTurn {
    /// Comes when it may be sent.
    pub(super) async fn comes(&mut self) {
        if let Some(before) = self.before.take() {
            // It is over by being dropped, or takes too long.
            let _ = tokio::time::timeout(WAIT_MAX, before).await;
        }
    }
}

/// Lines up those of one room that were never tried.
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
    async fn a_turn_comes_when_the_one_before_is_over_or_takes_too_long() {
        let begun = tokio::time::Instant::now();
        let (mut first, mut second) = pair();
        first.comes().await;
        drop(first);
        second.comes().await;
        assert_eq!(begun.elapsed(), Duration::ZERO);
        let (_hangs, mut second) = pair();
        second.comes().await;
        assert!(begun.elapsed() >= WAIT_MAX, "the one before hangs");
    }
}
