//! Request bodies: bytes in memory, or a stream of known length.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::Stream;
use http_body_util::Full;
use hyper::body::{Body, Frame, SizeHint};

/// The chunks of a streamed body.
pub type BodyPieces = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>;

/// A request body.
pub enum OutboundBody {
    /// Bytes in memory.
    Whole(Full<Bytes>),
    /// A stream with the number of bytes that remain, which is sent as the content length.
    Streamed { pieces: BodyPieces, left: u64 },
}

impl OutboundBody {
    pub(super) fn whole(bytes: Bytes) -> Self {
        Self::Whole(Full::new(bytes))
    }
}

impl Body for OutboundBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match &mut *self {
            Self::Whole(whole) => {
                let frame = Pin::new(whole).poll_frame(context);
                frame.map(|it| it.map(|it| it.map_err(|never| match never {})))
            }
            Self::Streamed { pieces, left } => pieces.as_mut().poll_next(context).map(|piece| {
                if let Some(Ok(bytes)) = &piece {
                    *left = left.saturating_sub(bytes.len() as u64);
                }
                piece.map(|piece| piece.map(Frame::data))
            }),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(whole) => whole.is_end_stream(),
            Self::Streamed { left, .. } => *left == 0,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(whole) => whole.size_hint(),
            Self::Streamed { left, .. } => SizeHint::with_exact(*left),
        }
    }
}
