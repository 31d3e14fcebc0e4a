//! Channels through which customers write, and the transfer of messages and events through them.

pub mod channel;
pub mod channel_message;
pub mod connecting;
pub mod connecting_providers;
pub mod direct_send;
pub mod email_address;
pub mod forwarding;
pub mod identity;
pub mod outgoing;
pub mod provider_account;
pub mod provider_health;
pub mod receiving_events;
pub mod renewing;
pub mod reporting;
pub mod stopping;
pub mod template;
pub mod window;
