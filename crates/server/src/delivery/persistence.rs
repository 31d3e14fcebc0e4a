//! The store is asked until it answers: nothing is given up for what a database could not say.

use std::error::Error;
use std::time::Duration;

use crate::failures::chain;

/// The pause after the store could not be asked.
const STORE_PAUSE: Duration = Duration::from_millis(500);

/// What the store answers in the end. `problem` is for the log.
pub(super) async fn until_answered<T, E: Error, Asked>(problem: &str, ask: impl Fn() -> Asked) -> T
where
    Asked: Future<Output = Result<T, E>>,
{
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(error) => tracing::debug!("{problem}: {}", chain(&error)),
        }
        let mut pause = tokio::time::interval(STORE_PAUSE);
        pause.tick().await;
        pause.tick().await;
    }
}
