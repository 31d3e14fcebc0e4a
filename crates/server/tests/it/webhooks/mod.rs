//! The webhook API: endpoints, deliveries, replays, examples, tests and listening
//! (design/webhooks).

mod admins;
mod by_id;
mod chat_messages;
mod credentials;
mod deliveries;
mod endpoints;
mod hearing_all;
pub(crate) mod listening;
mod logs;
mod loops;
pub mod many;
mod moving;
mod odd_bodies;
mod replays;
mod strangers;
mod triggers;
mod trying;
