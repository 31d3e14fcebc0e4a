//! Facts about a received mail besides its bytes.

use super::marking::MailKey;

/// Circumstances in which a mail arrived. No `Debug`: it contains a secret.
#[derive(Clone, Copy)]
pub struct Arrival<'a> {
    /// Place in the mailbox from which the mail's files can be read again, or [`STORED_HERE`].
    pub place: &'a str,
    /// Address of the channel.
    pub own: &'a str,
    /// Envelope sender, if known; empty for delivery reports.
    pub return_path: Option<&'a str>,
    /// Secret by which the app's own mails are recognized.
    pub key: MailKey<'a>,
}

/// Place of a mail whose files are stored by their hash instead of in a mailbox.
pub const STORED_HERE: &str = "kept";
