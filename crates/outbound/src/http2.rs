//! HTTP/2 requests: one connection per host, shared by concurrent requests.
//!
//! For receivers that require HTTP/2 and that the operator configured. Guarantees, as for HTTP/1:
//! only vetted addresses are called, one deadline covers the attempt, answers are bounded, and a
//! request is sent at most once. A connection is replaced when it is closed or old. Unencrypted
//! connections are allowed on loopback only.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use confab_domain::limits;
use confab_domain::webhooks::delivery::ErrorClass;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};

use super::attempt::{AttemptFailure, OutboundResponse, RunningAttempt};
use super::body::OutboundBody;
use super::connection::reach;
use super::exchange::{broken, receive, record_write};
use super::pool::PoolKey;
use super::request::{HttpMessage, OutboundRequest};
use super::resolver::Resolver;
use super::target::Target;
use super::target_guard::TargetGuard;
use super::tls::{OutboundTls, TlsRoots};
use super::wire::{MarkedStream, Marks, OutboundStream};

/// Age at which a connection is replaced, because the name may resolve to another address by then.
const AGE_MAX: Duration = Duration::from_secs(3600);
/// Interval of pings on a connection.
const PING_EVERY: Duration = Duration::from_secs(60);
/// Time limit for the answer to a ping.
const PING_WITHIN: Duration = Duration::from_secs(10);
const HEADER_BYTES_MAX: u32 = 16 * 1024;

/// The HTTP/2 connections of a client, by host.
pub(super) struct Http2Connections {
    tls: OutboundTls,
    slots: Mutex<HashMap<PoolKey, Arc<ConnectionSlot>>>,
}

/// The connection to one host; locked while it is opened.
type ConnectionSlot = tokio::sync::Mutex<Option<Http2Connection>>;

struct Http2Connection {
    sender: SendRequest<OutboundBody>,
    peer: SocketAddr,
    opened: Instant,
}

impl Http2Connections {
    pub(super) fn new(roots: TlsRoots) -> Self {
        Self { tls: OutboundTls::http2(roots), slots: Mutex::default() }
    }

    /// Sends a request and reads its answer, before the deadline of the attempt.
    pub(super) async fn post(
        &self,
        by: (&TargetGuard, &Resolver),
        request: OutboundRequest,
        attempt: &mut RunningAttempt,
    ) -> Result<OutboundResponse, AttemptFailure> {
        let blocked = |detail: String| AttemptFailure::new(ErrorClass::BlockedAddress, detail);
        let target = by.0.check(&request.url).map_err(|it| blocked(it.to_string()))?;
        let unfit = || blocked("the URL is invalid in a request".to_owned());
        let mut message = request.into_http2_message(&target).ok_or_else(unfit)?;
        let (slot, mut closed) = (self.slot(&target), None);
        loop {
            let (sender, opened) = self.sender(by, &slot, closed, &target, attempt).await?;
            match send(sender, message, attempt).await {
                // Retry if a reused connection was closed before anything was sent; if a new one
                // was, the attempt fails.
                Err((Some(unsent), _)) if attempt.is_reused => message = unsent,
                Err((_, why)) => return Err(why),
                Ok(answer) => return answer,
            }
            closed = Some(opened);
        }
    }

    fn slot(&self, target: &Target) -> Arc<ConnectionSlot> {
        let mut slots = self.slots.lock();
        if slots.len() >= limits::PUSH_CONNECTIONS_MAX {
            slots.clear();
        }
        slots.entry(PoolKey::of(target)).or_default().clone()
    }

    /// Returns a sender on the existing connection or, if that is closed or old, on a new one, and
    /// the time when the connection was opened. `closed` is the opening time of a connection that
    /// the caller found closed.
    async fn sender(
        &self,
        (guard, resolver): (&TargetGuard, &Resolver),
        slot: &ConnectionSlot,
        closed: Option<Instant>,
        target: &Target,
        attempt: &mut RunningAttempt,
    ) -> Result<(SendRequest<OutboundBody>, Instant), AttemptFailure> {
        let late = |_| {
            AttemptFailure::new(
                ErrorClass::ConnectTimeout,
                "the connection was not established in time",
            )
        };
        let mut slot = timeout_at(attempt.deadline, slot.lock()).await.map_err(late)?;
        let is_usable = |it: &&Http2Connection| {
            !it.sender.is_closed() && it.opened.elapsed() < AGE_MAX && Some(it.opened) != closed
        };
        if let Some(known) = slot.as_ref().filter(is_usable) {
            (attempt.peer, attempt.is_reused) = (Some(known.peer), true);
            return Ok((known.sender.clone(), known.opened));
        }
        attempt.is_reused = false;
        let (stream, _, peer) = reach((guard, resolver, &self.tls), target, attempt).await?;
        let connection = start(stream, peer, attempt.deadline).await?;
        let begun = (connection.sender.clone(), connection.opened);
        *slot = Some(connection);
        Ok(begun)
    }
}

async fn start(
    stream: OutboundStream,
    peer: SocketAddr,
    deadline: Instant,
) -> Result<Http2Connection, AttemptFailure> {
    let is_fit = match &stream {
        OutboundStream::Plain(_) => peer.ip().is_loopback(),
        OutboundStream::Tls(stream) => stream.get_ref().1.alpn_protocol() == Some(b"h2"),
    };
    if !is_fit {
        return Err(AttemptFailure::new(
            ErrorClass::Tls,
            "the receiver does not speak HTTP/2 over TLS",
        ));
    }
    let wire = MarkedStream { stream, marks: Arc::new(parking_lot::Mutex::new(Marks::begin())) };
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_WITHIN)
        .max_header_list_size(HEADER_BYTES_MAX);
    let late = |_| {
        AttemptFailure::new(
            ErrorClass::HeaderTimeout,
            "the HTTP/2 handshake did not finish in time",
        )
    };
    let begun = timeout_at(deadline, builder.handshake(TokioIo::new(wire))).await.map_err(late)?;
    let (sender, driven) = begun.map_err(|error| broken(&error))?;
    // The task ends when the connection is closed or its last sender is dropped.
    tokio::spawn(driven);
    Ok(Http2Connection { sender, peer, opened: Instant::now() })
}

/// Sends a message and reads its answer. The error includes the message if nothing was sent.
async fn send(
    mut sender: SendRequest<OutboundBody>,
    message: HttpMessage,
    attempt: &mut RunningAttempt,
) -> Result<Result<OutboundResponse, AttemptFailure>, (Option<HttpMessage>, AttemptFailure)> {
    let late = |detail: &str| AttemptFailure::new(ErrorClass::HeaderTimeout, detail);
    let begun = Instant::now();
    match timeout_at(attempt.deadline, sender.ready()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err((Some(message), broken(&error))),
        Err(_) => return Err((None, late("the receiver did not accept the request in time"))),
    }
    let sent = timeout_at(attempt.deadline, sender.try_send_request(message)).await;
    let response = match sent {
        Err(_) => return Err((None, late("the receiver did not answer in time"))),
        Ok(Err(mut error)) => {
            let unsent = error.take_message();
            return Err((unsent, broken(&error.into_error())));
        }
        Ok(Ok(response)) => response,
    };
    let mut marks = Marks::begin();
    (marks.begun, marks.last_write, marks.first_read) = (begun, Some(begun), Some(Instant::now()));
    record_write(&marks, attempt);
    Ok(receive(response, &marks, attempt).await.0)
}
