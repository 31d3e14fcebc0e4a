//! Push: what goes to the phones of those who are in a room.

pub mod push_facts;
pub mod pushing;
