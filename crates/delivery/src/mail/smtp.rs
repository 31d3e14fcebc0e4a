//! The part of SMTP that sending one mail needs (RFC 5321).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use confab_outbound::OutboundClient;
use confab_providers::email::{ComposedMail, MailTrouble};
use confab_runtime::files::OutgoingFile;
use tokio::time::Instant;

use super::account::MailServer;
use super::connection::{ANSWER_TIMEOUT, MailConnection};

const REPLY_LINES_MAX: usize = 100;
/// Number of bytes that are encoded in one line of base64.
const LINE_BYTES: usize = 57;

/// A reply of the server.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) words: String,
}

/// Reason why a mail was not handed over.
pub(super) enum NotHandedOver {
    /// The server cannot have accepted the mail.
    Unsent(MailTrouble),
    /// The server rejected the mail.
    Refused(Reply),
    /// The mail was sent completely, but the server did not confirm it.
    Uncertain,
    /// The recipient's address contains characters outside ASCII, which the server does not
    /// support.
    NoUtf8,
}

impl From<MailTrouble> for NotHandedOver {
    fn from(trouble: MailTrouble) -> Self {
        Self::Unsent(trouble)
    }
}

/// A connection to the SMTP server after sign-in.
pub struct SmtpSession {
    connection: MailConnection,
    /// The server's extensions, in upper case.
    extensions: Vec<String>,
}

impl SmtpSession {
    /// Connects and signs in. `domain` is sent in the greeting.
    pub async fn open(
        client: &OutboundClient,
        server: &MailServer,
        domain: &str,
    ) -> Result<Self, MailTrouble> {
        let connection = MailConnection::open(client, server).await?;
        let mut session = Self { connection, extensions: Vec::new() };
        session.reply().await?.must_be(220)?;
        session.greet(domain).await?;
        if server.wants_start_tls() {
            session.command("STARTTLS").await?.must_be(220)?;
            session.connection = session.connection.encrypted(client).await?;
            session.greet(domain).await?;
        }
        if !server.password.is_empty() {
            session.sign_in(server).await?;
        }
        Ok(session)
    }

    async fn greet(&mut self, domain: &str) -> Result<(), MailTrouble> {
        let reply = self.command(&format!("EHLO {domain}")).await?;
        reply.must_be(250)?;
        self.extensions = reply.words.lines().map(str::to_ascii_uppercase).collect();
        Ok(())
    }

    async fn sign_in(&mut self, server: &MailServer) -> Result<(), MailTrouble> {
        let MailServer { user, password, .. } = server;
        let methods = self.extensions.iter().find(|it| it.starts_with("AUTH"));
        let methods: Vec<_> =
            methods.map(String::as_str).unwrap_or_default().split([' ', '=']).collect();
        let reply = if methods.contains(&"PLAIN") {
            let secret = STANDARD.encode(format!("\0{user}\0{password}"));
            self.command(&format!("AUTH PLAIN {secret}")).await?
        } else if methods.contains(&"LOGIN") {
            self.command("AUTH LOGIN").await?.must_be(334)?;
            self.command(&STANDARD.encode(user)).await?.must_be(334)?;
            self.command(&STANDARD.encode(password)).await?
        } else {
            let why = "it offers no way to sign in with a password";
            return Err(MailTrouble::Misconfigured(why.to_owned()));
        };
        match reply.status {
            200..300 => Ok(()),
            400..500 => Err(MailTrouble::Unreachable(
                "it does not allow signing in at the moment".to_owned(),
            )),
            _ => Err(MailTrouble::Unauthorized),
        }
    }

