//! LINE's Messaging API (channel facts 4.3).

mod answers;
mod reading;
mod requests;

pub use answers::{health, read_profile, verdict};
pub use reading::{prove, read};
pub use requests::{
    FETCHED_BYTES_MAX, NAMES, acknowledge, check, fetch, profile, set_hook, typing,
};
pub(super) use requests::{parts, steps};
