//! The omnichannel half over HTTP.

mod a_day;
pub mod channels;
mod doors;
mod outsiders;
pub mod people;
mod service;
mod stage;
