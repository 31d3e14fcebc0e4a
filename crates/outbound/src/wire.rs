//! The byte stream of a connection, plain or encrypted, with the times of reads and writes.

use std::io::{self, IoSlice, Read as _};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use parking_lot::Mutex;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::client::TlsStream;

/// A socket that the pool can inspect while the HTTP driver owns it.
#[derive(Clone)]
pub(super) struct OutboundSocket(pub(super) Arc<TcpStream>);

impl OutboundSocket {
    /// Whether the other end has neither closed the connection nor sent anything.
    ///
    /// Peeks at the socket, because the runtime may not have been notified yet.
    pub(super) fn is_quiet(&self) -> bool {
        let peeked = SockRef::from(&*self.0).peek(&mut [MaybeUninit::uninit()]);
        peeked.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }
}

impl AsyncRead for OutboundSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.0.poll_read_ready(context))?;
            let (free, mut read) = (buffer.initialize_unfilled(), None);
            let socket = SockRef::from(&*self.0);
            let tried = self.0.try_io(Interest::READABLE, || {
                let count = (&*socket).read(free)?;
                read = Some(count);
                // A short read emptied the socket: the next read waits without a system call.
                if (1..free.len()).contains(&count) {
                    return Err(io::ErrorKind::WouldBlock.into());
                }
                Ok(())
            });
            match (read, tried) {
                (Some(count), _) => {
                    buffer.advance(count);
                    return Poll::Ready(Ok(()));
                }
                (None, Err(error)) if error.kind() != io::ErrorKind::WouldBlock => {
                    return Poll::Ready(Err(error));
                }
                (None, _) => {}
            }
        }
    }
}

impl AsyncWrite for OutboundSocket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.0.poll_write_ready(context))?;
            match self.0.try_write_vectored(slices) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return Poll::Ready(done),
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Does nothing: the socket is closed when its last owner is dropped.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Times of reads and writes of the current request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    pub(super) begun: Instant,
    pub(super) last_write: Option<Instant>,
    pub(super) first_read: Option<Instant>,
    /// Whether a write is blocked because the receiver does not read.
    pub(super) is_write_stuck: bool,
}

impl Marks {
    pub(super) fn begin() -> Self {
        let begun = Instant::now();
        Self { begun, last_write: None, first_read: None, is_write_stuck: false }
    }
}

pub(super) enum OutboundStream {
    Plain(OutboundSocket),
    Tls(Box<TlsStream<OutboundSocket>>),
}

/// A stream that records the times of its reads and writes in [`Marks`].
pub(super) struct MarkedStream {
    pub(super) stream: OutboundStream,
    pub(super) marks: Arc<Mutex<Marks>>,
}

impl MarkedStream {
    fn mark_write(&self, wrote: &Poll<io::Result<usize>>) {
        let mut marks = self.marks.lock();
        marks.is_write_stuck = wrote.is_pending();
        if matches!(wrote, Poll::Ready(Ok(_))) {
            marks.last_write = Some(Instant::now());
        }
    }

    fn mark_flush(&self, flushed: &Poll<io::Result<()>>) {
        let mut marks = self.marks.lock();
        marks.is_write_stuck = flushed.is_pending();
    }
}

impl AsyncRead for MarkedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let done = match &mut self.stream {
            OutboundStream::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            OutboundStream::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        };
        if buffer.filled().len() > before {
            self.marks.lock().first_read.get_or_insert_with(Instant::now);
        }
        done
    }
}

impl AsyncWrite for MarkedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = match &mut self.stream {
            OutboundStream::Plain(stream) => Pin::new(stream).poll_write_vectored(context, slices),
            OutboundStream::Tls(stream) => Pin::new(stream).poll_write_vectored(context, slices),
        };
        self.mark_write(&wrote);
        wrote
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = match &mut self.stream {
            OutboundStream::Plain(stream) => Pin::new(stream).poll_flush(context),
            OutboundStream::Tls(stream) => Pin::new(stream).poll_flush(context),
        };
        self.mark_flush(&flushed);
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            OutboundStream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            OutboundStream::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
