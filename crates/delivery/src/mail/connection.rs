//! Lines and bytes over a connection to a mail server. Each read has a deadline and a size limit.

use std::time::Duration;

use confab_outbound::{MailStream, OutboundClient};
use confab_providers::email::MailTrouble;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::time::{Instant, timeout_at};

use super::account::{MailServer, Security};

/// Time limit for connecting, and for each answer.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
const LINE_BYTES_MAX: usize = 64 * 1024;

pub struct MailConnection {
    stream: BufReader<MailStream>,
}

impl MailConnection {
    pub async fn open(client: &OutboundClient, server: &MailServer) -> Result<Self, MailTrouble> {
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        let dialed = client.dial_mail(&server.host, deadline).await;
        let stream = dialed.map_err(|failed| unreached(failed.class, failed.detail))?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Encrypts the connection after the server agreed to do so. Fails if the server sent data
    /// before the encryption.
    pub async fn encrypted(self, client: &OutboundClient) -> Result<Self, MailTrouble> {
        if !self.stream.buffer().is_empty() {
            let why = "it sends data too early, before the connection is encrypted";
            return Err(MailTrouble::Misconfigured(why.to_owned()));
        }
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        let encrypted = client.encrypt_mail(self.stream.into_inner(), deadline).await;
        let stream = encrypted.map_err(|failed| unreached(failed.class, failed.detail))?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Returns the next line without its line ending.
    pub async fn line(&mut self, deadline: Instant) -> Result<String, MailTrouble> {
        let mut line = Vec::new();
        loop {
            let read = timeout_at(deadline, self.stream.fill_buf()).await.map_err(late)?;
            let buffer = read.map_err(|error| MailTrouble::Unreachable(error.to_string()))?;
            if buffer.is_empty() {
                return Err(ended());
            }
            let end = memchr::memchr(b'\n', buffer);
            let taken = end.map_or(buffer.len(), |at| at + 1);
            line.extend_from_slice(&buffer[..taken]);
            self.stream.consume(taken);
            if line.len() > LINE_BYTES_MAX {
                return Err(MailTrouble::Misconfigured(
                    "it sends lines that are too long".to_owned(),
                ));
            }
            if end.is_some() {
                let line = String::from_utf8_lossy(&line);
                return Ok(line.trim_end_matches(['\r', '\n']).to_owned());
            }
        }
    }

    /// Returns the next `count` bytes.
    pub async fn bytes(&mut self, count: usize, deadline: Instant) -> Result<Vec<u8>, MailTrouble> {
        let mut bytes = vec![0; count];
        let read = timeout_at(deadline, self.stream.read_exact(&mut bytes)).await.map_err(late)?;
        read.map_err(|_| ended())?;
        Ok(bytes)
    }

    pub async fn send(&mut self, bytes: &[u8], deadline: Instant) -> Result<(), MailTrouble> {
        let written = async {
            self.stream.write_all(bytes).await?;
            self.stream.flush().await
        };
        let written = timeout_at(deadline, written).await.map_err(late)?;
        written.map_err(|_| ended())
    }
}

fn unreached(class: confab_outbound::ErrorClass, detail: String) -> MailTrouble {
    use confab_outbound::ErrorClass::{BlockedAddress, Tls};
    match class {
        BlockedAddress | Tls => MailTrouble::Misconfigured(detail),
        _ => MailTrouble::Unreachable(detail),
    }
}

fn late(_: tokio::time::error::Elapsed) -> MailTrouble {
    MailTrouble::Unreachable("it does not answer in time".to_owned())
}

fn ended() -> MailTrouble {
    MailTrouble::Unreachable("it closed the connection".to_owned())
}

impl MailServer {
    pub fn wants_start_tls(&self) -> bool {
        self.security == Security::StartTls
    }
}
