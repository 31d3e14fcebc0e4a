//! Push notifications to the devices of users in a room.

pub mod push_facts;
pub mod pushing;
