//! The client API, as the published SDKs call it.

pub mod bucket;
mod channels;
pub mod foreign_bucket;
mod people;
mod rooms;
pub mod slow_uploads;
mod standings;
mod strangers;
pub mod uploads;
