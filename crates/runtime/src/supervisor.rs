//! The supervisor of background tasks that must not end.
//!
//! A task that ends has usually panicked. The supervisor counts and logs the end, and restarts the
//! task after a pause. If a task ends repeatedly, `/ready` fails (design/operations).

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use crate::process::panics::caught;

/// Delay before a task that ended is restarted.
const PAUSE: Duration = Duration::from_secs(1);
/// Time without an end of the task after which its earlier ends no longer count.
const TRUSTED_AFTER: Duration = Duration::from_secs(10);
/// Number of consecutive ends of a task at which `/ready` fails.
const ENDS_IN_A_ROW: u32 = 3;

/// Counters of the recent ends of tasks. Cheap to clone; all clones share the counters.
#[derive(Clone, Default)]
pub struct Supervisor(Arc<Mutex<HashMap<&'static str, TaskEnds>>>);

struct TaskEnds {
    in_a_row: u32,
    last: Instant,
}

impl Supervisor {
    /// Runs a task, and restarts it whenever it ends.
    pub async fn keep<C: Future>(self, name: &'static str, begin: impl Fn() -> C) {
        // Prometheus sees no increase when a counter appears with the value one.
        metrics::counter!("confab_background_task_restarts_total", "task" => name).increment(0);
        loop {
            let _ = caught(AssertUnwindSafe(begin())).await;
            self.ended(name).await;
        }
    }

    /// Counts and logs the end of a task, then waits for the delay before its restart. The panic
    /// handler has already printed the panic itself.
    pub async fn ended(&self, name: &'static str) {
        tracing::error!(task = name, "background task ended; restarting it");
        metrics::counter!("confab_background_task_restarts_total", "task" => name).increment(1);
        let last = Instant::now();
        {
            let mut tasks = self.0.lock();
            let ends = tasks.entry(name).or_insert(TaskEnds { in_a_row: 0, last });
            let is_in_a_row = ends.last.elapsed() < TRUSTED_AFTER;
            *ends = TaskEnds { in_a_row: if is_in_a_row { ends.in_a_row + 1 } else { 1 }, last };
        }
        sleep_until(last + PAUSE).await;
    }

    /// Returns a problem for `/ready` if a task ends repeatedly.
    pub fn problem(&self) -> Option<String> {
        let tasks = self.0.lock();
        let is_over =
            |it: &TaskEnds| it.in_a_row >= ENDS_IN_A_ROW && it.last.elapsed() < TRUSTED_AFTER;
        let (name, _) = tasks.iter().find(|(_, ends)| is_over(ends))?;
        Some(format!("background task {name:?} ends repeatedly"))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_that_panics_is_restarted_and_reported_until_it_keeps_running() {
        let (supervisor, begun) = (Supervisor::default(), Arc::new(AtomicU32::new(0)));
        let counted = begun.clone();
        let failing = supervisor.clone().keep("failing", move || {
            let time = counted.fetch_add(1, Ordering::Relaxed);
            async move {
                match time {
                    0..4 => panic!("for the test"),
                    4 => {}
                    _ => std::future::pending().await,
                }
            }
        });
        let failing = tokio::spawn(failing);
        sleep_until(Instant::now() + PAUSE * 3 / 2).await;
        assert_eq!(supervisor.problem(), None, "two panics are not reported");
        sleep_until(Instant::now() + PAUSE * 5).await;
        assert_eq!(begun.load(Ordering::Relaxed), 6);
        let problem = supervisor.problem().expect("five panics are reported");
        assert_eq!(problem, "background task \"failing\" ends repeatedly");
        sleep_until(Instant::now() + TRUSTED_AFTER).await;
        assert_eq!(supervisor.problem(), None);
        failing.abort();
    }
}
