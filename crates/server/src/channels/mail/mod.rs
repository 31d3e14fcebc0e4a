//! E-mail: how this server speaks with the mail servers of a channel (channel facts 4.4, D-0160).
//!
//! [`mailbox`] reads new mails by IMAP for as long as the channel is ours, [`lmtp`] is handed mails
//! by the operator's mail server ([`kept`]: their files) for apps that the operator assigned the
//! domain to ([`domains`]), [`turns`] bounds how many are read at once, [`sending`] hands a part of
//! an answer to the SMTP server, [`checking`] tries the ways in and out. [`imap`] and [`smtp`] speak as much of
//! the two protocols as that needs, over a [`connection`] that `outbound` opened. Called by the
//! chore of channels, by the carrier of what is said to customers, and by who fetches files.
//!
//! Promises: a mail is committed with its place in the mailbox before the next is asked for, or
//! before its mail server is told that it is taken; nothing in a mailbox is changed, marked or
//! deleted; whatever a server sends is bounded. Never: a password, an address or a line of a mail
//! in a log.

mod account;
pub(crate) mod checking;
mod connection;
pub(crate) mod domains;
mod imap;
pub(crate) mod kept;
pub mod lmtp;
pub(super) mod mailbox;
pub(crate) mod sending;
mod smtp;
pub(crate) mod turns;
