//! Opens connections to receivers: resolves, vets, connects and encrypts.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use confab_domain::webhooks::delivery::ErrorClass;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use super::attempt::{AttemptFailure, RunningAttempt, micros};
use super::body::OutboundBody;
use super::resolver::Resolver;
use super::target::{Host, Target};
use super::target_guard::{TargetGuard, VettedAddresses};
use super::tls::OutboundTls;
use super::wire::{MarkedStream, Marks, OutboundSocket, OutboundStream};

/// Time limit for name resolution: retrying later is better than waiting longer.
const DNS_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of addresses of a name that are tried.
const ADDRESSES_TRIED_MAX: usize = 4;
/// Maximum size in bytes of the answer's header section, and of the buffered part of its body.
const READ_BUFFER_BYTES_MAX: usize = 16 * 1024;
const ANSWER_HEADERS_MAX: usize = 100;

/// A connection for one request at a time. Dropping it closes the connection.
pub(super) struct OutboundConnection {
    pub(super) sender: SendRequest<OutboundBody>,
    pub(super) peer: SocketAddr,
    pub(super) opened: Instant,
    pub(super) marks: Arc<Mutex<Marks>>,
    socket: OutboundSocket,
    driver: JoinHandle<hyper::Result<()>>,
}

impl Drop for OutboundConnection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl OutboundConnection {
    /// Whether the receiver has neither closed the connection nor sent unexpected data.
    pub(super) fn is_usable(&self) -> bool {
        !self.sender.is_closed() && self.socket.is_quiet()
    }

    /// Returns the error with which a closed connection ended.
    pub(super) async fn end(mut self) -> Option<hyper::Error> {
        (&mut self.driver).await.ok()?.err()
    }

    async fn start(
        stream: OutboundStream,
        socket: OutboundSocket,
        peer: SocketAddr,
    ) -> hyper::Result<Self> {
        let opened = Instant::now();
        let marks = Arc::new(Mutex::new(Marks::begin()));
        let wire = TokioIo::new(MarkedStream { stream, marks: marks.clone() });
        let mut builder = Builder::new();
        builder.max_buf_size(READ_BUFFER_BYTES_MAX).max_headers(ANSWER_HEADERS_MAX);
        let (sender, driven) = builder.handshake(wire).await?;
        let driver = tokio::spawn(driven);
        Ok(Self { sender, peer, opened, marks, socket, driver })
    }
}

/// Opens an HTTP connection to a checked target.
pub(super) async fn open(
    (guard, resolver, tls): (&TargetGuard, &Resolver, &OutboundTls),
    target: &Target,
    attempt: &mut RunningAttempt,
) -> Result<OutboundConnection, AttemptFailure> {
    let (stream, socket, peer) = reach((guard, resolver, tls), target, attempt).await?;
    let started = OutboundConnection::start(stream, socket, peer).await;
    started.map_err(|error| AttemptFailure::new(ErrorClass::Write, error.to_string()))
}

/// Resolves, vets, connects and encrypts: everything before the first byte of HTTP or of a mail
/// protocol.
pub(super) async fn reach(
    (guard, resolver, tls): (&TargetGuard, &Resolver, &OutboundTls),
    target: &Target,
    attempt: &mut RunningAttempt,
) -> Result<(OutboundStream, OutboundSocket, SocketAddr), AttemptFailure> {
    let addresses = resolve(resolver, target, attempt).await?;
    let vetted = guard.vet(&addresses, target).map_err(|blocked| {
        AttemptFailure::new(ErrorClass::BlockedAddress, blocked.with_advice())
    })?;
    let (socket, peer) = connect(&vetted, attempt).await?;
    attempt.peer = Some(peer);
    let stream = if target.is_tls() {
        encrypt(tls, target.host(), socket.clone(), attempt).await?
    } else {
        OutboundStream::Plain(socket.clone())
    };
    Ok((stream, socket, peer))
}

