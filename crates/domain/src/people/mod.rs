//! Users of an app, their profiles, tokens, devices, blocks and presence.

pub mod blocking;
pub mod device;
pub mod presence;
pub mod registering;
pub mod registering_devices;
pub mod resetting_tokens;
pub mod user;
