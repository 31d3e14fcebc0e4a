//! The LMTP dialog on one connection, from greeting to close.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use confab_domain::ids::ChannelId;
use confab_domain::limits;
use confab_providers::email::MAIL_BYTES_MAX;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::command::LmtpCommand;
use super::content::MailContent;
use super::delivering::{self, RecipientResult};
use crate::services::Services;

/// Maximum time until the next command of the mail server.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(300);
/// Maximum time for receiving a whole mail.
const MAIL_TIMEOUT: Duration = Duration::from_secs(600);
/// Maximum time for the mail server to read a reply.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum number of protocol errors between two mails. Unknown recipients are not counted: a mail
/// server that reuses its connection sends many.
const PROTOCOL_ERRORS_MAX: usize = 20;
/// Part of a reply that identifies it as a permanent protocol error: class and subject of its
/// enhanced status code (RFC 3463).
const PROTOCOL_ERROR: &str = " 5.5.";

/// Runs the dialog until the client disconnects or a limit ends it.
pub(super) async fn serve(
    services: Services,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    mails: Arc<Semaphore>,
) {
    let stream = BufReader::new(stream);
    let (has_greeted, mail) = (false, None);
    let mut session = Session { services, stream, mails, has_greeted, mail, protocol_errors: 0 };
    if let Err(error) = session.speak().await {
        tracing::debug!(%error, "LMTP connection failed");
    }
}

/// A mail that was announced by `MAIL FROM`.
struct Announced {
    return_path: String,
    /// Channels of the accepted recipients.
    to: Vec<ChannelId>,
}

struct Session<S> {
    services: Services,
    stream: BufReader<S>,
    mails: Arc<Semaphore>,
    has_greeted: bool,
    mail: Option<Announced>,
    protocol_errors: usize,
}

/// The bytes of a mail, or the reason why they were discarded.
enum ReceivedMail {
    Whole(Vec<u8>, OwnedSemaphorePermit),
    TooLarge,
    /// Mails of other connections use all of the memory for mails that are being received.
    NoRoom,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Session<S> {
    async fn speak(&mut self) -> io::Result<()> {
        self.reply("220 Confab LMTP").await?;
        loop {
            let Some(line) = self.line().await? else { return Ok(()) };
            let answer = match LmtpCommand::read(&line) {
                LmtpCommand::Hello => {
                    self.has_greeted = true;
                    self.mail = None;
                    let size = format!("250-SIZE {MAIL_BYTES_MAX}\r\n");
                    let can = "250-PIPELINING\r\n250-ENHANCEDSTATUSCODES\r\n250-8BITMIME\r\n\
                               250-SMTPUTF8\r\n";
                    self.reply(&format!("{can}{size}250 Confab")).await?;
                    continue;
                }
                LmtpCommand::Quit => return self.reply("221 2.0.0 Bye").await,
                LmtpCommand::Nothing => "250 2.0.0 OK",
                LmtpCommand::Verify => "252 2.5.0 Not verified, send the mail",
                LmtpCommand::Reset => {
                    self.mail = None;
                    "250 2.0.0 Reset"
                }
                LmtpCommand::From { return_path, bytes } => self.begin(return_path, bytes),
                LmtpCommand::To(address) => self.address(&address).await,
                LmtpCommand::Data => {
                    self.receive().await?;
                    continue;
                }
                LmtpCommand::Wrong(answer) => answer,
            };
            if answer.contains(PROTOCOL_ERROR) {
                self.protocol_errors += 1;
            }
            self.reply(answer).await?;
            if self.protocol_errors > PROTOCOL_ERRORS_MAX {
                return self.reply("421 4.7.0 Too many errors").await;
            }
        }
    }

    fn begin(&mut self, return_path: String, bytes: Option<u64>) -> &'static str {
        match () {
            () if !self.has_greeted => "503 5.5.1 Send LHLO first",
            () if self.mail.is_some() => "503 5.5.1 One mail at a time",
            () if bytes.is_some_and(|bytes| bytes > MAIL_BYTES_MAX) => TOO_LARGE,
            () => {
                self.mail = Some(Announced { return_path, to: Vec::new() });
                "250 2.1.0 Sender OK"
            }
        }
    }

