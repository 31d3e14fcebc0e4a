//! People: the users of an app, whoever may be in a room.

pub mod blocking;
pub mod device;
pub mod presence;
pub mod registering;
pub mod registering_devices;
pub mod resetting_tokens;
pub mod user;
