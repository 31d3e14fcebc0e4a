//! What is known of a mail beside its bytes.

/// How a mail came here.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'a> {
    /// Where its files can be had again.
    pub place: &'a str,
    /// The address of the channel.
    pub own: &'a str,
    /// Whom a mail server reports to that cannot deliver it, if it said so: nobody is empty.
    pub return_path: Option<&'a str>,
}

/// The place of a mail whose files are kept here, by their hash.
pub const KEPT_HERE: &str = "kept";
