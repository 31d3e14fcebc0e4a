//! The omnichannel API: its public JSON (spec 4.2, wire facts 5).

pub mod channels;
pub mod office;
pub mod people;
pub mod support;
