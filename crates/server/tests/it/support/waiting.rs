//! Polling for conditions.

use std::time::{Duration, Instant};

use super::answer::Answer;

/// Longest wait for any condition. It bounds failing tests and measures nothing.
pub const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(10);

/// Polls until `ask` returns a value. Panics after [`PATIENCE`].
pub async fn until<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let mut pause = tokio::time::interval(PAUSE);
    let found = async {
        loop {
            pause.tick().await;
            if let Some(found) = ask().await {
                return found;
            }
        }
    };
    let found = tokio::time::timeout(PATIENCE, found).await;
    found.unwrap_or_else(|_| panic!("timed out waiting until {what}"))
}

/// Polls until a condition holds.
pub async fn until_so(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    until(what, async || is_so().await.then_some(())).await;
}

/// Repeats a request without a pause until the response has this status.
pub async fn until_status(status: u16, ask: impl AsyncFn() -> Answer) -> Answer {
    let started = Instant::now();
    loop {
        let answer = ask().await;
        if answer.status == status {
            return answer;
        }
        assert!(started.elapsed() < PATIENCE, "no {status}, but {}", answer.status);
    }
}
