//! WhatsApp's Cloud API (channel facts 3).

mod answers;
mod content;
mod numbers;
mod reading;
mod requests;
mod splitting;

pub use answers::{health, verdict};
pub use numbers::{spellings, typed_number};
pub use reading::read;
pub use requests::{
    FETCHED_BYTES_MAX, NAMES, acknowledge, check, fetch, list_templates, subscribe, typing,
};
pub(super) use requests::{parts, steps};
