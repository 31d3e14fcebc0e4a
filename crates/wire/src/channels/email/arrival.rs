//! What is known of a mail beside its bytes.

use super::marking::MailKey;

/// How a mail came here. No `Debug`: it holds a secret.
#[derive(Clone, Copy)]
pub struct Arrival<'a> {
    /// Where its files can be had again.
    pub place: &'a str,
    /// The address of the channel.
    pub own: &'a str,
    /// Whom a mail server reports to that cannot deliver it, if it said so: nobody is empty.
    pub return_path: Option<&'a str>,
    /// By which the app's own mails are recognized.
    pub key: MailKey<'a>,
}

/// The place of a mail whose files are kept here, by their hash.
pub const KEPT_HERE: &str = "kept";
