//! The part of IMAP that reading a mailbox needs (RFC 3501, RFC 2177). The mailbox is opened
//! read-only, so nothing in it is marked.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use confab_delivery::mail::account::MailServer;
use confab_delivery::mail::connection::{ANSWER_TIMEOUT, MailConnection};
use confab_outbound::OutboundClient;
use confab_providers::email::{MAIL_BYTES_MAX, MailTrouble};
use tokio::time::{Instant, sleep_until};

/// Time limit for fetching a mail of the maximum size.
const MAIL_TIMEOUT: Duration = Duration::from_secs(300);
const RESPONSES_MAX: usize = 100_000;
/// Maximum number of header bytes that are read of a mail that is too large to be read whole.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// An open mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpenedMailbox {
    /// The UIDVALIDITY: while it is unchanged, a UID identifies the same mail.
    pub(super) validity: u32,
    /// Lower bound of the next mail's UID.
    pub(super) next_uid: u32,
}

/// A fetched mail, or only its header section.
pub(super) struct FetchedMail {
    pub(super) raw: Vec<u8>,
    /// Whether only the header section was read, because the mail is too large.
    pub(super) is_head: bool,
}

/// A response line of the server, with its first literal.
struct Response {
    text: String,
    literal: Option<Vec<u8>>,
}

/// A connection to the IMAP server after sign-in.
pub(super) struct ImapSession {
    connection: MailConnection,
    tag: u32,
    capabilities: String,
}

impl ImapSession {
    pub(super) async fn open(
        client: &OutboundClient,
        server: &MailServer,
    ) -> Result<Self, MailTrouble> {
        let connection = MailConnection::open(client, server).await?;
        let mut session = Self { connection, tag: 0, capabilities: String::new() };
        let greeting = session.response(ANSWER_TIMEOUT).await?.text.to_ascii_uppercase();
        if greeting.starts_with("* BYE") {
            return Err(MailTrouble::Unreachable(
                "it accepts no connections at the moment".to_owned(),
            ));
        }
        if !greeting.starts_with("* OK") && !greeting.starts_with("* PREAUTH") {
            return Err(MailTrouble::Misconfigured("it does not speak IMAP".to_owned()));
        }
        if server.wants_start_tls() {
            session.run("STARTTLS").await?;
            session.connection = session.connection.encrypted(client).await?;
        }
        session.read_capabilities().await?;
        if !greeting.starts_with("* PREAUTH") {
            session.sign_in(server).await?;
            session.read_capabilities().await?;
        }
        Ok(session)
    }

    async fn read_capabilities(&mut self) -> Result<(), MailTrouble> {
        let responses = self.run("CAPABILITY").await?;
        let line = responses.iter().find(|it| it.text.starts_with("* CAPABILITY"));
        self.capabilities = line.map(|it| it.text.to_ascii_uppercase()).unwrap_or_default();
        Ok(())
    }

    fn can(&self, capability: &str) -> bool {
        self.capabilities.split(' ').any(|it| it == capability)
    }

    async fn sign_in(&mut self, server: &MailServer) -> Result<(), MailTrouble> {
        let MailServer { user, password, .. } = server;
        if self.can("AUTH=PLAIN") {
            let tag = self.send("AUTHENTICATE PLAIN").await?;
            let asked = self.response(ANSWER_TIMEOUT).await?;
            if asked.text.starts_with('+') {
                let secret = STANDARD.encode(format!("\0{user}\0{password}")) + "\r\n";
                let deadline = Instant::now() + ANSWER_TIMEOUT;
                self.connection.send(secret.as_bytes(), deadline).await?;
                return match self.answered(&tag, ANSWER_TIMEOUT).await? {
                    Ok(_) => Ok(()),
                    Err(why) => Err(refused_sign_in(&why)),
                };
            }
            return Err(MailTrouble::Unauthorized);
        }
        if self.can("LOGINDISABLED") {
            let why = "it accepts no password without encryption";
            return Err(MailTrouble::Misconfigured(why.to_owned()));
        }
        let command = format!("LOGIN {} {}", quoted(user)?, quoted(password)?);
        let tag = self.send(&command).await?;
        match self.answered(&tag, ANSWER_TIMEOUT).await? {
            Ok(_) => Ok(()),
            Err(why) => Err(refused_sign_in(&why)),
        }
    }

