//! The client API, as the published SDKs call it.

mod bucket;
mod channels;
mod people;
mod rooms;
mod slow_uploads;
mod standings;
mod strangers;
pub mod uploads;
