//! An answer that is read piece by piece, by whoever keeps it.

use bytes::Bytes;
use confab_domain::webhooks::delivery::ErrorClass;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

use super::attempt::Failed;
use super::connection::OutboundConnection;

/// An answer whose head is there. Dropping it ends its connection.
pub(crate) struct Fetched {
    /// That of the answer.
    pub(crate) status: u16,
    pub(super) body: Incoming,
    pub(super) deadline: Instant,
    pub(super) _connection: OutboundConnection,
}

impl Fetched {
    /// The next bytes; nothing at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Failed> {
        loop {
            let late = |_| Failed::new(ErrorClass::BodyTimeout, "the answer did not end in time");
            let frame = timeout_at(self.deadline, self.body.frame()).await.map_err(late)?;
            let Some(frame) = frame else { return Ok(None) };
            let broken = |error: hyper::Error| {
                Failed::new(ErrorClass::BodyTimeout, format!("the answer broke off: {error}"))
            };
            if let Ok(bytes) = frame.map_err(broken)?.into_data() {
                return Ok(Some(bytes));
            }
        }
    }
}
