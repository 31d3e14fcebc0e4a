//! Passwords, tokens and other proofs of identity.

pub mod identity_tokens;
pub mod known_devices;
pub mod passwords;
pub mod realtime_tickets;
pub mod token_exchange;
