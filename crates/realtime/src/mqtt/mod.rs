//! MQTT 3.1.1 as spoken by the published SDKs (wire facts 4.4, D-0042).
//!
//! [`connection`] is the task of one client. It passes bytes to the [`protocol`], which uses no
//! socket and no store, and executes the resulting commands. [`packets`] rejects packets that the
//! codec handles wrongly; [`outbox`] holds unacknowledged messages; [`topic`] parses topic names,
//! [`permitting`] checks who may subscribe to them, and [`subscriptions`] are those of one client.
//! [`sessions`] hold state that outlives a connection, [`away`] limits their number, and
//! [`allowance`] slows down clients that send too much.
//!
//! Connections arrive by TCP ([`serve`]) and by WebSocket (`mqtt` in `http`). A connection is
//! anonymous until it presents a user's token, in the name of a topic or as its password. Then it
//! can subscribe to what that user may see, and publish in the user's name. A client's will is
//! parsed and ignored: a user whose connection is lost goes offline in any case.

mod allowance;
mod away;
mod connection;
mod outbox;
mod packets;
mod permitting;
mod protocol;
pub(crate) mod sessions;
mod subscriptions;
mod topic;

#[cfg(test)]
mod tests;

use std::io;
use std::net::TcpListener;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::Duration;

use bytes::BytesMut;
use confab_store::ReaderScope;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

pub use connection::{MqttTransport, serve as serve_connection};

use confab_runtime::admission::activity::Activity;
use confab_runtime::admission::connections::CountedSocket;
use confab_runtime::process::tls::{InboundStream, Tls};
use confab_runtime::supervisor::Supervisor;

use crate::node::Realtime;

/// Delay before the next connection is accepted after a failure, whose usual cause is a lack of
/// file descriptors.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Accepts TCP connections until it is dropped.
pub async fn serve(
    listener: TcpListener,
    realtime: Arc<Realtime>,
    tls: Option<Tls>,
    supervisor: Supervisor,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = Arc::new(tokio::net::TcpListener::from_std(listener)?);
    let take = move || take_connections(listener.clone(), realtime.clone(), tls.clone());
    supervisor.keep("MQTT listener", take).await;
    Ok(())
}

async fn take_connections(
    listener: Arc<tokio::net::TcpListener>,
    realtime: Arc<Realtime>,
    tls: Option<Tls>,
) {
    let connections = realtime.connections.clone();
    let mut has_failed = false;
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                has_failed = false;
                let Ok(socket) = connections.take_socket(address.ip()) else { continue };
                tokio::spawn(begin(realtime.clone(), tls.clone(), stream, socket));
            }
            Err(error) => {
                if !has_failed {
                    tracing::warn!(%error, "failed to accept MQTT connections");
                }
                has_failed = true;
                let _ = tokio::time::timeout(ACCEPT_AGAIN, std::future::pending::<()>()).await;
            }
        }
    }
}

/// Performs the TLS handshake if TLS is configured, then serves the connection.
async fn begin(
    realtime: Arc<Realtime>,
    tls: Option<Tls>,
    stream: TcpStream,
    socket: CountedSocket,
) {
    // Send small packets at once.
    let _ = stream.set_nodelay(true);
    let stream = match &tls {
        None => InboundStream::Plain(stream),
        Some(tls) => {
            let accepted = tokio::select! {
                accepted = tls.accept_mqtt(stream) => accepted,
                () = socket.activity().until_yield() => return,
            };
            match accepted {
                Ok(stream) => stream,
                Err(error) => {
                    return tracing::debug!(%error, "TLS handshake of an MQTT connection failed");
                }
            }
        }
    };
    let reads = ReaderScope::default();
    reads.run(serve_connection(realtime, Tcp { stream, socket })).await;
}

/// A TCP connection, with or without TLS.
struct Tcp<S> {
    stream: S,
    socket: CountedSocket,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> MqttTransport for Tcp<S> {
    async fn receive(&mut self, to: &mut BytesMut) -> io::Result<bool> {
        std::future::poll_fn(|context| {
            // Read into the stack: a waiting connection holds no heap buffer.
            let mut bytes = [0; 2048];
            let mut buffer = ReadBuf::new(&mut bytes);
            let read = Pin::new(&mut self.stream).poll_read(context, &mut buffer);
            if read.is_pending() {
                ready!(self.socket.activity().poll_yield(context));
                return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
            }
            ready!(read)?;
            to.extend_from_slice(buffer.filled());
            Poll::Ready(Ok(!buffer.filled().is_empty()))
        })
        .await
    }

    async fn send(&mut self, bytes: BytesMut) -> io::Result<()> {
        let mut sent = 0;
        std::future::poll_fn(|context| {
            while sent < bytes.len() {
                let stream = Pin::new(&mut self.stream);
                match ready!(stream.poll_write(context, &bytes[sent..]))? {
                    0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                    count => sent += count,
                }
            }
            // TLS may have buffered some of the bytes.
            Pin::new(&mut self.stream).poll_flush(context)
        })
        .await
    }

    fn activity(&self) -> &Activity {
        self.socket.activity()
    }
}