    async fn address(&mut self, address: &str) -> &'static str {
        let Some(mail) = &mut self.mail else { return "503 5.5.1 Send MAIL FROM first" };
        if mail.to.len() >= limits::LMTP_RECIPIENTS_MAX {
            return "452 4.5.3 Too many recipients";
        }
        match delivering::find(&self.services, address).await {
            Ok(channel) => {
                mail.to.push(channel);
                "250 2.1.5 Recipient OK"
            }
            Err(answered) => reply_to(answered),
        }
    }

    /// Receives the bytes of the mail, and replies for each recipient.
    async fn receive(&mut self) -> io::Result<()> {
        let mail = self.mail.take().filter(|it| !it.to.is_empty());
        let Some(mail) = mail else { return self.reply("503 5.5.1 No valid recipient").await };
        self.protocol_errors = 0;
        self.reply("354 Send the mail, end with a dot").await?;
        let (raw, held) = match self.content().await? {
            ReceivedMail::Whole(raw, held) => (Arc::new(raw), held),
            ReceivedMail::TooLarge => return self.reply_to_all(&mail, TOO_LARGE).await,
            ReceivedMail::NoRoom => return self.reply_to_all(&mail, NO_ROOM).await,
        };
        for channel in &mail.to {
            let services = &self.services;
            let answered = delivering::deliver(services, *channel, &mail.return_path, &raw).await;
            // Reply at once, so that the mail server does not resend a committed mail.
            self.reply(reply_to(answered)).await?;
        }
        drop(held);
        Ok(())
    }

    async fn reply_to_all(&mut self, mail: &Announced, answer: &str) -> io::Result<()> {
        for _ in &mail.to {
            self.reply(answer).await?;
        }
        Ok(())
    }

    /// Reads the bytes of a mail up to its end. Bytes beyond the limits are read and discarded.
    async fn content(&mut self) -> io::Result<ReceivedMail> {
        let deadline = Instant::now() + MAIL_TIMEOUT;
        let (mut content, mut raw) = (MailContent::new(), Vec::new());
        let mut held = self.mails.clone().try_acquire_many_owned(0).map_err(io::Error::other)?;
        let mut has_room = true;
        let mut count: u64 = 0;
        loop {
            let bytes = timeout_at(deadline, self.stream.fill_buf()).await??;
            if bytes.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            // The parser may emit one more byte, which it held back earlier.
            let needed = raw.len() + bytes.len() + 1;
            let mut is_kept = has_room && count <= MAIL_BYTES_MAX;
            if is_kept && needed > raw.capacity() {
                let grown = raw.capacity() + raw.capacity() / 2;
                let room = needed.max(grown.min(MAIL_BYTES_MAX as usize + 1));
                has_room = hold(&self.mails, &mut held, room.div_ceil(1024));
                is_kept = has_room;
                if has_room {
                    raw.reserve_exact(room - raw.len());
                }
            }
            let end = content.take(bytes, |byte| {
                count += 1;
                if is_kept {
                    raw.push(byte);
                }
            });
            let taken = end.unwrap_or(bytes.len());
            self.stream.consume(taken);
            if !is_kept {
                raw = Vec::new();
            }
            if end.is_some() {
                return Ok(match () {
                    () if count > MAIL_BYTES_MAX => ReceivedMail::TooLarge,
                    () if !has_room => ReceivedMail::NoRoom,
                    () => ReceivedMail::Whole(raw, held),
                });
            }
        }
    }

    /// Reads the next line without its line ending; `None` if the client disconnected or the line
    /// is too long.
    async fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let deadline = Instant::now() + COMMAND_TIMEOUT;
        let mut line = Vec::new();
        loop {
            let bytes = timeout_at(deadline, self.stream.fill_buf()).await??;
            if bytes.is_empty() {
                return Ok(None);
            }
            let end = memchr::memchr(b'\n', bytes);
            let taken = end.map_or(bytes.len(), |at| at + 1);
            line.extend_from_slice(&bytes[..taken]);
            self.stream.consume(taken);
            if line.len() > limits::LMTP_LINE_BYTES_MAX {
                self.reply("500 5.5.6 The line is too long").await?;
                return Ok(None);
            }
            if end.is_some() {
                line.truncate(line.len() - 1);
                if line.last() == Some(&b'\r') {
                    line.truncate(line.len() - 1);
                }
                return Ok(Some(line));
            }
        }
    }

    async fn reply(&mut self, answer: &str) -> io::Result<()> {
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        let line = format!("{answer}\r\n");
        timeout_at(deadline, self.stream.write_all(line.as_bytes())).await?
    }
}

const TOO_LARGE: &str = "552 5.3.4 The mail is too large";
const NO_ROOM: &str = "451 4.3.1 Too many mails at once, try again later";

fn reply_to(answered: RecipientResult) -> &'static str {
    match answered {
        RecipientResult::Taken => "250 2.0.0 Mail stored",
        RecipientResult::Unknown => "550 5.1.1 No such mailbox",
        RecipientResult::Off => "451 4.2.1 The mailbox is switched off",
        RecipientResult::NotNow => "451 4.3.0 The mail cannot be stored now, try again later",
        RecipientResult::NoMail => "554 5.6.0 This is not a mail",
        RecipientResult::NoSender => "550 5.7.1 From must have one address that can be answered",
    }
}

/// Increases the held memory to `kib` KiB. Returns false if not enough is available.
fn hold(mails: &Arc<Semaphore>, held: &mut OwnedSemaphorePermit, kib: usize) -> bool {
    let more = kib.saturating_sub(held.num_permits());
    let more = u32::try_from(more).unwrap_or(u32::MAX);
    match mails.clone().try_acquire_many_owned(more) {
        Ok(more) => {
            held.merge(more);
            true
        }
        Err(_) => false,
    }
}
