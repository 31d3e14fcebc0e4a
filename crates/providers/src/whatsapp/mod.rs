//! WhatsApp's Cloud API (channel facts 3).

mod answers;
mod content;
mod direct;
mod numbers;
mod reading;
mod requests;
mod splitting;
mod templates;

pub use answers::{health, verdict};
pub use direct::{direct_message, locate_media, located, refusal_body};
pub use numbers::{spellings, typed_number};
pub use reading::read;
pub use requests::{
    FETCHED_BYTES_MAX, NAMES, acknowledge, check, fetch, list_templates, subscribe, typing,
};
pub(super) use requests::{parts, steps};
pub use templates::{TemplatePage, fill, read_templates};
