//! The HTTP server: accepts connections, with limits and timeouts, until it is stopped.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use axum::Router;
use axum_server::Handle;
use confab_app::services::Services;
use confab_domain::limits;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;

use crate::connections::accepting::Acceptor;

/// Handle that stops a running server.
#[derive(Clone, Default)]
pub struct Stopper(Handle<SocketAddr>);

impl Stopper {
    /// Refuses new requests. Running ones may continue for the grace period.
    pub fn stop(&self, grace: Duration) {
        self.0.graceful_shutdown(Some(grace));
    }
}

/// Accepts and serves connections until the server is stopped and the running requests are
/// finished.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    services: &Services,
    stopper: Stopper,
) -> io::Result<()> {
    let tls = services.config().tls.clone();
    let acceptor = Acceptor { connections: services.admission().connections.clone(), tls };
    listener.set_nonblocking(true)?;
    let mut server = axum_server::from_tcp(listener)?.handle(stopper.0);
    bound(server.http_builder());
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    server.acceptor(acceptor).serve(service).await
}

/// Limits the memory of one connection, both for HTTP/1 and for HTTP/2.
fn bound(http: &mut Builder<TokioExecutor>) {
    http.http1()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(limits::HEADER_TIMEOUT_MS))
        .max_buf_size(limits::HTTP_BUFFER_BYTES_MAX);
    http.http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits::HTTP2_STREAMS_MAX)
        .initial_stream_window_size(limits::HTTP2_STREAM_WINDOW_BYTES)
        .initial_connection_window_size(limits::HTTP2_CONNECTION_WINDOW_BYTES)
        .max_header_list_size(limits::HTTP2_HEADERS_BYTES_MAX)
        .max_send_buf_size(limits::HTTP_BUFFER_BYTES_MAX)
        .max_pending_accept_reset_streams(limits::HTTP2_RESETS_MAX)
        .max_local_error_reset_streams(limits::HTTP2_RESETS_MAX);
}
