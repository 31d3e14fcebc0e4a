//! The omnichannel API over HTTP.

mod a_day;
pub mod channels;
mod customers;
mod doors;
mod office;
mod outsiders;
pub mod people;
pub mod service;
mod stage;
