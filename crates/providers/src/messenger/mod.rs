//! Messenger and Instagram (channel facts 4.2), which share one format with a few differences.

mod answers;
mod content;
mod reading;
mod requests;
mod splitting;
mod tokens;

pub use answers::{health, read_profile, verdict};
pub use reading::read;
pub use requests::{
    FETCHED_BYTES_MAX, INSTAGRAM_NAMES, MESSENGER_NAMES, acknowledge, check, fetch, profile,
    subscribe, typing,
};
pub(super) use requests::{parts, steps};
pub use tokens::{read_refreshed, refresh_token};
