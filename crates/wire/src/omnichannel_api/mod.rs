//! Public JSON of the omnichannel API (spec 4.2, wire facts 5).

pub mod channels;
pub mod office;
pub mod people;
pub mod support;
