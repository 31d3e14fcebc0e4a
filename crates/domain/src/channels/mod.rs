//! Channels: where customers write from.

pub mod channel;
pub mod channel_message;
pub mod connecting;
pub mod connecting_services;
pub mod direct_send;
pub mod hearing;
pub mod identity;
pub mod outgoing;
pub mod renewing;
pub mod reporting;
pub mod service_account;
pub mod service_health;
pub mod stopping;
pub mod window;
