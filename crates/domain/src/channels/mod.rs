//! Channels: where customers write from.

pub mod channel;
pub mod connecting;