    /// Opens a mailbox read-only.
    pub(super) async fn examine(&mut self, name: &str) -> Result<OpenedMailbox, MailTrouble> {
        let command = format!("EXAMINE {}", quoted(name)?);
        let tag = self.send(&command).await?;
        let Ok(responses) = self.answered(&tag, ANSWER_TIMEOUT).await? else {
            return Err(MailTrouble::Misconfigured("the mailbox does not exist".to_owned()));
        };
        let number = |word: &str| responses.iter().find_map(|it| number_after(&it.text, word));
        let unnumbered = || MailTrouble::Misconfigured("it does not support UIDs".to_owned());
        let validity = number("[UIDVALIDITY ").ok_or_else(unnumbered)?;
        let next_uid = number("[UIDNEXT ").unwrap_or(1);
        Ok(OpenedMailbox { validity, next_uid })
    }

    /// Returns the UIDs of the mails after `uid` in ascending order. Returns `None` if none was
    /// found but new mails arrived during the search, so that it must be repeated.
    pub(super) async fn after(&mut self, uid: u32) -> Result<Option<Vec<u32>>, MailTrouble> {
        let first = uid.saturating_add(1);
        let (mut found, has_new_mail) = self.search(&format!("UID {first}:*")).await?;
        // The range `n:*` always contains the last mail.
        found.retain(|it| *it >= first);
        Ok(Some(found).filter(|it| !it.is_empty() || !has_new_mail))
    }

    /// Returns the UIDs of the mails since a day, such as `3-Nov-2026`.
    pub(super) async fn since(&mut self, day: &str) -> Result<Vec<u32>, MailTrouble> {
        Ok(self.search(&format!("SINCE {day}")).await?.0)
    }

    /// Returns the found UIDs, and whether the server announced a new mail during the search.
    async fn search(&mut self, what: &str) -> Result<(Vec<u32>, bool), MailTrouble> {
        let responses = self.run(&format!("UID SEARCH {what}")).await?;
        let lists = responses.iter().filter_map(|it| it.text.strip_prefix("* SEARCH"));
        let mut found: Vec<u32> =
            lists.flat_map(str::split_whitespace).filter_map(|it| it.parse().ok()).collect();
        found.sort_unstable();
        let has_new_mail = responses.iter().any(|it| it.text.ends_with(" EXISTS"));
        Ok((found, has_new_mail))
    }

    /// Fetches a mail. Returns `None` if it no longer exists.
    pub(super) async fn fetch(&mut self, uid: u32) -> Result<Option<FetchedMail>, MailTrouble> {
        let responses = self.run(&format!("UID FETCH {uid} (UID RFC822.SIZE)")).await?;
        let size = responses.iter().find_map(|it| number_after(&it.text, "RFC822.SIZE "));
        let Some(size) = size else { return Ok(None) };
        let is_head = u64::from(size) > MAIL_BYTES_MAX;
        let what = match is_head {
            true => format!("BODY.PEEK[HEADER]<0.{HEAD_BYTES_MAX}>"),
            false => "BODY.PEEK[]".to_owned(),
        };
        let tag = self.send(&format!("UID FETCH {uid} ({what})")).await?;
        let responses = match self.answered(&tag, MAIL_TIMEOUT).await? {
            Ok(responses) => responses,
            Err(_) => return Ok(None),
        };
        let raw =
            responses.into_iter().filter(|it| it.text.contains("FETCH")).find_map(|it| it.literal);
        Ok(raw.map(|raw| FetchedMail { raw, is_head }))
    }

    /// Waits until the mailbox changes or the time is over.
    pub(super) async fn wait(&mut self, time: Duration) -> Result<(), MailTrouble> {
        if !self.can("IDLE") {
            sleep_until(Instant::now() + time.min(WITHOUT_IDLE)).await;
            return self.run("NOOP").await.map(drop);
        }
        let tag = self.send("IDLE").await?;
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        let mut has_new_mail = false;
        loop {
            let line = self.line(deadline).await?;
            if line.starts_with('+') {
                break;
            }
            has_new_mail |= line.ends_with(" EXISTS");
        }
        let until = Instant::now() + if has_new_mail { Duration::ZERO } else { time };
        let responses = tokio::time::timeout_at(until, self.line(until + ANSWER_TIMEOUT)).await;
        if let Ok(Err(trouble)) = responses {
            return Err(trouble);
        }
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        self.connection.send(b"DONE\r\n", deadline).await?;
        self.answered(&tag, ANSWER_TIMEOUT).await?.map(drop).map_err(MailTrouble::Misconfigured)
    }

