//! Deliveries among faults and attacks, over the whole path: a real server with a real store, and
//! receivers on real sockets (F and S of the list of tests).
//!
//! The oracle is the same everywhere: every delivery whose trigger was answered with success must
//! be taken by its receiver (else it is lost), once (else duplicated), and each room's in the order
//! of `webhook-sequence` (else out of order). Every test prints one line that says so.

mod api;
pub(crate) mod oracle;

mod clock_jumps;
mod flapping;
mod forbidden_targets;
mod hostile_answers;
mod hung_receivers;
mod kills;
mod loops;
mod names_and_certificates;
mod new_endpoints;
mod signatures;
mod slow_receivers;

use std::time::Duration;

/// How long anything may take that is waited for. Nothing is measured by it.
const PATIENCE: Duration = Duration::from_secs(90);

/// The kinds of which an app may have an endpoint and which happen in rooms.
const ROOM_KINDS: [&str; 5] =
    ["bot", "agent_allocation", "custom_button", "mark_as_resolved", "new_session"];

/// Asks again and again until there is an answer.
async fn until<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let mut look = tokio::time::interval(Duration::from_millis(20));
    let found = async {
        loop {
            look.tick().await;
            if let Some(found) = ask().await {
                return found;
            }
        }
    };
    let found = tokio::time::timeout(PATIENCE, found).await;
    found.unwrap_or_else(|_| panic!("waited in vain until {what}"))
}
