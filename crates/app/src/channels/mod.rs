//! Provider channels: the communication between this server and the messaging platforms.
//!
//! [`linked`] is a channel with its credentials. [`calling`] sends one request of the provider's
//! adapter (`providers`) through `outbound`. [`media`] stores customers' files.
//! [`reply_tokens`] stores the tokens with which LINE sends replies free of charge, [`renewing`]
//! renews Instagram's tokens before they expire, and [`templates`] lists WhatsApp's approved
//! templates, cached in [`template_cache`]. [`mail`] communicates with mail servers. The tasks in
//! [`channel_tasks`] register webhooks or poll ([`polling`]), and check the channels' health
//! ([`checking`]). Called by webhook handlers, by `actions` about channels, and by the carrier of
//! messages to customers.
//!
//! Guarantees: a received event is committed before it is confirmed to its provider or the next one
//! is requested; one node polls a channel at a time; tokens never appear in logs, errors and stored
//! URLs. Messages are never posted from here.

pub(crate) mod calling;
pub(crate) mod channel_tasks;
pub(crate) mod checking;
pub mod linked;
pub mod mail;
pub mod media;
mod polling;
pub(crate) mod renewing;
pub(crate) mod reply_tokens;
pub(crate) mod template_cache;
pub mod templates;
