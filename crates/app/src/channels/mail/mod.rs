//! E-mail channels: the communication with a channel's mail servers (channel facts 4.4, D-0160).
//!
//! [`mailbox`] reads new mails by IMAP while this node has leased the channel, [`lmtp`] receives
//! mails from the operator's mail server ([`kept`]: their files), and [`checking`] tests both
//! directions. [`imap`] implements the needed parts of the protocol over a connection that
//! `outbound` opened. `delivery` sends mails. Called by the channels' task and by code that fetches
//! files.
//!
//! Guarantees: a mail is committed with its position in the mailbox before the next one is read, or
//! before the mail server gets a confirmation; nothing in a mailbox is changed, marked or deleted;
//! everything that a server sends is bounded. Passwords, addresses and mail lines are never logged.

pub(crate) mod checking;
mod imap;
pub(crate) mod kept;
pub mod lmtp;
pub(super) mod mailbox;
pub(crate) mod turns;
