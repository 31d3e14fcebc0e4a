//! Sending through provider channels.
//!
//! [`sender`] is a channel with its credentials. [`calling`] sends one request of the provider's
//! adapter (`providers`) through `outbound`, with the handles of [`client`]. [`reply_tokens`]
//! stores the tokens with which LINE sends replies free of charge.

pub mod calling;
pub mod client;
pub mod reply_tokens;
pub mod sender;
