//! E-mail (channel facts 4.4): mails are received by IMAP or LMTP, and answers are sent by SMTP.
//!
//! Unlike the events of other providers, a mail is not JSON: [`digest`] converts its bytes to JSON,
//! which is stored as the event, and [`read`] parses this JSON. The files of a mail remain in the
//! mailbox and are extracted when the event is handled ([`part_of`]). A mail that arrives by LMTP
//! is in no mailbox, so its files are stored first ([`files_of`]). [`compose`] converts a part of
//! an answer to a mail. All functions are pure, and terminate in bounded memory for any input.

mod arrival;
mod automatic;
mod digesting;
mod headers;
mod heads;
mod marking;
mod quoting;
mod reading;
mod reports;
mod sender;
mod writing;

pub use arrival::{Arrival, STORED_HERE};
pub use digesting::{MAIL_BYTES_MAX, digest, digest_head, files_of, part_of, unreadable};
pub use marking::MailKey;
pub use reading::read;
pub use writing::{
    ComposedMail, FILE_BYTES_MAX, MailFile, Sender, Thread, compose, message_id, parts, thread_of,
};

use std::time::Duration;

use super::credentials::CredentialName;
use super::health::{AccountAtProvider, ChannelHealth, HealthState};
use super::verdict::{Pause, Verdict};

/// Names of the credentials of an e-mail channel.
pub const NAMES: &[CredentialName] = &[
    CredentialName::plain("address"),
    CredentialName::plain("imap_host").or_absent(),
    CredentialName::plain("smtp_host"),
    CredentialName::secret("password").or_absent(),
    CredentialName::secret("smtp_password").or_absent(),
];

/// Pause between attempts while a mail server refuses a mail temporarily, such as for greylisting.
const NOT_NOW: Pause =
    Pause::Doubling { first: Duration::from_secs(5), most: Duration::from_secs(900) };

/// Returns the verdict for a customer's address with non-ASCII characters before the @, if the SMTP
/// server does not support them.
pub fn without_smtputf8() -> Verdict {
    let why = "The customer's address has letters outside ASCII before the @, and the SMTP server \
               does not support these (SMTPUTF8).";
    Verdict::never("smtputf8", why)
}

/// Interprets a mail server's reply to a mail; `id` is its Message-ID.
pub fn verdict_of(status: u16, words: &str, id: &str) -> Verdict {
    match status {
        200..300 => Verdict::sent(Some(id.to_owned())),
        // The server rejects the login: the account is misconfigured, not the mail.
        530 | 534 | 535 | 538 => {
            Verdict::bad_token(status, "The mail server rejects the user name and password.")
        }
        500..600 => {
            let words = super::splitting::Bound::utf16(300).cut(words.trim());
            Verdict::never(status, format!("The mail server refused it: {words}"))
        }
        _ => Verdict::Again { after: NOT_NOW, whole_channel: false, instead: None },
    }
}

/// Determines a channel's health from the results of checking how it receives mails (`way_in` is
/// `IMAP` or `LMTP`) and its SMTP server.
pub fn condition(
    address: &str,
    (way_in, inward): (&str, Result<(), MailTrouble>),
    smtp: Result<(), MailTrouble>,
) -> ChannelHealth {
    let account = AccountAtProvider {
        id: address.to_lowercase(),
        name: address.to_owned(),
        username: address.to_owned(),
    };
    match (inward, smtp) {
        (Ok(()), Ok(())) => ChannelHealth::ok(Some(account)),
        (Err(trouble), _) => trouble.health(way_in, "no mails are received"),
        (_, Err(trouble)) => trouble.health("SMTP", "no mails are sent"),
    }
}

/// Reason why a mail server cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailTrouble {
    /// The mail server rejects the user name and password.
    Unauthorized,
    /// The mail server responds in an unexpected way, which the text describes.
    Misconfigured(String),
    /// The mail server does not respond or refuses temporarily, for the reason in the text.
    Unreachable(String),
}

impl MailTrouble {
    /// Returns the channel's health with an explanation for staff. `so` is the effect of the
    /// problem, such as `no mails are sent`.
    pub fn health(&self, protocol: &str, so: &str) -> ChannelHealth {
        match self {
            Self::Unauthorized => {
                let why =
                    format!("The {protocol} server rejects the user name and password, so {so}.");
                let todo = "Set the password again; some mail providers require an app password.";
                ChannelHealth::is(HealthState::Unauthorized, why, todo)
            }
            Self::Misconfigured(why) => {
                let why = format!("The {protocol} server cannot be used, so {so}: {why}.");
                ChannelHealth::is(HealthState::Misconfigured, why, "Correct its settings.")
            }
            Self::Unreachable(why) => {
                let why = format!("The {protocol} server cannot be reached, so {so}: {why}.");
                let todo = "Nothing is lost; the connection is retried.";
                ChannelHealth::is(HealthState::Unreachable, why, todo)
            }
        }
    }
}
