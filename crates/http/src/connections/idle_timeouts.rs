//! Timeouts of connections that wait for their clients (design/realtime). A connection ends if its
//! client reads nothing for too long, or if a request is due and the client sends none, in any
//! protocol. When sockets are scarce, connections that wait for their clients are closed early
//! (design/sign-in-and-limits).

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use confab_domain::limits;
use confab_runtime::admission::activity::Activity;
use confab_runtime::admission::connections::CountedSocket;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// Minimum size in bytes of a write that counts as a part of an answer. Protocol frames, such as
/// answers to pings, are smaller.
const ANSWER_BYTES: usize = 1024;

/// A stream that fails if its client neither reads nor sends for too long.
pub(crate) struct IdleTimeoutStream<S> {
    stream: S,
    /// Timer that runs while the client accepts no bytes. Most connections never need it.
    stalled: Option<Pin<Box<Sleep>>>,
    /// Timer of the client's next request. When it elapses, the connection's activity determines
    /// whether the connection has been idle for too long.
    idle: Option<Pin<Box<Sleep>>>,
    socket: CountedSocket,
}

impl<S: Unpin> IdleTimeoutStream<S> {
    pub(crate) fn new(stream: S, socket: CountedSocket) -> Self {
        Self { stream, stalled: None, idle: None, socket }
    }

    fn activity(&self) -> &Activity {
        self.socket.activity()
    }

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
        ready!(self.poll_yield(context))?;
        let patience = Duration::from_millis(limits::WRITE_STALL_MS);
        let end = || Box::pin(sleep_until(Instant::now() + patience));
        let stalled = self.stalled.get_or_insert_with(end);
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn note_written(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if matches!(written, Poll::Ready(Ok(count)) if count >= ANSWER_BYTES) {
            self.activity().note_progress();
        }
        written
    }

    /// Fails if another connection needs this socket while this connection waits for its client.
    fn poll_yield(&self, context: &Context<'_>) -> Poll<io::Result<()>> {
        match self.activity().poll_yield(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into())),
            Poll::Pending => Poll::Ready(Ok(())),
        }
    }

    /// Resolves when the client has sent nothing for too long.
    fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.activity().is_upgraded() {
            self.idle = None;
            return Poll::Pending;
        }
        let whole = Duration::from_millis(limits::IDLE_MS);
        loop {
            let idle = self.idle.get_or_insert_with(|| Box::pin(sleep_until(Instant::now())));
            ready!(idle.as_mut().poll(context));
            let now = Instant::now();
            // The deadline may change while waiting, so it is checked again soon.
            let next_look = now + whole;
            match self.socket.activity().ends_at() {
                Some(end) if end <= now => return Poll::Ready(()),
                end => idle.as_mut().reset(end.map_or(next_look, |end| end.min(next_look))),
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for IdleTimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            return read;
        }
        ready!(self.poll_yield(context))?;
        ready!(self.poll_idle(context));
        metrics::counter!("confab_idle_connections_closed_total").increment(1);
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for IdleTimeoutStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = self.patiently(context, |stream, context| stream.poll_write(context, bytes));
        self.note_written(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written =
            self.patiently(context, |stream, context| stream.poll_write_vectored(context, slices));
        self.note_written(written)
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

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use axum::Router;
    use axum::extract::Request;
    use axum::middleware::Next;
    use axum::response::Response;
    use axum::routing::get;
    use confab_runtime::admission::connections::{Connections, CountedSocket};
    use confab_runtime::config::{Config, from_everywhere};
    use hyper_util::rt::{TokioExecutor, TokioIo};
    use hyper_util::server::conn::auto::Builder;
    use hyper_util::service::TowerToHyperService;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
    use tower_http::add_extension::AddExtension;

    use super::*;
    use crate::connections::activity::{busy_until_taken, busy_with};

    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    /// An empty SETTINGS frame.
    const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
    const PING: &[u8] = &[0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: confab\r\n\r\n";

    /// Marks the connection as busy, as the envelope does.
    async fn attended(request: Request, next: Next) -> Response {
        let busy = busy_with(&request).expect("a connection");
        busy_until_taken(busy, next.run(request).await)
    }

    fn one_socket() -> CountedSocket {
        let settings = from_everywhere(|_| None, |_| None, None).expect("the defaults are valid");
        let config = Config::from_effective(&settings).expect("the defaults are valid");
        let connections = Connections::new(&config);
        connections.take_socket(Ipv4Addr::LOCALHOST.into()).expect("below the limit")
    }

    /// Connects to a server that takes this long to answer. Returns the client's end.
    fn connected(answering: Duration) -> DuplexStream {
        let (client, server) = tokio::io::duplex(64 * 1024);
        let answer = async move || {
            let _ = tokio::time::timeout(answering, std::future::pending::<()>()).await;
            "done"
        };
        let router = Router::new().route("/", get(answer));
        let router = router.layer(axum::middleware::from_fn(attended));
        tokio::spawn(async move {
            let socket = one_socket();
            let service = AddExtension::new(router, socket.activity().clone());
            let service = TowerToHyperService::<AddExtension<Router, _>>::new(service);
            let stream = TokioIo::new(IdleTimeoutStream::new(server, socket));
            let builder = Builder::new(TokioExecutor::new());
            let _: Result<(), _> = builder
                .serve_connection_with_upgrades::<_, _, axum::body::Body>(stream, service)
                .await;
        });
        client
    }

    /// Sends bytes and returns the time until the server closes the connection.
    async fn closed_after(client: &mut DuplexStream, bytes: &[u8]) -> Duration {
        let begun = Instant::now();
        client.write_all(bytes).await.expect("written");
        let mut read = Vec::new();
        client.read_to_end(&mut read).await.expect("read");
        begun.elapsed()
    }

    fn is_about(took: Duration, ms: u64) -> bool {
        (ms..ms + 100).contains(&(took.as_millis() as u64))
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_complete_request_is_closed_after_ten_seconds() {
        let settled = [PREFACE, SETTINGS].concat();
        let pinging = [PREFACE, SETTINGS, PING].concat();
        for bytes in [b"", &PREFACE[..1], &PREFACE[..23], PREFACE, &settled, &pinging, b"GET / HT"]
        {
            let mut client = connected(Duration::ZERO);
            let took = closed_after(&mut client, bytes).await;
            assert!(is_about(took, limits::IDLE_MS), "{took:?} {}", String::from_utf8_lossy(bytes));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn pings_do_not_keep_a_connection_without_requests_open() {
        let mut client = connected(Duration::ZERO);
        let begun = Instant::now();
        client.write_all(&[PREFACE, SETTINGS].concat()).await.expect("written");
        let mut bytes = [0; 1024];
        while client.write_all(PING).await.is_ok() {
            let pause = Duration::from_secs(1);
            let read =
                async { while client.read(&mut bytes).await.is_ok_and(|count| count > 0) {} };
            if tokio::time::timeout(pause, read).await.is_ok() {
                break;
            }
        }
        assert!(begun.elapsed() < Duration::from_secs(12), "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn the_idle_timeout_of_a_connection_starts_after_a_long_request() {
        let mut client = connected(Duration::from_secs(25));
        let took = closed_after(&mut client, GET).await;
        assert!(is_about(took, 25_000 + limits::IDLE_MS), "{took:?}");
    }
}
