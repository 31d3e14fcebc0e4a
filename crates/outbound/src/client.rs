//! The client for outgoing requests, shared by the whole server.

use std::sync::Arc;

use confab_domain::webhooks::delivery::ErrorClass;

use super::attempt::{AttemptFailure, AttemptReport, OutboundResponse, RunningAttempt};
use super::connection::{OutboundConnection, open};
use super::exchange::{ExchangeOutcome, SendOutcome, exchange, send};
use super::fetched::FetchedResponse;
use super::http2::Http2Connections;
use super::pool::{ConnectionPool, PoolKey};
use super::request::{HttpMessage, OutboundRequest};
use super::resolver::Resolver;
use super::target::Target;
use super::target_guard::TargetGuard;
use super::tls::{OutboundTls, TlsRoots};

/// Sends requests to vetted addresses and pools their connections.
pub struct OutboundClient {
    guard: TargetGuard,
    resolver: Resolver,
    tls: OutboundTls,
    mail_tls: OutboundTls,
    pool: Arc<ConnectionPool>,
    shared: Http2Connections,
}

impl OutboundClient {
    /// Creates the server's client. Create only one, because idle connections are pooled in it.
    pub fn new(guard: TargetGuard, resolver: Resolver, roots: TlsRoots) -> Self {
        let shared = Http2Connections::new(roots.clone());
        let mail_tls = OutboundTls::mail(roots.clone());
        let (tls, pool) = (OutboundTls::new(roots), Arc::default());
        Self { guard, resolver, tls, mail_tls, pool, shared }
    }

    /// Returns the target guard, for code that saves targets.
    pub fn guard(&self) -> &TargetGuard {
        &self.guard
    }

    /// Returns the guard, resolver and TLS settings with which connections to mail servers are
    /// opened.
    pub(super) fn mail_parts(&self) -> (&TargetGuard, &Resolver, &OutboundTls) {
        (&self.guard, &self.resolver, &self.mail_tls)
    }

    /// Posts a request. Finishes before its timeout.
    ///
    /// The receiver sees the request at most once: it is repeated on a new connection only if an
    /// idle connection turned out to be closed before any byte was written. Dropping the future
    /// closes the connection.
    pub async fn post(&self, request: OutboundRequest) -> AttemptReport {
        let mut attempt = RunningAttempt::start(&request);
        let outcome = self.attempt(request, &mut attempt).await;
        attempt.end(outcome)
    }

    /// Posts a request with HTTP/2, on a connection shared by all requests to its host.
    pub async fn post_http2(&self, request: OutboundRequest) -> AttemptReport {
        let mut attempt = RunningAttempt::start(&request);
        let by = (&self.guard, &self.resolver);
        let outcome = self.shared.post(by, request, &mut attempt).await;
        attempt.end(outcome)
    }

    /// Sends a request and returns the answer as a stream if its status is a success.
    pub async fn fetch(&self, request: OutboundRequest) -> Result<FetchedResponse, AttemptFailure> {
        let mut attempt = RunningAttempt::start(&request);
        let (target, message) = self.checked(request)?;
        let fresh = self.open(&target, &mut attempt).await?;
        let (response, connection) = match send(fresh, message, &mut attempt).await {
            SendOutcome::NotSent(_, why) | SendOutcome::Failed(why) => return Err(why),
            SendOutcome::Answered(response, _, connection) => (response, connection),
        };
        let status = response.status().as_u16();
        if let Some(class) = ErrorClass::of_status(status) {
            return Err(AttemptFailure::new(
                class,
                format!("the receiver answered with status {status}"),
            ));
        }
        let (body, deadline) = (response.into_body(), attempt.deadline);
        Ok(FetchedResponse { status, body, deadline, _connection: connection })
    }

    /// Checks the URL and builds the message for its target.
    fn checked(&self, request: OutboundRequest) -> Result<(Target, HttpMessage), AttemptFailure> {
        let blocked = |detail: String| AttemptFailure::new(ErrorClass::BlockedAddress, detail);
        let target = self.guard.check(&request.url).map_err(|it| blocked(it.with_advice()))?;
        let unfit = || blocked("the URL is invalid in a request".to_owned());
        let message = request.into_message(&target).ok_or_else(unfit)?;
        Ok((target, message))
    }

    async fn attempt(
        &self,
        request: OutboundRequest,
        attempt: &mut RunningAttempt,
    ) -> Result<OutboundResponse, AttemptFailure> {
        let (target, mut message) = self.checked(request)?;
        let key = PoolKey::of(&target);
        if let Some(idle) = self.pool.take(&key) {
            attempt.peer = Some(idle.peer);
            attempt.is_reused = true;
            match self.run(idle, message, &key, attempt).await {
                Ok(outcome) => return outcome,
                Err((unsent, _)) => message = unsent,
            }
        }
        attempt.is_reused = false;
        let fresh = self.open(&target, attempt).await?;
        self.run(fresh, message, &key, attempt).await.unwrap_or_else(|(_, why)| Err(why))
    }

    async fn open(
        &self,
        target: &Target,
        attempt: &mut RunningAttempt,
    ) -> Result<OutboundConnection, AttemptFailure> {
        attempt.peer = None;
        open((&self.guard, &self.resolver, &self.tls), target, attempt).await
    }

    /// Sends the message and returns the outcome, or the message and the reason if nothing was
    /// sent.
    async fn run(
        &self,
        connection: OutboundConnection,
        message: HttpMessage,
        key: &PoolKey,
        attempt: &mut RunningAttempt,
    ) -> Result<Result<OutboundResponse, AttemptFailure>, (HttpMessage, AttemptFailure)> {
        match exchange(connection, message, attempt).await {
            ExchangeOutcome::NotSent(message, why) => Err((message, why)),
            ExchangeOutcome::Done(outcome, connection) => {
                if let Some(connection) = connection {
                    self.pool.put(key.clone(), connection);
                }
                Ok(outcome)
            }
        }
    }

    /// Returns the number of idle connections.
    #[cfg(test)]
    pub(super) fn idle_count(&self) -> usize {
        self.pool.count()
    }
}
