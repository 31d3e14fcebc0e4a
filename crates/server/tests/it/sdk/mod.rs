//! The client API, as the published SDKs call it.

pub mod bucket;
mod channels;
mod people;
mod rooms;
mod slow_uploads;
mod standings;
mod strangers;
pub mod uploads;
