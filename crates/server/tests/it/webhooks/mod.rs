//! The webhook API: endpoints, deliveries, replays, trying out and listening (D-0032).

mod credentials;
mod deliveries;
mod endpoints;
pub(crate) mod listening;
mod logs;
mod loops;
pub mod many;
mod odd_bodies;
mod replays;
mod strangers;
mod triggers;
mod trying;
