//! The public JSON of Confab: what callers send and what they are answered.
//!
//! Called by `server` only. Every request is read in one pass that finds all wrong fields, not only
//! the first; every answer is written from domain values. No I/O and no decisions: a request that
//! reads well may still be refused by a rule. Words of the public API (`comment`,
//! `payload.buttons`) stay in this crate.
//!
//! JSON that belongs to the caller (`payload`, `extras`) is passed on as text, so that numbers keep
//! their digits and keys their order (D-0013).

pub mod body;
mod json_check;
pub mod person;
pub mod refusal;
pub mod time;

pub mod channels;
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
pub use payload::{complete_payload, is_same_payload};