    /// Sends LOGOUT without waiting for the answer.
    pub(super) async fn leave(mut self) {
        let deadline = Instant::now() + Duration::from_secs(1);
        drop(self.connection.send(b"Z LOGOUT\r\n", deadline).await);
    }

    /// Runs a command, and fails if the server rejects it.
    async fn run(&mut self, command: &str) -> Result<Vec<Response>, MailTrouble> {
        let tag = self.send(command).await?;
        let word = command.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let refused = |_| MailTrouble::Misconfigured(format!("it rejects the command {word}"));
        self.answered(&tag, ANSWER_TIMEOUT).await?.map_err(refused)
    }

    async fn send(&mut self, command: &str) -> Result<String, MailTrouble> {
        self.tag += 1;
        let tag = format!("A{}", self.tag);
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        self.connection.send(format!("{tag} {command}\r\n").as_bytes(), deadline).await?;
        Ok(tag)
    }

    /// Returns the responses until the command is complete, or the text with which it was rejected.
    async fn answered(
        &mut self,
        tag: &str,
        timeout: Duration,
    ) -> Result<Result<Vec<Response>, String>, MailTrouble> {
        let mut responses = Vec::new();
        let mut bytes = 0;
        for _ in 0..RESPONSES_MAX {
            let response = self.response(timeout).await?;
            bytes += response.literal.as_ref().map_or(0, Vec::len) + response.text.len();
            if bytes > 2 * LITERAL_BYTES_MAX {
                break;
            }
            let Some(rest) = response.text.strip_prefix(tag).and_then(|it| it.strip_prefix(' '))
            else {
                responses.push(response);
                continue;
            };
            let is_ok = rest.get(..2).is_some_and(|it| it.eq_ignore_ascii_case("OK"));
            return Ok(if is_ok { Ok(responses) } else { Err(rest.to_owned()) });
        }
        Err(MailTrouble::Misconfigured("it sends more data than requested".to_owned()))
    }

    async fn response(&mut self, timeout: Duration) -> Result<Response, MailTrouble> {
        let deadline = Instant::now() + timeout;
        let mut text = String::new();
        let mut literal = None;
        for _ in 0..LITERALS_MAX {
            let line = self.line(deadline).await?;
            text.push_str(&line);
            let Some(count) = literal_size(&line) else { return Ok(Response { text, literal }) };
            if count > LITERAL_BYTES_MAX {
                return Err(MailTrouble::Misconfigured(
                    "it sends too much data in one response".to_owned(),
                ));
            }
            let bytes = self.connection.bytes(count, deadline).await?;
            // A mail has one literal.
            literal = literal.or(Some(bytes));
        }
        Err(MailTrouble::Misconfigured("it does not speak IMAP".to_owned()))
    }

    async fn line(&mut self, deadline: Instant) -> Result<String, MailTrouble> {
        self.connection.line(deadline).await
    }
}

/// Poll interval for servers without IDLE.
const WITHOUT_IDLE: Duration = Duration::from_secs(15);
const LITERALS_MAX: usize = 20;
const LITERAL_BYTES_MAX: usize = MAIL_BYTES_MAX as usize + 1024 * 1024;

fn refused_sign_in(why: &str) -> MailTrouble {
    let is_late = why.to_ascii_uppercase().contains("[UNAVAILABLE]");
    match is_late {
        true => MailTrouble::Unreachable("it does not allow signing in at the moment".to_owned()),
        false => MailTrouble::Unauthorized,
    }
}

/// Returns the size of the literal that follows a line: `{123}`.
fn literal_size(line: &str) -> Option<usize> {
    let (_, size) = line.strip_suffix('}')?.rsplit_once('{')?;
    size.trim_end_matches('+').parse().ok()
}

fn number_after(text: &str, word: &str) -> Option<u32> {
    let at = text.find(word)? + word.len();
    let digits: String = text[at..].chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Returns a quoted IMAP string. Fails for text that cannot be quoted.
fn quoted(text: &str) -> Result<String, MailTrouble> {
    if text.chars().any(|c| c.is_control() || !c.is_ascii()) {
        let why = "names and passwords may contain ASCII characters only";
        return Err(MailTrouble::Misconfigured(why.to_owned()));
    }
    Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}
