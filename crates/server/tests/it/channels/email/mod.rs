//! Mailboxes, and mails that a mail server delivers by LMTP.

mod answering;
mod connecting;
mod domains;
mod handed_over;
mod memory;
mod receiving;
mod reports;
mod senders;
pub(super) mod stage;
