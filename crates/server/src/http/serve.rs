//! The listener: connections in, with bounds on their patience, until told to stop.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use axum::Router;
use axum_server::Handle;
use confab_domain::limits;
use hyper_util::rt::TokioTimer;

use super::patience::PatientAcceptor;
use crate::connections::Connections;

/// Stops a server.
#[derive(Clone, Default)]
pub struct Stopper(Handle<SocketAddr>);

impl Stopper {
    /// Takes no new requests; those that run may go on for so long.
    pub fn stop(&self, grace: Duration) {
        self.0.graceful_shutdown(Some(grace));
    }
}

/// Serves until stopped; running requests are finished first.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    connections: Connections,
    stopper: Stopper,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let mut server = axum_server::from_tcp(listener)?.handle(stopper.0);
    server
        .http_builder()
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(limits::HEADER_TIMEOUT_MS))
        .max_buf_size(limits::HTTP_BUFFER_BYTES_MAX);
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    server.acceptor(PatientAcceptor(connections)).serve(service).await
}
