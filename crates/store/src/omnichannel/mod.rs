//! The omnichannel half: people who work, channels, customers, sessions.
//!
//! Written once for both engines, as statement texts with [`Value`]s: [`facts`] are what rules
//! decide upon, [`changes`] what they write, [`reads`] what handlers list. The engines only run
//! what is handed to them. Promises and limits are those of the whole store.

pub(crate) mod changes;
pub(crate) mod facts;
pub(crate) mod locks;
pub(crate) mod reads;
pub(crate) mod rows;
pub(crate) mod statements;
