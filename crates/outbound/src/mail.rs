//! Connections to mail servers, opened and vetted like all others.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use confab_domain::webhooks::delivery::ErrorClass;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, timeout_at};

use super::attempt::{AttemptFailure, RunningAttempt, Timings};
use super::client::OutboundClient;
use super::connection::reach;
use super::request::AnswerBytes;
use super::target::Target;
use super::wire::OutboundStream;

/// The address of a mail server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailHost {
    pub name: String,
    pub port: u16,
    /// Whether the connection is encrypted from the first byte.
    pub is_tls: bool,
}

/// A connection to a mail server, plain or encrypted.
pub struct MailStream {
    stream: OutboundStream,
    target: Target,
}

impl OutboundClient {
    /// Connects to a mail server, if the guard allows it.
    pub async fn dial_mail(
        &self,
        host: &MailHost,
        deadline: Instant,
    ) -> Result<MailStream, AttemptFailure> {
        let blocked = |detail: String| AttemptFailure::new(ErrorClass::BlockedAddress, detail);
        let checked = self.guard().check_mail(&host.name, host.port, host.is_tls);
        let target = checked.map_err(|it| blocked(it.with_advice()))?;
        let mut attempt = RunningAttempt {
            started: Instant::now(),
            deadline,
            peer: None,
            timings: Timings::default(),
            is_reused: false,
            answer_bytes_max: AnswerBytes { kept: 0, read: 0 },
        };
        let (stream, _, _) = reach(self.mail_parts(), &target, &mut attempt).await?;
        Ok(MailStream { stream, target })
    }

    /// Encrypts an open connection (STARTTLS).
    pub async fn encrypt_mail(
        &self,
        mail: MailStream,
        deadline: Instant,
    ) -> Result<MailStream, AttemptFailure> {
        let failed = |detail: String| AttemptFailure::new(ErrorClass::Tls, detail);
        let MailStream { stream: OutboundStream::Plain(socket), target } = mail else {
            return Err(failed("the connection is already encrypted".to_owned()));
        };
        let (_, _, tls) = self.mail_parts();
        let encrypted = timeout_at(deadline, tls.connect(target.host(), socket))
            .await
            .map_err(|_| failed("the TLS handshake did not finish in time".to_owned()))?
            .map_err(|error| failed(format!("the TLS handshake failed: {error}")))?;
        Ok(MailStream { stream: OutboundStream::Tls(Box::new(encrypted)), target })
    }
}

impl AsyncRead for MailStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.stream {
            OutboundStream::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            OutboundStream::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for MailStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.stream {
            OutboundStream::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            OutboundStream::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            OutboundStream::Plain(stream) => Pin::new(stream).poll_flush(context),
            OutboundStream::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            OutboundStream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            OutboundStream::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
