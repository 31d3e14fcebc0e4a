//! E-mail (channel facts 4.4): mails come in by IMAP or LMTP, and answers go out by SMTP.
//!
//! A mail has no JSON, so there is one step more than elsewhere: `digest` makes JSON of its bytes,
//! which is the event that is stored; `read` reads that. Files stay in the mailbox and are cut out
//! of the mail when the event is handled (`part_of`); without a mailbox they are kept before
//! (`files_of`). A part of an answer becomes a mail with `compose`. Pure, like the others; whatever
//! the bytes are, it ends, and in bounded memory.

mod addresses;
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

pub use addresses::normal_address;
pub use arrival::{Arrival, KEPT_HERE};
pub use digesting::{MAIL_BYTES_MAX, digest, digest_head, files_of, part_of, unreadable};
pub use headers::is_address;
pub use marking::MailKey;
pub use reading::read;
pub use writing::{
    ComposedMail, FILE_BYTES_MAX, MailFile, Sender, Thread, compose, message_id, parts, thread_of,
};

use super::credentials::CredentialName;
use super::health::{AccountAtProvider, ChannelHealth, HealthState};
use super::verdict::{Pause, Verdict};
use std::time::Duration;

/// What a channel of e-mail is set up with.
pub const NAMES: &[CredentialName] = &[
    CredentialName::plain("address"),
    CredentialName::plain("imap_host").or_absent(),
    CredentialName::plain("smtp_host"),
    CredentialName::secret("password").or_absent(),
    CredentialName::secret("smtp_password").or_absent(),
];

/// The first pause after a mail server says "not now", as greylisting does, and the longest.
const NOT_NOW: Pause =
    Pause::Doubling { first: Duration::from_secs(5), most: Duration::from_secs(900) };

/// What it means that a mail server cannot take a mail for an address with letters outside ASCII
/// in its local part.
pub fn without_smtputf8() -> Verdict {
    let why = "The customer's address has letters outside ASCII before the @, and the SMTP server \
               does not support these (SMTPUTF8).";
    Verdict::never("smtputf8", why)
}

/// What the reply to a mail means; `id` is its Message-ID.
pub fn verdict_of(status: u16, words: &str, id: &str) -> Verdict {
    match status {
        200..300 => Verdict::sent(Some(id.to_owned())),
        // Who we are is not known, or must be proven: the account is wrong, not the mail.
        530 | 534 | 535 | 538 => {
            Verdict::bad_token(status, "The mail server does not take the name and the password.")
        }
        500..600 => {
            let words = super::splitting::Bound::utf16(300).cut(words.trim());
            Verdict::never(status, format!("The mail server refused it: {words}"))
        }
        _ => Verdict::Again { after: NOT_NOW, whole_channel: false, instead: None },
    }
}

/// How a channel is, by what is known of the way in, which is `IMAP` or `LMTP`, and of the way out.
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
        (Err(trouble), _) => trouble.health(way_in, "nothing comes in"),
        (_, Err(trouble)) => trouble.health("SMTP", "nothing goes out"),
    }
}

/// Why a mail server does not serve us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailTrouble {
    /// It does not take the name and the password.
    Unauthorized,
    /// It answers, but not as it should: why, in plain words.
    Misconfigured(String),
    /// It does not answer, or not now: why, in plain words.
    Unreachable(String),
}

impl MailTrouble {
    /// What is wrong with the server of this protocol, and what to do.
    pub fn health(&self, protocol: &str, so: &str) -> ChannelHealth {
        match self {
            Self::Unauthorized => {
                let why = format!(
                    "The {protocol} server does not take the name and the password, so {so}."
                );
                let todo = "Set the password again; some services want one made for programs.";
                ChannelHealth::is(HealthState::Unauthorized, why, todo)
            }
            Self::Misconfigured(why) => {
                let why = format!("The {protocol} server cannot be used, so {so}: {why}.");
                ChannelHealth::is(HealthState::Misconfigured, why, "Correct its settings.")
            }
            Self::Unreachable(why) => {
                let why = format!("The {protocol} server cannot be reached, so {so}: {why}.");
                let todo = "Nothing is lost; it is tried again.";
                ChannelHealth::is(HealthState::Unreachable, why, todo)
            }
        }
    }
}
