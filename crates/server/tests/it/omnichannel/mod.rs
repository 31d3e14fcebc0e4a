//! The omnichannel half over HTTP.

mod channels;
mod people;
mod service;
