//! Provider channels: the communication between this server and the messaging platforms.
//!
//! [`linked`] is a channel with its credentials. [`calling`] sends one request of the provider's
//! adapter (`wire::channels`) through `outbound`. [`media`] stores customers' files.
//! [`reply_tokens`] let replies at LINE be sent free of charge, [`renewing`] renews tokens that
//! expire (Instagram's), and [`templates`] lists WhatsApp's approved templates, cached in
//! [`template_cache`]. [`mail`] does all of this for e-mail. The task in [`channel_tasks`] sets up
//! webhooks or polls ([`polling`]), and checks the channels' health ([`checking`]). Called by
//! webhook handlers, by `actions` about channels, and by the carrier of messages to customers.
//!
//! Guarantees: a received event is committed before it is confirmed to its provider or the next one
//! is requested; one node polls a channel at a time; tokens never appear in logs, errors and stored
//! URLs. Messages are never posted from here.

pub(crate) mod calling;
pub(crate) mod channel_tasks;
pub(crate) mod checking;
pub(crate) mod linked;
pub(crate) mod mail;
pub(crate) mod media;
mod polling;
pub(crate) mod renewing;
pub(crate) mod reply_tokens;
pub(crate) mod template_cache;
pub(crate) mod templates;
