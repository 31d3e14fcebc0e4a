//! The source of a live stream.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use bytes::Bytes;
use confab_store::StoreError;

use crate::realtime::hub::CutOffReason;
use crate::realtime::signal::Signal;

/// The frames of a live stream, and the handling of its client's frames.
pub(in crate::http) trait LiveSource: Send + 'static {
    /// Returns the first frame, with its id if it has one.
    fn hello(&self) -> (String, Option<String>);

    /// Waits for the next frames. May be canceled without loss.
    fn next(&mut self) -> impl Future<Output = Result<NextFrames, StoreError>> + Send;

    /// Handles a frame of the client. Returns the answer, if any.
    fn take(&mut self, text: &str) -> impl Future<Output = Option<String>> + Send;
}

/// The next items of a stream.
pub(in crate::http) enum NextFrames {
    /// Frames in this order.
    Frames(Vec<LiveFrame>),
    /// Too much was missed: the client must reload its state. The stream continues with new events.
    TooMuchMissed,
    /// The stream ended.
    Ended(CutOffReason),
}

/// One frame.
pub(in crate::http) enum LiveFrame {
    /// A frame that is encoded once for all its recipients.
    Shared(Arc<Signal>),
    /// A frame for this connection only.
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
