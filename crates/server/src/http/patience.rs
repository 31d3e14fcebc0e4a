//! Connections whose client reads nothing for too long are given up, whatever is written to them:
//! an answer, a file, or events that never end (D-0053).

use std::future::{Ready, ready};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready as finished};
use std::time::Duration;

use axum_server::accept::{Accept, NoDelayAcceptor};
use confab_domain::limits;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::connections::{Connections, Socket};

/// What is said to one connection too many.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\n\
    connection: close\r\n\r\n";

/// Makes accepted connections impatient, as many as there may be; small answers do not wait for
/// others.
#[derive(Clone)]
pub(super) struct PatientAcceptor(pub(super) Connections);

impl<I, S> Accept<I, S> for PatientAcceptor
where
    I: AsyncWrite + Unpin,
    NoDelayAcceptor: Accept<I, S, Future = Ready<io::Result<(I, S)>>>,
{
    type Stream = Patient<I>;
    type Service = S;
    type Future = Ready<io::Result<(Self::Stream, S)>>;

    fn accept(&self, mut stream: I, service: S) -> Self::Future {
        let Some(socket) = self.0.take_socket() else {
            // Said if that takes no time.
            let mut context = Context::from_waker(Waker::noop());
            let _ = Pin::new(&mut stream).poll_write(&mut context, FULL);
            return ready(Err(io::ErrorKind::QuotaExceeded.into()));
        };
        let accepted = NoDelayAcceptor.accept(stream, service).into_inner();
        let patient = |stream| Patient { stream, stalled: None, _socket: socket };
        ready(accepted.map(|(stream, service)| (patient(stream), service)))
    }
}

/// A stream that waits for its reader only for so long.
pub(super) struct Patient<S> {
    stream: S,
    /// Runs while nothing can be written; most connections never have one.
    stalled: Option<Pin<Box<Sleep>>>,
    _socket: Socket,
}

impl<S: Unpin> Patient<S> {
    fn patiently<T>(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let written = write(Pin::new(&mut self.stream), context);
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let patience = Duration::from_millis(limits::WRITE_STALL_MS);
        let end = || Box::pin(sleep_until(Instant::now() + patience));
        let stalled = self.stalled.get_or_insert_with(end);
        finished!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.patiently(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.patiently(context, |stream, context| stream.poll_write_vectored(context, slices))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.patiently(context, |stream, context| stream.poll_flush(context))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
