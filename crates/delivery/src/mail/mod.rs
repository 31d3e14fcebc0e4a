//! Sending through e-mail channels (channel facts 4.4, D-0160).
//!
//! [`sending`] sends a message part by SMTP. [`smtp`] implements the needed parts of the protocol
//! over a [`connection`] that `outbound` opened to the server of an [`account`]. Everything that a
//! server sends is bounded. Passwords, addresses and mail lines are never logged.

pub mod account;
pub mod connection;
pub mod sending;
pub mod smtp;
