//! The audit log: who changed which values, and from where (design/sign-in-and-limits).
//!
//! A rule adds an audit entry to its decision, so that the entry and the change are written
//! together or not at all. The values come from the rule's facts, the actor and the IP address from
//! its context. Entries never contain secrets, passwords, tokens or e-mail addresses.

pub mod deed;
pub mod differences;
pub mod entry;
