//! The client API: requests of the published SDKs and their responses (wire facts 4.1 to 4.3).

pub mod channels;
pub mod comment;
pub mod config;
pub mod events;
pub mod messages;
pub mod people;
pub mod rooms;
pub mod searching;
pub mod upload;
