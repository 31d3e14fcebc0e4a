//! Answers whose bodies are streamed to the caller.

use bytes::Bytes;
use confab_domain::webhooks::delivery::ErrorClass;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

use super::attempt::AttemptFailure;
use super::connection::OutboundConnection;

/// An answer whose header section was received. Dropping it closes its connection.
pub struct FetchedResponse {
    /// Status code of the answer.
    pub status: u16,
    pub(super) body: Incoming,
    pub(super) deadline: Instant,
    pub(super) _connection: OutboundConnection,
}

impl FetchedResponse {
    /// Returns the next bytes of the body, or `None` at its end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, AttemptFailure> {
        loop {
            let late = |_| {
                AttemptFailure::new(ErrorClass::BodyTimeout, "the answer did not finish in time")
            };
            let frame = timeout_at(self.deadline, self.body.frame()).await.map_err(late)?;
            let Some(frame) = frame else { return Ok(None) };
            let broken = |error: hyper::Error| {
                AttemptFailure::new(
                    ErrorClass::BodyTimeout,
                    format!("the answer was incomplete: {error}"),
                )
            };
            if let Ok(bytes) = frame.map_err(broken)?.into_data() {
                return Ok(Some(bytes));
            }
        }
    }
}
