//! The public JSON of Confab: requests, responses and webhooks.
//!
//! A request is read in one pass that reports all wrong fields, not only the first; responses are
//! written from domain values. The crate does no I/O and decides nothing: a rule may still refuse a
//! valid request. Words of the public API (`comment`, `payload.buttons`) appear in this crate only.
//!
//! JSON that belongs to the caller (`payload`, `extras`) is passed on as text, which preserves the
//! digits of numbers and the order of keys (D-0013).

pub mod body;

pub mod person;
pub mod probe;
pub mod refusal;
pub mod time;

pub mod message_api;
pub mod moving;
pub mod omnichannel_api;
pub mod push;
pub mod realtime;
pub mod sdk_api;
pub mod webhook_api;
pub mod webhooks;

mod fields;
mod payload;
mod raw_json;
mod reading;
mod request;
mod shown_extras;

#[cfg(feature = "document")]
pub use payload::described as described_payloads;
pub use payload::rating::rating_in_button;
pub use payload::{complete_payload, is_same_payload};
