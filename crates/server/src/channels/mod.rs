//! Channels of services: how this server and a messenger's own service speak to each other.
//!
//! [`linked`] is a channel with what opens its account, [`calling`] sends one request of its
//! adapter (`wire::channels`) through `outbound`, [`media`] brings a customer's file into the store
//! of files, [`reply_tokens`] are what answers at LINE go out for free by, [`renewing`] is for
//! tokens that end (Instagram's), [`templates`] are what WhatsApp approved ([`known_templates`]: a
//! moment ago); [`mail`] is all of this
//! for e-mail, which has no requests. [`keeping`] is the chore
//! that has each service bring what happens, or asks for it ([`polling`]), and looks whether all is
//! well ([`checking`]). Called by hooks, by `actions` about channels, and by the carrier of what is
//! said to customers.
//!
//! Promises: what a service told is committed before it is answered or asked for more; one node
//! asks for a channel at a time; a token stands in no log, no error and no stored address. Never:
//! a message posted from here, a decision.

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
