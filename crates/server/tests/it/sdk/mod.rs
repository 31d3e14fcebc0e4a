//! The client API, as the published SDKs call it.

pub mod client;
mod people;
mod rooms;
mod strangers;
mod uploads;
