//! The source of a live stream.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use bytes::Bytes;
use confab_realtime::hub::CutOffReason;
use confab_realtime::signal::Signal;
use confab_store::StoreError;

/// Source of the frames of a live stream, which also handles the frames of the client.
pub(crate) trait LiveSource: Send + 'static {
    /// Returns the stream's first frame, with the frame's event id if it has one.
    fn hello(&self) -> (String, Option<String>);

    /// Waits for the next frames. The future may be dropped without losing frames.
    fn next(&mut self) -> impl Future<Output = Result<NextFrames, StoreError>> + Send;

    /// Handles a frame that the client sent. Returns the frame to answer with, if any.
    fn take(&mut self, text: &str) -> impl Future<Output = Option<String>> + Send;
}

/// Result of waiting for the next frames of a stream.
pub(crate) enum NextFrames {
    /// Frames to send in this order.
    Frames(Vec<LiveFrame>),
    /// The client missed too many events and must reload its state. The stream continues with new
    /// events.
    TooMuchMissed,
    /// The stream has ended, with the reason to send to the client.
    Ended(CutOffReason),
}

/// One frame to send to a client.
pub(crate) enum LiveFrame {
    /// A frame that was encoded once for all its recipients.
    Shared(Arc<Signal>),
    /// A frame that was encoded for this connection only.
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
