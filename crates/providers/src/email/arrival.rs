//! Facts about a received mail besides its bytes.

use super::marking::MailKey;

/// Origin of a received mail. No `Debug`, because it contains a secret.
#[derive(Clone, Copy)]
pub struct Arrival<'a> {
    /// Position of the mail in its mailbox, from which its files can be read again, or
    /// [`STORED_HERE`].
    pub place: &'a str,
    /// E-mail address of the channel that received the mail.
    pub own: &'a str,
    /// Envelope sender, if known; empty for delivery reports.
    pub return_path: Option<&'a str>,
    /// Secret by which mails that the app itself sent are recognized.
    pub key: MailKey<'a>,
}

/// Value of [`Arrival::place`] for a mail that is in no mailbox. Its files are stored by their
/// hash.
pub const STORED_HERE: &str = "kept";
