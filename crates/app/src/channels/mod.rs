//! Provider channels: the communication between this server and the messaging platforms.
//!
//! [`linked`] is a channel with its credentials, through which `delivery` sends requests. [`media`]
//! stores customers' files. [`renewing`] renews Instagram's tokens before they expire, and
//! [`templates`] lists WhatsApp's approved templates, cached in [`template_cache`]. [`mail`] reads
//! and receives mails. The tasks in [`channel_tasks`] register webhooks or poll ([`polling`]), and
//! check the channels' health ([`checking`]); [`channel_state`] is what they share with handlers.
//! Called by webhook handlers and by `actions` about channels.
//!
//! Guarantees: a received event is committed before it is confirmed to its provider or the next one
//! is requested; one node polls a channel at a time; tokens never appear in logs, errors and stored
//! URLs. Messages are never posted from here.

pub mod channel_state;
pub(crate) mod channel_tasks;
pub(crate) mod checking;
pub mod linked;
pub mod mail;
pub mod media;
mod polling;
pub(crate) mod renewing;
pub(crate) mod template_cache;
pub mod templates;
