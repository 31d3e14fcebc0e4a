//! The client API, as the published SDKs call it.

mod bucket;
pub mod client;
mod people;
mod rooms;
mod strangers;
pub mod uploads;