async fn resolve(
    resolver: &Resolver,
    target: &Target,
    attempt: &mut RunningAttempt,
) -> Result<Vec<IpAddr>, AttemptFailure> {
    let name = match target.host() {
        Host::Address(address) => return Ok(vec![*address]),
        Host::Name(name) => name,
    };
    let begun = Instant::now();
    let deadline = attempt.deadline.min(begun + DNS_TIMEOUT);
    let failed = |detail: &str| AttemptFailure::new(ErrorClass::Dns, detail);
    let found = timeout_at(deadline, resolver.resolve(name)).await;
    let addresses = found
        .map_err(|_| failed("the name server did not answer in time"))?
        .map_err(|error| failed(&format!("the name could not be resolved: {error}")))?;
    if addresses.is_empty() {
        return Err(failed("the name has no address"));
    }
    attempt.timings.dns_us = Some(micros(begun.elapsed()));
    Ok(addresses)
}

/// Tries the addresses in turn. Each gets an equal share of the remaining time.
async fn connect(
    vetted: &VettedAddresses,
    attempt: &mut RunningAttempt,
) -> Result<(OutboundSocket, SocketAddr), AttemptFailure> {
    let begun = Instant::now();
    let addresses = &vetted.addresses()[..vetted.addresses().len().min(ADDRESSES_TRIED_MAX)];
    let mut failed =
        AttemptFailure::new(ErrorClass::ConnectTimeout, "there was no time left to connect");
    for (at, address) in addresses.iter().enumerate() {
        let left = attempt.deadline.saturating_duration_since(Instant::now());
        let share = left / u32::try_from(addresses.len() - at).unwrap_or(1);
        match connect_to(*address, Instant::now() + share).await {
            Ok(stream) => {
                attempt.timings.connect_us = Some(micros(begun.elapsed()));
                return Ok((OutboundSocket(Arc::new(stream)), *address));
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

async fn connect_to(address: SocketAddr, deadline: Instant) -> Result<TcpStream, AttemptFailure> {
    let late = || {
        AttemptFailure::new(ErrorClass::ConnectTimeout, "the connection was not accepted in time")
    };
    let connected = timeout_at(deadline, TcpStream::connect(address)).await;
    let stream = connected.map_err(|_| late())?.map_err(|error| match error.kind() {
        ErrorKind::TimedOut => late(),
        ErrorKind::ConnectionRefused => {
            AttemptFailure::new(ErrorClass::ConnectRefused, "the connection was refused")
        }
        _ => AttemptFailure::new(ErrorClass::ConnectRefused, format!("failed to connect: {error}")),
    })?;
    if !stream.peer_addr().is_ok_and(|peer| peer == address) {
        let detail = "the connection has another peer address than the one that was vetted";
        return Err(AttemptFailure::new(ErrorClass::BlockedAddress, detail));
    }
    // On loopback, a socket can connect to itself.
    if stream.local_addr().is_ok_and(|local| local == address) {
        return Err(AttemptFailure::new(ErrorClass::ConnectRefused, "the connection was refused"));
    }
    // Without this option small requests may wait for an acknowledgement. A failure only costs
    // latency.
    stream.set_nodelay(true).ok();
    Ok(stream)
}

async fn encrypt(
    tls: &OutboundTls,
    host: &Host,
    socket: OutboundSocket,
    attempt: &mut RunningAttempt,
) -> Result<OutboundStream, AttemptFailure> {
    let begun = Instant::now();
    let failed = |detail: String| AttemptFailure::new(ErrorClass::Tls, detail);
    let stream = timeout_at(attempt.deadline, tls.connect(host, socket))
        .await
        .map_err(|_| failed("the TLS handshake did not end in time".to_owned()))?
        .map_err(|error| failed(format!("the TLS handshake failed: {error}")))?;
    attempt.timings.tls_us = Some(micros(begun.elapsed()));
    Ok(OutboundStream::Tls(Box::new(stream)))
}
