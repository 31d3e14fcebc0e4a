//! The audit: who changed what, from what to what, and from where (D-0135).
//!
//! A rule adds an entry to its own decision, so that it is written with the change or not at all.
//! What differs comes from the facts that the rule decided on; who wants it, and from where, from
//! its context. Secrets, passwords, tokens and e-mail addresses never stand in an entry.

pub mod deed;
pub mod differences;
pub mod entry;
