//! Waiting for what no event tells: asking again and again.

use std::time::{Duration, Instant};

use super::answer::Answer;

/// How long anything may take that is waited for. Nothing is measured by it.
pub const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(10);

/// Asks again and again until there is an answer.
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
    found.unwrap_or_else(|_| panic!("waited in vain until {what}"))
}

/// Asks again and again until it is so.
pub async fn until_so(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    until(what, async || is_so().await.then_some(())).await;
}

/// Asks again and again, without a pause, until the answer has this status.
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
