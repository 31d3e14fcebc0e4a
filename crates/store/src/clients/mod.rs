//! Those who connect as users: what happened to messages, receipts, devices, blocks, presence,
//! files.
//!
//! Written once for both engines, as statement texts with values, like the omnichannel half:
//! [`changes`] are what rules write, [`reads`] what the gateway and handlers look up. The engines
//! only run what is handed to them. Promises and limits are those of the whole store.

pub(crate) mod changes;
pub(crate) mod devices;
pub(crate) mod messages;
pub(crate) mod people;
pub(crate) mod people_statements;
pub(crate) mod reads;
pub(crate) mod room_statements;
pub(crate) mod rooms;
pub(crate) mod statements;