    /// Sends the mail. The server has accepted it only after the final reply.
    pub(super) async fn hand_over(
        &mut self,
        (from, to): (&str, &str),
        mail: &ComposedMail,
        file: Option<OutgoingFile>,
        deadline: Instant,
    ) -> Result<Reply, NotHandedOver> {
        // The To header also contains the address, so the mail is 8-bit then (RFC 6531 3.6).
        let parameters = match to.is_ascii() {
            true => "",
            false if self.extensions.iter().any(|it| it == "SMTPUTF8") => " SMTPUTF8 BODY=8BITMIME",
            false => return Err(NotHandedOver::NoUtf8),
        };
        for command in [format!("MAIL FROM:<{from}>{parameters}"), format!("RCPT TO:<{to}>")] {
            let reply = self.command(&command).await?;
            if !(200..300).contains(&reply.status) {
                return Err(NotHandedOver::Refused(reply));
            }
        }
        let reply = self.command("DATA").await?;
        if reply.status != 354 {
            return Err(NotHandedOver::Refused(reply));
        }
        self.connection.send(mail.head.as_bytes(), deadline).await?;
        if let Some(file) = file {
            self.send_file(file, deadline).await?;
        }
        if let Some(tail) = &mail.tail {
            self.connection.send(tail.as_bytes(), deadline).await?;
        }
        let uncertain = |_| NotHandedOver::Uncertain;
        self.connection.send(b".\r\n", deadline).await.map_err(uncertain)?;
        let reply = self.reply().await.map_err(uncertain)?;
        match reply.status {
            200..300 => Ok(reply),
            _ => Err(NotHandedOver::Refused(reply)),
        }
    }

    async fn send_file(
        &mut self,
        file: OutgoingFile,
        deadline: Instant,
    ) -> Result<(), MailTrouble> {
        let unread = |_| MailTrouble::Unreachable("the file cannot be read".to_owned());
        let mut left: Vec<u8> = Vec::new();
        let mut next = file.next().await.map_err(unread)?;
        while let Some((bytes, file)) = next {
            left.extend_from_slice(&bytes);
            let whole = left.len() / LINE_BYTES * LINE_BYTES;
            let rest = left.split_off(whole);
            self.connection.send(encoded(&left).as_bytes(), deadline).await?;
            left = rest;
            next = file.next().await.map_err(unread)?;
        }
        self.connection.send(encoded(&left).as_bytes(), deadline).await
    }

    /// Sends QUIT without waiting for the answer.
    pub async fn leave(mut self) {
        let deadline = Instant::now() + std::time::Duration::from_secs(1);
        drop(self.connection.send(b"QUIT\r\n", deadline).await);
    }

    async fn command(&mut self, command: &str) -> Result<Reply, MailTrouble> {
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        self.connection.send(format!("{command}\r\n").as_bytes(), deadline).await?;
        self.reply().await
    }

    /// Reads a reply of one or more lines.
    async fn reply(&mut self) -> Result<Reply, MailTrouble> {
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        let mut words = String::new();
        for _ in 0..REPLY_LINES_MAX {
            let line = self.connection.line(deadline).await?;
            let status = line.get(..3).and_then(|it| it.parse().ok());
            let Some(status) = status else { break };
            if !words.is_empty() {
                words.push('\n');
            }
            words.push_str(line.get(4..).unwrap_or_default());
            if line.as_bytes().get(3) != Some(&b'-') {
                return Ok(Reply { status, words });
            }
        }
        Err(MailTrouble::Misconfigured("it does not speak SMTP".to_owned()))
    }
}

impl Reply {
    fn must_be(&self, status: u16) -> Result<(), MailTrouble> {
        match self.status {
            is if is == status => Ok(()),
            400..500 => Err(MailTrouble::Unreachable(format!("it answers {}", self.status))),
            530 | 534 | 535 | 538 => Err(MailTrouble::Unauthorized),
            is => Err(MailTrouble::Misconfigured(format!("it answers {is}"))),
        }
    }
}

/// Encodes bytes as lines of base64.
fn encoded(bytes: &[u8]) -> String {
    let line = |it: &[u8]| STANDARD.encode(it) + "\r\n";
    bytes.chunks(LINE_BYTES).map(line).collect()
}
