//! Accepts connections: counts each, performs the TLS handshake if configured, and wraps it in a
//! stream that tracks its activity.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use axum_server::accept::Accept;
use confab_runtime::admission::activity::Activity;
use confab_runtime::admission::connections::{Connections, ConnectionsFull};
use confab_runtime::process::tls::{InboundStream, Tls};
use tokio::net::TcpStream;
use tower_http::add_extension::AddExtension;

use crate::connections::idle_timeouts::IdleTimeoutStream;

/// Answer to a connection that exceeds the server's maximum number of connections.
const ALL_FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\n\
    connection: close\r\n\r\n";
/// Answer to a connection that exceeds the maximum number of connections of its client address.
const PEER_FULL: &[u8] =
    b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\ncontent-length: 0\r\n\
    connection: close\r\n\r\n";

/// Accepts connections within the limits of the server and of each client address.
#[derive(Clone)]
pub(crate) struct Acceptor {
    pub(crate) connections: Connections,
    pub(crate) tls: Option<Tls>,
}

impl<S: Send + 'static> Accept<TcpStream, S> for Acceptor {
    type Stream = IdleTimeoutStream<InboundStream>;
    type Service = AddExtension<S, Arc<Activity>>;
    type Future = Pin<Box<dyn Future<Output = io::Result<(Self::Stream, Self::Service)>> + Send>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let Self { connections, tls } = self.clone();
        Box::pin(async move {
            let socket = match connections.take_socket(stream.peer_addr()?.ip()) {
                Ok(socket) => socket,
                Err(full) => return Err(refused(&stream, &full, tls.is_some())),
            };
            // Send small answers at once.
            stream.set_nodelay(true)?;
            let activity = socket.activity().clone();
            let stream = match &tls {
                Some(tls) => tokio::select! {
                    stream = tls.accept_http(stream) => stream?,
                    () = activity.until_yield() => {
                        return Err(io::ErrorKind::ConnectionAborted.into());
                    }
                },
                None => InboundStream::Plain(stream),
            };
            Ok((IdleTimeoutStream::new(stream, socket), AddExtension::new(service, activity)))
        })
    }
}

/// Answers a refused connection, if it is unencrypted and the write does not block.
fn refused(stream: &TcpStream, full: &ConnectionsFull, is_encrypted: bool) -> io::Error {
    let said = match full {
        ConnectionsFull::Sockets => ALL_FULL,
        ConnectionsFull::Peer => PEER_FULL,
    };
    if !is_encrypted {
        let _ = stream.try_write(said);
    }
    io::ErrorKind::QuotaExceeded.into()
}
