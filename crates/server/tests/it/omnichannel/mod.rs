//! The omnichannel half over HTTP.

mod a_day;
mod channels;
mod doors;
mod outsiders;
pub(crate) mod people;
mod service;
mod stage;
