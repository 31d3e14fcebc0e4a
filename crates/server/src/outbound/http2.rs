//! HTTP/2: one connection a host, which many requests share at a time.
//!
//! For receivers that want it so, named by the operator. The promises are those of the other way:
//! vetted addresses only, one deadline, bounded answers, a request sent at most once. A connection
//! is made anew when it is closed or old; plain ones lead to this machine only.

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

use super::attempt::{Failed, OutboundResponse, RunningAttempt};
use super::body::OutboundBody;
use super::connection::reach;
use super::exchange::{broken, note_writing, receive};
use super::pool::PoolKey;
use super::request::{HttpMessage, OutboundRequest};
use super::resolver::Resolver;
use super::target::Target;
use super::target_guard::TargetGuard;
use super::tls::{OutboundTls, TlsRoots};
use super::wire::{MarkedStream, Marks, OutboundStream};

/// A name may lead elsewhere after a while, and is resolved and vetted again.
const AGE_MAX: Duration = Duration::from_secs(3600);
/// Whether the other end is still there is asked this often, and it has this long to answer.
const PING_EVERY: Duration = Duration::from_secs(60);
const PING_WITHIN: Duration = Duration::from_secs(10);
const HEADER_BYTES_MAX: u32 = 16 * 1024;

/// The connections of a client.
pub(super) struct Http2Connections {
    tls: OutboundTls,
    places: Mutex<HashMap<PoolKey, Arc<ConnectionSlot>>>,
}

/// Where the connection to one host is; locked while it is made.
type ConnectionSlot = tokio::sync::Mutex<Option<Http2Connection>>;

struct Http2Connection {
    sender: SendRequest<OutboundBody>,
    peer: SocketAddr,
    opened: Instant,
}

impl Http2Connections {
    pub(super) fn new(roots: TlsRoots) -> Self {
        Self { tls: OutboundTls::http2(roots), places: Mutex::default() }
    }

    /// Sends a request and reads its answer, before the deadline of the attempt.
    pub(super) async fn post(
        &self,
        by: (&TargetGuard, &Resolver),
        request: OutboundRequest,
        attempt: &mut RunningAttempt,
    ) -> Result<OutboundResponse, Failed> {
        let blocked = |detail: String| Failed::new(ErrorClass::BlockedAddress, detail);
        let target = by.0.check(&request.url).map_err(|it| blocked(it.to_string()))?;
        let unfit = || blocked("the URL cannot be sent".to_owned());
        let mut message = request.into_http2_message(&target).ok_or_else(unfit)?;
        let (place, mut closed) = (self.place(&target), None);
        loop {
            let (sender, opened) = self.sender(by, &place, closed, &target, attempt).await?;
            match send(sender, message, attempt).await {
                // It was closed before anything was sent; a fresh one is to blame itself.
                Err((Some(unsent), _)) if attempt.is_reused => message = unsent,
                Err((_, why)) => return Err(why),
                Ok(answer) => return answer,
            }
            closed = Some(opened);
        }
    }

    fn place(&self, target: &Target) -> Arc<ConnectionSlot> {
        let mut places = self.places.lock();
        if places.len() >= limits::PUSH_CONNECTIONS_MAX {
            places.clear();
        }
        places.entry(PoolKey::of(target)).or_default().clone()
    }

    /// The connection that is there, unless it is the one that turned out to be closed, or a new
    /// one; and when it was opened.
    async fn sender(
        &self,
        (guard, resolver): (&TargetGuard, &Resolver),
        place: &ConnectionSlot,
        closed: Option<Instant>,
        target: &Target,
        attempt: &mut RunningAttempt,
    ) -> Result<(SendRequest<OutboundBody>, Instant), Failed> {
        let late =
            |_| Failed::new(ErrorClass::ConnectTimeout, "the connection was not made in time");
        let mut place = timeout_at(attempt.deadline, place.lock()).await.map_err(late)?;
        let is_usable = |it: &&Http2Connection| {
            !it.sender.is_closed() && it.opened.elapsed() < AGE_MAX && Some(it.opened) != closed
        };
        if let Some(known) = place.as_ref().filter(is_usable) {
            (attempt.peer, attempt.is_reused) = (Some(known.peer), true);
            return Ok((known.sender.clone(), known.opened));
        }
        attempt.is_reused = false;
        let (stream, _, peer) = reach((guard, resolver, &self.tls), target, attempt).await?;
        let connection = start(stream, peer, attempt.deadline).await?;
        let begun = (connection.sender.clone(), connection.opened);
        *place = Some(connection);
        Ok(begun)
    }
}

async fn start(
    stream: OutboundStream,
    peer: SocketAddr,
    deadline: Instant,
) -> Result<Http2Connection, Failed> {
    let is_fit = match &stream {
        OutboundStream::Plain(_) => peer.ip().is_loopback(),
        OutboundStream::Tls(stream) => stream.get_ref().1.alpn_protocol() == Some(b"h2"),
    };
    if !is_fit {
        return Err(Failed::new(ErrorClass::Tls, "the receiver does not speak HTTP/2 over TLS"));
    }
    let wire = MarkedStream { stream, marks: Arc::new(parking_lot::Mutex::new(Marks::begin())) };
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_WITHIN)
        .max_header_list_size(HEADER_BYTES_MAX);
    let late = |_| Failed::new(ErrorClass::HeaderTimeout, "the receiver did not begin in time");
    let begun = timeout_at(deadline, builder.handshake(TokioIo::new(wire))).await.map_err(late)?;
    let (sender, driven) = begun.map_err(|error| broken(&error))?;
    // It ends when the connection is closed, or when nobody can send on it any more.
    tokio::spawn(driven);
    Ok(Http2Connection { sender, peer, opened: Instant::now() })
}

/// The answer, or why there is none; with the message, if it was not sent.
async fn send(
    mut sender: SendRequest<OutboundBody>,
    message: HttpMessage,
    attempt: &mut RunningAttempt,
) -> Result<Result<OutboundResponse, Failed>, (Option<HttpMessage>, Failed)> {
    let late = |detail: &str| Failed::new(ErrorClass::HeaderTimeout, detail);
    let begun = Instant::now();
    match timeout_at(attempt.deadline, sender.ready()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err((Some(message), broken(&error))),
        Err(_) => return Err((None, late("the receiver took no request in time"))),
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
    note_writing(&marks, attempt);
    Ok(receive(response, &marks, attempt).await.0)
}
