//! MQTT 3.1.1 as the published SDKs speak it (wire facts 4.4, D-0042).
//!
//! Cast: [`connection`] is one client's task. It hands bytes to the [`protocol`], which knows no
//! socket and no store, and does what comes out of it. [`packets`] keeps from the codec what that
//! would stumble over; [`outbox`] has what a client did not acknowledge; [`topic`] knows the names,
//! [`permitting`] who may hear them, [`subscriptions`] which of them this client hears.
//! [`sessions`] has those that outlive a connection. [`allowance`] slows down who sends too much.
//!
//! Connections come by TCP ([`serve`]) and by WebSocket (`http::mqtt`). A connection is nobody's
//! until it shows a user's token, in the name of a topic or as its password. It can then hear what
//! that user may see, and tell what they may tell, in their own name. A client's will is read and
//! not needed: whoever is lost is not there any more, whatever they wished.

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

pub(crate) use connection::{MqttTransport, serve as serve_connection};

use crate::activity::Activity;
use crate::connections::CountedSocket;
use crate::services::Services;
use crate::tls::InboundStream;

/// How long to wait before taking connections again when that failed, for want of files mostly.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Takes connections by TCP until it is dropped.
pub async fn serve(listener: TcpListener, services: Services) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = Arc::new(tokio::net::TcpListener::from_std(listener)?);
    let chores = services.chores();
    let take = move || take_connections(listener.clone(), services.clone());
    chores.keep("taking MQTT connections", take).await;
    Ok(())
}

async fn take_connections(listener: Arc<tokio::net::TcpListener>, services: Services) {
    let connections = services.connections();
    let mut has_failed = false;
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                has_failed = false;
                let Ok(socket) = connections.take_socket(address.ip()) else { continue };
                tokio::spawn(begin(services.clone(), stream, socket));
            }
            Err(error) => {
                if !has_failed {
                    tracing::warn!("MQTT connections are not taken: {error}");
                }
                has_failed = true;
                let _ = tokio::time::timeout(ACCEPT_AGAIN, std::future::pending::<()>()).await;
            }
        }
    }
}

/// Encrypts a connection if this server is encrypted, and serves it.
async fn begin(services: Services, stream: TcpStream, socket: CountedSocket) {
    // Without this small packets wait for others.
    let _ = stream.set_nodelay(true);
    let stream = match &services.config().tls {
        None => InboundStream::Plain(stream),
        Some(tls) => {
            let accepted = tokio::select! {
                accepted = tls.accept_mqtt(stream) => accepted,
                () = socket.activity().until_yield() => return,
            };
            match accepted {
                Ok(stream) => stream,
                Err(error) => {
                    return tracing::debug!("an MQTT connection is not encrypted: {error}");
                }
            }
        }
    };
    let reads = ReaderScope::default();
    reads.run(serve_connection(services, Tcp { stream, socket })).await;
}

/// Bytes as they are.
struct Tcp<S> {
    stream: S,
    socket: CountedSocket,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> MqttTransport for Tcp<S> {
    async fn receive(&mut self, to: &mut BytesMut) -> io::Result<bool> {
        std::future::poll_fn(|context| {
            // On the stack: a connection that waits holds no buffer.
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
            // Encryption may hold some back.
            Pin::new(&mut self.stream).poll_flush(context)
        })
        .await
    }

    fn activity(&self) -> &Activity {
        self.socket.activity()
    }
}
