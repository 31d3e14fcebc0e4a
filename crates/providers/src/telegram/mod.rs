//! Telegram's Bot API (channel facts 4.1): private chats only, by webhook or polling.

mod answers;
mod content;
mod listening;
mod reading;
mod requests;

pub use answers::{health, verdict};
pub use listening::{Poll, poll, read_poll, remove_hook, set_hook};
pub use reading::{acknowledge, fetch, prove, read};
pub use requests::{FETCHED_BYTES_MAX, NAMES, check, typing};
pub(super) use requests::{delete_parts, edit_parts, parts, steps};
