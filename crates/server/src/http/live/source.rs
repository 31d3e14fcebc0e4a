//! What connections are shown.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use bytes::Bytes;
use confab_store::StoreError;

use crate::realtime::hub::CutOffReason;
use crate::realtime::signal::Signal;

/// What a connection is shown, and what becomes of what its client says.
pub(in crate::http) trait LiveSource: Send + 'static {
    /// The first frame, and its id if it has one.
    fn hello(&self) -> (String, Option<String>);

    /// What comes next. Nothing is lost if the caller stops waiting.
    fn next(&mut self) -> impl Future<Output = Result<NextFrames, StoreError>> + Send;

    /// Does what a frame of the client says. Gives what the client is told about it, if anything.
    fn take(&mut self, text: &str) -> impl Future<Output = Option<String>> + Send;
}

/// What comes next.
pub(in crate::http) enum NextFrames {
    /// These, in this order.
    Frames(Vec<LiveFrame>),
    /// So much was missed that it must be loaded anew; it goes on with what happens from now on.
    TooMuchMissed,
    /// Nothing any more.
    Ended(CutOffReason),
}

/// One frame.
pub(in crate::http) enum LiveFrame {
    /// Written once, however many are shown it.
    Shared(Arc<Signal>),
    /// Made for this connection.
    Own(String),
}

impl LiveFrame {
    pub(super) fn into_text(self) -> Utf8Bytes {
        match self {
            Self::Shared(signal) => signal.frame().clone(),
            Self::Own(text) => Utf8Bytes::from(text),
        }
    }

    pub(super) fn into_event(self) -> Bytes {
        match self {
            Self::Shared(signal) => signal.event_stream().clone(),
            Self::Own(text) => Bytes::from(format!("data: {text}\n\n")),
        }
    }
}
