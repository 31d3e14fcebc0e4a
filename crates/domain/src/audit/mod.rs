//! The audit log: who changed which values, and from where (design/sign-in-and-limits).
//!
//! A rule adds an entry to its own decision, so that both are written or neither. The values come
//! from the facts that the rule decided on, the actor and the address from its context. Secrets,
//! passwords, tokens and e-mail addresses never appear in an entry.

pub mod deed;
pub mod differences;
pub mod entry;
