//! Repeats store operations until they succeed, so that no delivery is given up because of a
//! database failure.

use std::error::Error;
use std::time::Duration;

use confab_runtime::failures::chain;

/// Delay between attempts of a store operation.
const STORE_PAUSE: Duration = Duration::from_millis(500);

/// Repeats a store operation until it succeeds. `operation` is its name in the log.
pub(super) async fn until_answered<T, E: Error, Asked>(
    operation: &str,
    ask: impl Fn() -> Asked,
) -> T
where
    Asked: Future<Output = Result<T, E>>,
{
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(error) => {
                tracing::debug!(
                    operation,
                    error = %chain(&error),
                    "store operation failed; retrying"
                );
            }
        }
        let mut pause = tokio::time::interval(STORE_PAUSE);
        pause.tick().await;
        pause.tick().await;
    }
}
